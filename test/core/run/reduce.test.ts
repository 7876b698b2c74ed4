// Chunks become a message: what the AI SDK's own reducer makes of them, at every place where a stream may be cut.

import { parsePartialJson } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Chunk } from '../../../src/core/run/chunk.ts';
import { partialJson } from '../../../src/core/run/partial-json.ts';
import { newReduction, partsOf, reduceChunk, type UIPart } from '../../../src/core/run/reduce.ts';
import { chunksOf } from '../../../src/core/run/replay.ts';
import { storedPart, uiPart } from '../../../src/core/run/stored-part.ts';
import { messageOf, streamNamed } from '../../support/ui-streams.ts';

const reduce = (chunks: readonly Chunk[]) => {
  const reduction = newReduction();
  for (const chunk of chunks) reduceChunk(reduction, chunk);
  return reduction;
};
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The parts as version 6 of the AI SDK has them: it keeps an input that is wrong under another key. */
const asVersion6 = (parts: readonly UIPart[]): UIPart[] =>
  parts.map(({ input_error, ...part }) => {
    if (input_error !== true) return part as UIPart;
    const { input, ...rest } = part as UIPart;
    return { ...rest, rawInput: input } as UIPart;
  });

test.each(['v5', 'v6', 'v7'] as const)(
  'The reducer agrees with that of the AI SDK after every chunk of the stream of %s.',
  async (name) => {
    const chunks = streamNamed(name).filter(({ type }) => !['custom', 'reasoning-file'].includes(type));
    for (let end = 1; end <= chunks.length; end += 1) {
      const prefix = chunks.slice(0, end);
      const theirs = await messageOf(prefix);
      const ours = reduce(prefix);
      expect(asVersion6(plain(partsOf(ours)))).toEqual(theirs?.parts ?? []);
      expect(ours.metadata ?? {}).toEqual(theirs?.metadata ?? {});
    }
  },
);

test.each(['v5', 'v6', 'v7', 'long'] as const)(
  'A message is replayed as chunks that make the same message: %s, cut anywhere.',
  async (name) => {
    const chunks = streamNamed(name);
    const step = name === 'long' ? 37 : 1;
    for (let end = 1; end <= chunks.length; end += step) {
      const prefix = chunks.slice(0, end);
      const { metadata, end: stream_end, ...reduction } = reduce(prefix);
      const parts = plain(partsOf({ ...reduction, metadata, end: stream_end }).map(storedPart));
      const again = [...chunksOf({ id: 'msg_recorded', parts, metadata: { message_metadata: metadata, stream_end } })];
      expect(partsOf(reduce(again))).toEqual(parts.map(uiPart));
      const [theirs, replayed] = [await messageOf(prefix), await messageOf(again)];
      expect(replayed?.parts).toEqual(theirs?.parts ?? []);
      expect(replayed?.metadata).toEqual(theirs?.metadata);
    }
  },
);

test('Kinds of chunks that nobody knows are kept whole, and replayed as they came.', () => {
  const odd: Chunk = { type: 'hologram', depth: { of: [1, 2] }, text: 'kept' };
  const parts = partsOf(reduce([{ type: 'start' }, odd])).map(storedPart);
  expect(parts).toEqual([
    { type: 'data-hologram', data: { depth: { of: [1, 2] }, text: 'kept' }, ui: { type: 'hologram' } },
  ]);
  expect([...chunksOf({ id: 'm', parts })]).toContainEqual(odd);
});

test('A piece of a text or of an input whose beginning is missing is kept.', () => {
  const parts = partsOf(
    reduce([
      { type: 'text-delta', id: '7', delta: 'late' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":"b' },
    ]),
  );
  expect(parts).toMatchObject([
    { type: 'text', text: 'late', state: 'streaming' },
    { toolCallId: 'c', state: 'input-streaming', input: { a: 'b' }, rawInput: '{"a":"b' },
  ]);
});

test('A step that is reset takes its parts back.', () => {
  const parts = partsOf(
    reduce([
      { type: 'start-step' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'first' },
      { type: 'start-step' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'wrong' },
      { type: 'reset-step' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'right' },
    ]),
  );
  expect(parts.map(({ type, text }) => text ?? type)).toEqual(['step-start', 'first', 'step-start', 'right']);
});

test('What a message used is the sum of what its steps report; no other chunk counts.', () => {
  const step = (usage: object): Chunk => ({
    type: 'data-ctx-step',
    transient: true,
    data: { usage, cost_usd: 0.25 } as never,
  });
  const { usage, step_usage, cost_usd } = reduce([
    { type: 'start' },
    step({ inputTokens: 1200, outputTokens: 80, inputTokenDetails: { cacheReadTokens: 1000, cacheWriteTokens: 50 } }),
    { type: 'finish-step', usage: { inputTokens: 1200 } },
    step({ inputTokens: 1300, outputTokens: 20, reasoningTokens: 5 }),
    { type: 'finish', messageMetadata: { usage: { inputTokens: 99_999 } } },
  ]);
  expect(usage).toEqual({ input: 1450, output: 95, reasoning: 5, cache_read: 1000, cache_write: 50 });
  expect(step_usage).toEqual({ input: 1300, output: 15, reasoning: 5 });
  expect(cost_usd).toBe(0.5);
});

test('JSON that has not come whole reads as the AI SDK reads it, wherever it is cut.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.nat(), async (value, at) => {
      const text = JSON.stringify(value);
      // The AI SDK refuses JSON with such keys.
      fc.pre(!/__proto__|constructor/.test(text));
      const piece = text.slice(0, at % (text.length + 1));
      // Of a number that is cut behind its sign, its point or in its exponent the AI SDK makes one thing or another.
      fc.pre(!/[-+.]$|\de/.test(piece));
      const { value: theirs } = await parsePartialJson(piece);
      expect(partialJson(piece)).toEqual(theirs);
    }),
    { numRuns: 400 },
  );
});
