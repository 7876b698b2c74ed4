// Transcripts of Cursor of our own writing: what they tell.
import { expect, test } from 'vitest';
import { cursor } from '../../src/agents/cursor/index.ts';
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

test('the same words said twice are two messages, also where the file was written anew', () => {
  const line = (text: string) => `{"role":"user","message":{"content":[{"type":"text","text":"${text}"}]}}`;
  const before = replay(['Yes.', 'Go on.', 'Yes.'].map(line), [], false, cursor);
  expect(before.messages.size).toBe(3);
  const events = replayRewritten(before, ['Yes.', 'Yes.', 'Yes.', 'Go on.'].map(line), cursor);
  // The third one stands where the second stood before: it still gets an id of its own.
  expect(assemble([...before.events, ...events]).messages.size).toBe(4);
});

test('damage: the line is named, the rest goes on; what is unknown is kept', () => {
  const result = read(cursor, 'damaged.jsonl');
  expect(result.problems.map(({ line }) => line)).toEqual([2, 3, 7]);
  expect(seen(result)).toEqual([
    'user: <user_query>',
    'assistant: One.',
    'assistant: Two.',
    'assistant: ',
    'assistant: Three.',
  ]);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as { type?: string; line?: number; text?: string }[];
  expect(raws.map(({ line, type }) => [line, type])).toEqual([
    [3, undefined],
    [4, 'turn_ended'],
    [6, 'unknown'],
    [7, undefined],
  ]);
});
