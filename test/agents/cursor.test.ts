// Transcripts of Cursor of our own writing: what they tell.
import { expect, test } from 'vitest';
import { sentAt } from '../../src/agents/cursor/format.ts';
import { cursor } from '../../src/agents/cursor/index.ts';
import { recogniseAgent } from '../../src/agents/index.ts';
import { read, seen } from './support/conformance.ts';
import { assemble, replay, replayRewritten } from './support/replay.ts';

test('a readme: what Cursor puts around the words of the user is none of them', () => {
  const result = read(cursor, 'readme.jsonl');
  expect(result.moves).toEqual([
    'prompt Add a readme that says how to build.',
    'ask The readme says how to build. Should it name the Node versio',
    'turn',
    'prompt Yes.',
    'done Done.',
    'turn',
    'prompt Yes.',
    'done Done.',
    'turn',
    'prompt [image]',
    'done A picture of a fox.',
    'turn',
  ]);
  const messages = [...result.messages.values()];
  expect(messages.filter(({ metadata }) => metadata['is_meta'])).toHaveLength(1);
  expect(messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'file'))).toEqual([
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
  ]);
  expect(seen(result)).toHaveLength(13);
});

test('calls have no results, so nothing is said to have been done', () => {
  const result = read(cursor, 'readme.jsonl');
  const calls = [...result.messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
  expect(calls.map(({ toolName, state, errorText }) => [toolName, state, errorText])).toEqual(
    ['Read', 'Write', 'Shell', 'StrReplace'].map((name) => [name, 'output-error', 'no result recorded']),
  );
  expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(4);
  expect(calls[2]?.['input']).toEqual({ command: 'npm run build' });
  expect(result.derived).toEqual([]);
});

test('keeps the same words said twice as two messages, also in a rewritten file', () => {
  const line = (text: string) => `{"role":"user","message":{"content":[{"type":"text","text":"${text}"}]}}`;
  const before = replay(['Yes.', 'Go on.', 'Yes.'].map(line), [], false, cursor);
  expect(before.messages.size).toBe(3);
  const events = replayRewritten(before, ['Yes.', 'Yes.', 'Yes.', 'Go on.'].map(line), cursor);
  // The third one stands where the second stood before: it still gets an id of its own.
  expect(assemble([...before.events, ...events]).messages.size).toBe(4);
});

test('names a damaged line, reads the rest, and keeps unknown records', () => {
  const result = read(cursor, 'damaged.jsonl');
  expect(result.problems.map(({ line }) => line)).toEqual([2, 3, 7]);
  expect(seen(result)).toEqual([
    'user: <user_query>',
    'assistant: One.',
    'assistant: Two.',
    'assistant: ',
    'assistant: odd',
    'assistant: Three.',
  ]);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as { type?: string; line?: number; text?: string }[];
  expect(raws.map(({ line, type }) => [line, type])).toEqual([
    [3, undefined],
    [4, 'turn_ended'],
    [7, undefined],
    [9, 'unknown'],
  ]);
});

test('what follows a prompt has the time at which that was sent, up to the next', () => {
  const id = '0c5a0001-0000-4000-8000-000000000001';
  const result = read(cursor, `${id}/${id}.jsonl`);
  const times = [...result.messages.values()].map(({ metadata }) => metadata['created_at']);
  expect(times.map((at) => new Date(Number(at) * 1000).toISOString().slice(11, 16))).toEqual([
    ...['18:28', '18:28', '18:28'],
    ...['18:33', '18:33'],
  ]);
  expect(result.moves.filter((move) => move.startsWith('prompt'))).toEqual([
    'prompt Find out who reads the port.',
    'prompt Thanks. Rename it.',
  ]);
});

test.each([
  ['Sunday, Aug 2, 2026, 3:51 AM (UTC-7)', '2026-08-02T10:51'],
  ['Sunday, Aug 2, 2026, 12:05 AM (UTC+05:45)', '2026-08-01T18:20'],
  ['Thursday, December 31, 2026, 12:30 PM (UTC)', '2026-12-31T12:30'],
  ['Sunday, Aug 2, 2026, 3:51 AM', undefined],
  ['Sunday, Aus 2, 2026, 3:51 AM (UTC-7)', undefined],
  ['Monday', undefined],
])('when a prompt was sent: %s', (told, expected) => {
  const tag = `<timestamp>${told}</timestamp>`;
  expect(sentAt(`${tag}\n<user_query>\nGo.\n</user_query>`)?.slice(0, 16)).toBe(expected);
  expect(sentAt(`<user_query>\n${tag}\n</user_query>`)).toBeUndefined();
});

test('a bare text is a content, but no sign of Cursor', () => {
  const line = '{"role":"user","message":{"content":"<user_query>Go.</user_query>"}}';
  expect(replay([line], [], false, cursor).moves).toEqual(['prompt Go.', 'turn']);
  expect(recogniseAgent(line)).toBeUndefined();
});
