// Tokens of a transcript that is read anew, since a line in its midst was missing before: each message counts once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { readChain, readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { fsck, makeProject } from '../support/store.ts';

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;

/** Returns a session's usage, and the ids of its messages, where these are read one after the other as one file. */
function stored(...texts: object[][]): { usage: unknown; counted: unknown; messages: string[] } {
  const project = makeProject();
  const file = join(project.folder, 'transcript.jsonl');
  let session = '';
  for (const lines of texts) {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    session = ingestTranscript(project.open(), file).session_id;
  }
  const { objects, refs } = project.open();
  const head = refs.read(sessionRef(session)) as string;
  const records = [...readSteps(objects, head, true)].flatMap((step) => step.records as unknown as JsonObject[]);
  const messages = records.flatMap(({ message }) => (message ? [String((message as JsonObject)['id'])] : []));
  expect(fsck(project.store)).toBe('');
  const counted = records.flatMap(({ kind, usage }) => (kind === 'usage' ? [usage] : []));
  return { usage: readChain(objects, head, sessionRef(session)).session.usage, counted, messages };
}

describe('Claude Code', () => {
  const line = (uuid: string, parentUuid: string | null, second: number, message: object, more: object = {}) => ({
    ...{ type: 'user', uuid, parentUuid, isSidechain: false, sessionId: 's1', cwd: '/p', version: '2.1.119' },
    ...{ timestamp: at(second), message: { role: 'user', ...message }, ...more },
  });
  const said = (uuid: string, parent: string, second: number, id: string, block: object, output_tokens = 20) => ({
    ...line(uuid, parent, second, {}),
    type: 'assistant',
    message: {
      ...{ id, role: 'assistant', model: 'm', stop_reason: 'tool_use', content: [block] },
      usage: { input_tokens: 100, output_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  });
  const results = [{ type: 'tool_result', tool_use_id: 't1', content: 'a.txt' }];
  const lines = [
    line('u1', null, 0, { content: 'Add a retry' }),
    // The usage of a message grows from line to line.
    said('a0', 'u1', 1, 'msg_1', { type: 'thinking', thinking: 'Hm.', signature: 's' }, 1),
    said('a1', 'a0', 2, 'msg_1', { type: 'text', text: 'I look first.' }, 5),
    said('a2', 'a1', 3, 'msg_1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }),
    line('r1', 'a2', 4, { content: results }, { toolUseResult: { stdout: 'a.txt', stderr: '', interrupted: false } }),
    said('a3', 'r1', 5, 'msg_2', { type: 'text', text: 'Done.' }),
  ];
  const whole = stored(lines);

  test.each([[[1]], [[2]], [[1, 2]], [[3]], [[5]], [[1, 2, 3]]])('without the lines %j at first', (missing) => {
    const cut = lines.filter((_, index) => !missing.includes(index));
    const read = stored(cut, lines);
    expect(read.usage).toEqual(whole.usage);
    expect(read.messages.filter((id) => id === 'msg_1')).toHaveLength(1);
    // The missing message comes in once, however often the file is read again.
    const again = lines.map((each, index) => (index === 0 ? { ...each, uuid: 'u0' } : each));
    expect(stored(cut, lines, again, lines).usage).toEqual(whole.usage);
  });
});

describe('Codex', () => {
  const line = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
  const speech = (second: number, role: string, text: string) =>
    line(second, 'response_item', { type: 'message', role, content: [{ type: 'text', text }] });
  const sum = (calls: number) => ({ input_tokens: 100 * calls, cached_input_tokens: 0, output_tokens: 20 * calls });
  const used = (second: number, calls: number, type = 'token_usage_record') =>
    type === 'token_usage_record'
      ? line(second, type, { thread_id: 'c1', usage: sum(1), thread_token_usage: sum(calls) })
      : line(second, 'event_msg', { type, info: { total_token_usage: sum(calls), last_token_usage: sum(1) } });
  const lines = [
    line(0, 'session_meta', { id: 'c1', cwd: '/p', cli_version: '1' }),
    speech(1, 'user', 'Count the doors'),
    ...[speech(2, 'assistant', 'One.'), used(3, 1)],
    ...[speech(4, 'assistant', 'Two.'), used(5, 2), used(5, 2, 'token_count')],
    ...[speech(6, 'assistant', 'Three.'), used(7, 3)],
    // A context that was full begins a sum anew.
    ...[speech(8, 'assistant', 'Four.'), used(9, 1)],
    speech(10, 'assistant', 'Done.'),
  ];
  const whole = stored(lines);

  test.each([[[3]], [[5]], [[6]], [[5, 6]], [[3, 5, 6]], [[8]], [[10]], [[8, 10]], [[3, 5, 6, 8, 10]]])(
    'without the lines %j at first',
    (missing) => {
      expect(whole.usage).toMatchObject({ input: 400, output: 80 });
      expect(
        stored(
          lines.filter((_, index) => !missing.includes(index)),
          lines,
        ).usage,
      ).toEqual(whole.usage);
    },
  );
});
