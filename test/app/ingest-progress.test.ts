// Tests messages of a sub-agent of Claude Code in the transcript of its caller and in its own: each counts once.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestMany } from '../../src/app/intake/many.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { readChain, readSteps } from '../../src/history/chain/chain.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { fsck, makeProject } from '../support/store.ts';

const ID = 'aaaaaaaa-0000-4000-8000-00000000cc01';
const around = { sessionId: ID, cwd: '/home/dev/acme', version: '2.1.40', timestamp: '2026-11-20T10:00:01Z' };

const assistant = (id: string, output_tokens: number, block: object) => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'm', content: [block], usage: { input_tokens: 0, output_tokens } },
});
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });

/** Lines of the sub-agent, by their ids. */
const SAID: [uuid: string, line: object][] = [
  ['p1', user([{ type: 'text', text: 'Look around.' }])],
  ['p2', assistant('sub', 40, { type: 'tool_use', id: 'toolu_sub', name: 'Bash', input: { command: 'ls' } })],
  ['p3', user([{ type: 'tool_result', tool_use_id: 'toolu_sub', content: 'a.txt' }])],
];

const progress = SAID.map(([uuid, line], index) => ({
  ...{ type: 'progress', uuid: `g${index}`, parentUuid: 'a1', isSidechain: false, parentToolUseID: 'toolu_task' },
  data: { type: 'agent_progress', agentId: 'zz9', message: { uuid, timestamp: around.timestamp, ...line } },
}));
const caller = [
  { uuid: 'u1', parentUuid: null, ...user('Look at it') },
  {
    ...{ uuid: 'a1', parentUuid: 'u1' },
    ...assistant('own', 5, { type: 'tool_use', id: 'toolu_task', name: 'Task', input: { prompt: 'Look around.' } }),
  },
  ...progress,
];
const own = SAID.map(([uuid, line]) => ({ uuid, parentUuid: null, isSidechain: true, agentId: 'zz9', ...line }));
const text = (lines: object[]): string => lines.map((line) => `${JSON.stringify({ ...around, ...line })}\n`).join('');

/** Of each session, what it has used, and its messages and commands. */
function sessionsOf(files: Readonly<Record<string, string>>, ...more: Readonly<Record<string, string>>[]) {
  const project = makeProject();
  for (const together of [files, ...more]) {
    for (const [name, content] of Object.entries(together)) {
      const path = join(project.folder, 'in', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    ingestMany(project.open(), [join(project.folder, 'in')]);
  }
  const { objects, refs } = project.open();
  expect(fsck(project.store)).toBe('');
  return refs.names(SESSIONS).map((ref) => {
    const head = refs.read(ref) as string;
    const records = [...readSteps(objects, head, true)].flatMap((step) => step.records as unknown as JsonObject[]);
    const numberOf = (kind: string): number => records.filter((record) => record['kind'] === kind).length;
    const { usage } = readChain(objects, head, ref).session;
    const hasOutput = JSON.stringify(records).includes('a.txt');
    return { output: usage?.output, messages: numberOf('message'), commands: numberOf('command'), hasOutput };
  });
}

const ALONE = { output: 45, messages: 4, commands: 1, hasOutput: true };
const CALLER = { output: 5, messages: 2, commands: 0, hasOutput: true };
const CHILD = { output: 40, messages: 2, commands: 1, hasOutput: true };

test('progress of a sub-agent counts with the caller if nothing else has it', () => {
  expect(sessionsOf({ [`${ID}.jsonl`]: text(caller) })).toEqual([ALONE]);
});

test('progress of a sub-agent counts with the caller if the file of the sub-agent is empty', () => {
  expect(sessionsOf({ [`${ID}.jsonl`]: text(caller), [`${ID}/subagents/agent-zz9.jsonl`]: '' })).toEqual([ALONE]);
});

test('progress of a sub-agent counts with the sub-agent if it has a file of its own', () => {
  const file = `${ID}/subagents/agent-zz9.jsonl`;
  const files = { [`${ID}.jsonl`]: text(caller), [file]: text(own) };
  expect(sessionsOf(files)).toEqual([CALLER, CHILD]);
  const begun = { [`${ID}.jsonl`]: text(caller.slice(0, 3)), [file]: text(own.slice(0, 1)) };
  expect(sessionsOf(begun, files)).toEqual([CALLER, CHILD]);
});
