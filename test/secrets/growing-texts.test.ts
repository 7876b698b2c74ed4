// Tests which texts of a record continue in a later one, and that a possible secret at their end is redacted.
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { grows } from '../../src/secrets/growing-texts.ts';
import { redactValue } from '../../src/secrets/redact.ts';

/** The texts of a record that go on. */
function growingIn(value: JsonValue, whole = value, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'string'
      ? !Array.isArray(value) && grows(key, path, whole)
        ? [item]
        : []
      : growingIn(item ?? null, whole, [...path, key]),
  );
}

const tool = {
  type: 'dynamic-tool',
  toolName: 'bash',
  toolCallId: 'c',
  state: 'output-available',
  input: { command: 'in' },
};
const text = (value: string) => [{ type: 'text', text: value }];

test.each<[name: string, part: JsonObject, inPart: string[], inMessage: string[]]>([
  ['a text', { type: 'text', text: 'a' }, ['a'], ['a']],
  ['a text that is done', { type: 'text', text: 'a', state: 'done' }, [], []],
  ['a thought', { type: 'reasoning', text: 'a', signature: 's' }, ['a'], ['a']],
  ['what a tool gave', { ...tool, output: 'out' }, [], []],
  ['what a tool has given so far', { ...tool, output: 'out', preliminary: true }, ['out'], ['out']],
  ['the same in pieces', { ...tool, output: text('out'), preliminary: true }, ['text', 'out'], ['text', 'out']],
  ['what a tool takes so far', { ...tool, state: 'input-streaming' }, ['in'], ['in']],
  ['data of an agent’s own', { type: 'data-log', data: { line: 'a' }, note: 'b' }, ['a'], []],
  ['such data that is a text', { type: 'data-log', data: 'a' }, ['a'], []],
  ['a file', { type: 'file', url: 'a' }, [], []],
])('%s', (_name, part, inPart, inMessage) => {
  expect(growingIn({ kind: 'part', message_id: 'm', part })).toEqual(inPart);
  expect(growingIn({ kind: 'message', message: { id: 'm', role: 'assistant', parts: [part] } })).toEqual(inMessage);
  expect(growingIn({ kind: 'note', content: 'x', other: part })).toEqual([]);
});

test.each([
  ['a tool', (output: string) => ({ ...tool, output, preliminary: true })],
  ['a tool, in pieces', (output: string) => ({ ...tool, output: text(output), preliminary: true })],
  ['data', (data: string) => ({ type: 'data-log', data })],
])('no more of a key than its sign is left of what streams: %s', (_name, partOf) => {
  const key = ['ghp', 'Q9fK2mQ7xLp4Vt8Rz3Ws6Yb1Nc5Hd0JgTaE4'].join('_');
  const label = (): string => '00000000';
  for (let length = 9; length <= key.length; length += 1) {
    const record = {
      kind: 'part',
      message_id: 'm',
      part: partOf(`TOKEN ${key.slice(0, length)}`),
    } as unknown as JsonValue;
    const left = JSON.stringify(redactValue(record, { grows }, label).value);
    expect(/ghp_[A-Za-z0-9]*/.exec(left)?.[0] ?? '', String(length)).toHaveLength(length <= 9 ? length : 0);
  }
});
