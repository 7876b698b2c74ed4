// `ctx messages`: the conversation of a session, read back from its chain and from what waits beside it.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/core/message.ts';
import type { ViewedMessage } from '../../src/index.ts';
import { NOON, type Repo, seen, session } from '../support/cli.ts';

const LONG = `${'A long answer. '.repeat(500)}The end.`;

const message = (id: string, role: Message['role'], parts: object[], metadata: object = {}): object => {
  return { kind: 'message', message: { id, role, parts, metadata: { created_at: NOON, ...metadata } } };
};
const text = (words: string): object => ({ type: 'text', text: words });
const call = (id: string, more: object): object => {
  return { type: 'dynamic-tool', toolName: 'Bash', toolCallId: id, input: { command: 'npm test' }, ...more };
};

/** A conversation in two steps, with what came last still waiting: it is read only by these tests. */
let repo: Repo;

const observe = (repo: Repo, ...records: object[]): void => {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  expect(repo.run(['observe', 'batch'], { input, now: NOON })).toMatchObject({ code: 0 });
};

beforeAll(() => {
  repo = session('Add retry with backoff');
  observe(
    repo,
    message('u1', 'user', [text('Add a retry.\nKeep it small.')]),
    message(
      'a1',
      'assistant',
      [
        { type: 'reasoning', text: 'Where is the client?' },
        text('I run the tests first.'),
        call('c1', { state: 'input-available' }),
        call('c2', { state: 'input-available' }),
      ],
      { model: 'claude-x' },
    ),
  );
  expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0 });
  observe(
    repo,
    {
      kind: 'part',
      message_id: 'a1',
      part_id: 'c1',
      seq: 1,
      part: call('c1', { state: 'output-available', output: 'x'.repeat(5000) }),
    },
    { kind: 'command', command: 'npm test', exit_code: 1, tool_call_id: 'c1' },
    {
      kind: 'part',
      message_id: 'a1',
      part_id: 'c2',
      seq: 2,
      part: call('c2', { state: 'output-error', errorText: 'denied' }),
    },
    message('u2', 'user', [text('No, not like that.')]),
    message('a2', 'assistant', [text('A wrong turn.')]),
    { kind: 'overlay', op: 'hide', ids: ['u2', 'a2'], reason: 'rollback' },
  );
  expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0 });
  observe(repo, message('a3', 'assistant', [text(LONG), { type: 'file', mediaType: 'image/png', url: 'data:,' }]));
});

const listed = (...options: string[]): ViewedMessage[] => repo.json<ViewedMessage[]>(['messages', ...options]);

test('a person sees who said what and when, calls as one line with their result, without the thoughts', () => {
  const { stdout, ...rest } = repo.run(['messages', '--to', 'a1']);
  expect(seen({ stdout, ...rest })).toMatchInlineSnapshot(`
    "exit 0
    out| user 2026-01-22 00:00:00Z u1
    out|   Add a retry.
    out|   Keep it small.
    out|
    out| assistant 2026-01-22 00:00:00Z claude-x a1
    out|   I run the tests first.
    out|   Bash {"command":"npm test"} (exit 1)
    out|   Bash {"command":"npm test"} (failed: denied)"
  `);
});

test('what the model no longer sees is marked in the view of all', () => {
  expect(seen(repo.run(['messages', '--view', 'all', '--from', 'u2', '--to', 'a2']))).toMatchInlineSnapshot(`
    "exit 0
    out| user 2026-01-22 00:00:00Z u2 (hidden by rollback)
    out|   No, not like that.
    out|
    out| assistant 2026-01-22 00:00:00Z a2 (hidden by rollback)
    out|   A wrong turn."
  `);
});

describe('options', () => {
  test.each([
    [['messages'], 'u1 a1 a3'],
    [['messages', 'STAGE'], 'u1 a1 a3'],
    [['messages', 'STAGE~1'], 'u1 a1'],
    [['messages', '--view', 'all'], 'u1 a1 u2 a2 a3'],
    [['messages', '--from', 'a1'], 'a1 a3'],
    [['messages', '--to', 'u1'], 'u1'],
    [['messages', '--role', 'user'], 'u1'],
    [['messages', '--role', 'user', '--role', 'assistant', '--view', 'all'], 'u1 a1 u2 a2 a3'],
    [['messages', '--parts', 'tool'], 'a1'],
    [['messages', '--parts', 'file', '--parts', 'reasoning'], 'a1 a3'],
    [['messages', '--role', 'system'], ''],
  ])('%j lists the messages "%s"', (line, expected) => {
    const ids = repo.json<ViewedMessage[]>(line).map(({ id }) => id);
    expect(ids.join(' ')).toBe(expected);
  });

  test.each([
    ['not_found', ['messages', '--from', 'nobody']],
    ['ambiguous', ['messages', '--from', 'a']],
    ['not_found', ['messages', '01234567']],
    ['usage', ['messages', '--view', 'tree']],
    ['not_found', ['messages', 'main']],
  ])('%s: %j', (code, line) => {
    expect(JSON.parse(repo.run([...line, '--json']).stdout)).toMatchObject({ ok: false, error: { code } });
  });
});

test('JSON has whole texts, newest parts, exit codes, and marks only in the view of all', () => {
  const [, answer, last] = listed();
  expect(answer).toEqual({
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Where is the client?' },
      { type: 'text', text: 'I run the tests first.' },
      { ...call('c1', { state: 'output-available', output: 'x'.repeat(5000) }), exit_code: 1 },
      call('c2', { state: 'output-error', errorText: 'denied' }),
    ],
    metadata: { created_at: NOON, model: 'claude-x' },
  });
  expect(last?.parts[0]).toEqual(text(LONG));
  const hidden = listed('--view', 'all').map((each) => each.hidden);
  expect(hidden).toMatchObject([null, null, { by: 'rollback', at: NOON }, { by: 'rollback' }, null]);
});

test('an ended session is read by its id and by its commit', () => {
  const ended = session('Add retry with backoff');
  observe(ended, message('u1', 'user', [text(LONG)]));
  const [id] = [ended.json<{ session_id: string }>(['stage', 'status']).session_id];
  expect(ended.run(['stage', 'compact'])).toMatchObject({ code: 0 });
  for (const name of [id, 'HEAD', 'main'])
    expect(ended.json<ViewedMessage[]>(['messages', name])[0]?.parts).toEqual([text(LONG)]);
});

test('a session without a conversation says so', () => {
  expect(seen(session('Nothing yet').run(['messages']))).toBe('exit 0\nout| No messages.');
});
