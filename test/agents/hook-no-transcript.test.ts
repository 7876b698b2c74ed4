// A hook that names a file that is no transcript of its agent: nothing of the file is kept, and the hook errors name it.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';

const CANARY = 'kept-of-no-transcript';

/** Files that agents and users have, none of which is a transcript. */
const FILES: Readonly<Record<string, string>> = {
  'a list of accounts': `root:x:0:0:root:/root:/bin/sh\n${CANARY}:x:1:1::/:/bin/false\n`,
  'settings of a program': `PORT=8080\nNAME=${CANARY}\n`,
  'source code': `export const name = '${CANARY}';\nexport function find(a: { b: string }) {\n  return a.b;\n}\n`,
  'JSON of something else': `{"name":"${CANARY}","version":1}\n`,
  'lines of JSON of something else': `{"type":"log","text":"${CANARY}"}\n{"type":"log","text":"more"}\n`,
  'a list of JSON': `[{"type":"user","text":"${CANARY}"}]\n`,
  'one long line': `${CANARY}${'x'.repeat(300_000)}`,
  'bytes that are no text': `\0\u0001${CANARY}\0\n\0`,
};

/** By agent: the events of a turn, and what belongs to each. */
const TURNS: Readonly<Record<string, readonly (readonly [event: string, fields: object])[]>> = {
  'claude-code': [
    ['SessionStart', { source: 'resume' }],
    ['UserPromptSubmit', { prompt: 'Add a cache' }],
    ['SubagentStop', { agent_id: 'a1', agent_transcript_path: '@FILE@', last_assistant_message: 'Looked.' }],
    ['Stop', { last_assistant_message: 'The cache is in.' }],
    ['SessionEnd', { reason: 'exit' }],
  ],
  codex: [
    ['UserPromptSubmit', { prompt: 'Add a cache', turn_id: 't1' }],
    ['Stop', { last_assistant_message: 'The cache is in.', turn_id: 't1' }],
  ],
  gemini: [
    ['BeforeAgent', { prompt: 'Add a cache' }],
    ['AfterAgent', { prompt: 'Add a cache', prompt_response: 'The cache is in.' }],
  ],
  cursor: [
    ['beforeSubmitPrompt', { prompt: 'Add a cache', conversation_id: 's1', generation_id: 'g1' }],
    ['stop', { status: 'completed', conversation_id: 's1', generation_id: 'g1' }],
  ],
  pi: [
    ['prompt', { prompt: 'Add a cache' }],
    ['turn_end', { text: 'The cache is in.' }],
  ],
};

const project = (): string => {
  const dir = join(folder('no-transcript-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  run(['init'], { cwd: dir });
  return dir;
};

function tell(dir: string, agent: string, event: string, transcript_path: string, fields: object): void {
  const payload = { session_id: 's1', transcript_path, cwd: dir, hook_event_name: event, ...fields };
  const input = JSON.stringify(payload).replaceAll('@FILE@', transcript_path);
  const ran = run(['hook', agent], { cwd: dir, now: NOON, input });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
}

/** All bytes of a store, objects inflated. */
function bytesOf(dir: string): string {
  run(['stage', 'flush'], { cwd: dir, now: NOON });
  const objects = execFileSync('git', ['--git-dir=.ctx', 'cat-file', '--batch-all-objects', '--batch', '--buffer'], {
    cwd: dir,
    encoding: 'latin1',
    maxBuffer: 2 ** 28,
  });
  const files = readdirSync(join(dir, '.ctx'), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return objects + files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n');
}

const errorsOf = (dir: string): string => {
  const path = join(dir, '.ctx', 'hook-errors.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

describe.each(Object.entries(TURNS))('%s', (agent, turn) => {
  test.each(Object.entries(FILES))('%s is not read', (_, text) => {
    const dir = project();
    const file = join(dir, '..', 'other-file');
    writeFileSync(file, text);
    for (const [event, fields] of turn) tell(dir, agent, event, file, fields);
    expect(bytesOf(dir)).not.toContain(CANARY);
    expect(errorsOf(dir)).toContain(`${file} is no transcript of ${agent}`);
    // The hooks' own words are kept all the same.
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('task Add a cache');
    fsck(dir);
  });
});

const RECORD = `${JSON.stringify({
  ...{ type: 'user', uuid: 'u1', parentUuid: null, isSidechain: false, sessionId: 's1', cwd: '/p' },
  ...{ timestamp: '2026-02-03T04:05:06.000Z', message: { role: 'user', content: 'Add a cache' } },
})}\n`;

test('a link to a file that is no transcript is not followed into the store', () => {
  const dir = project();
  const file = join(dir, '..', 'accounts');
  writeFileSync(file, FILES['a list of accounts'] as string);
  const link = join(dir, '..', 's1.jsonl');
  symlinkSync(file, link);
  for (const [event, fields] of TURNS['claude-code'] ?? []) tell(dir, 'claude-code', event, link, fields);
  expect(bytesOf(dir)).not.toContain(CANARY);
  expect(errorsOf(dir)).toContain('is no transcript of claude-code');
});

test('a pipe is not opened', () => {
  const dir = project();
  const pipe = join(dir, '..', 'pipe.jsonl');
  execFileSync('mkfifo', [pipe]);
  for (const [event, fields] of TURNS['claude-code'] ?? []) tell(dir, 'claude-code', event, pipe, fields);
  expect(errorsOf(dir)).toContain('it is no file');
});

test('a transcript of another agent is not read, and the hook errors say whose it is', () => {
  const dir = project();
  const file = join(dir, '..', 's1.jsonl');
  writeFileSync(file, RECORD.replace('Add a cache', CANARY));
  for (const [event, fields] of TURNS['codex'] ?? []) tell(dir, 'codex', event, file, fields);
  expect(bytesOf(dir)).not.toContain(CANARY);
  expect(errorsOf(dir)).toContain('is a transcript of claude-code, not of codex');
});

test('a transcript that begins with lines that ctx does not know is read whole once it has one that ctx knows', () => {
  const dir = project();
  const file = join(dir, '..', 's1.jsonl');
  writeFileSync(file, `{"type":"from-a-later-version","note":"${CANARY}"}\n`);
  tell(dir, 'claude-code', 'UserPromptSubmit', file, { prompt: 'Add a cache' });
  expect(bytesOf(dir)).not.toContain(CANARY);
  expect(errorsOf(dir)).toBe('');
  appendFileSync(file, RECORD);
  tell(dir, 'claude-code', 'Stop', file, { last_assistant_message: 'The cache is in.' });
  expect(bytesOf(dir)).toContain(CANARY);
  expect(errorsOf(dir)).toBe('');
  const { session_state } = json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON });
  expect(session_state.kind).toBe('PendingComplete');
});

test('a transcript that another file takes the place of is not read on', () => {
  const dir = project();
  const file = join(dir, '..', 's1.jsonl');
  writeFileSync(file, RECORD);
  tell(dir, 'claude-code', 'UserPromptSubmit', file, { prompt: 'Add a cache' });
  writeFileSync(file, FILES['settings of a program'] as string);
  tell(dir, 'claude-code', 'Stop', file, { last_assistant_message: 'The cache is in.' });
  expect(bytesOf(dir)).not.toContain(CANARY);
});

test('ctx ingest says of such a file that it is no transcript', () => {
  const dir = project();
  const file = join(dir, '..', 'accounts');
  writeFileSync(file, FILES['a list of accounts'] as string);
  const ran = run(['ingest', '--here', file], { cwd: dir, now: NOON });
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain(`${file} is no transcript that ctx knows`);
  expect(bytesOf(dir)).not.toContain(CANARY);
});

test('doctor names the file', () => {
  const dir = project();
  const file = join(dir, '..', 'accounts');
  writeFileSync(file, FILES['a list of accounts'] as string);
  for (const [event, fields] of TURNS['claude-code'] ?? []) tell(dir, 'claude-code', event, file, fields);
  const told = run(['doctor'], { cwd: dir, now: NOON });
  expect(told.stdout + told.stderr).toContain('is no transcript of claude-code');
});
