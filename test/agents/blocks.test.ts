// Copies of records without some keys, and blocks of messages as parts.
import { expect, test } from 'vitest';
import { blockPart, without } from '../../src/agents/shared/blocks.ts';

test('a copy without keys keeps every other own key, whatever it is called', () => {
  const record = JSON.parse('{"a":1,"b":null,"__proto__":{"c":2},"constructor":3,"10":4}');
  const copy = without({ ...record, gone: undefined }, 'a');
  expect(Object.keys(without(record, 'a')).sort()).toEqual(['10', '__proto__', 'b', 'constructor']);
  expect(Object.getPrototypeOf(without(record, 'a'))).toBe(Object.prototype);
  expect(JSON.stringify(without(record))).toBe(JSON.stringify(record));
  expect(Object.hasOwn(copy, 'gone')).toBe(false);
});

const NAMES = { call: 'tool_use', input: 'input' };

test.each([
  [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  ],
  [
    { type: 'document', title: 'a.pdf', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    { type: 'file', filename: 'a.pdf', mediaType: 'application/octet-stream', url: 'https://x.test/a.pdf' },
  ],
  [
    { type: 'image', data: 'AQID', mimeType: 'image/png' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  ],
  [
    { type: 'image', source: { type: 'file', file_id: 'f' } },
    { type: 'data-image', data: { type: 'image', source: { type: 'file', file_id: 'f' } } },
  ],
  [
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
    {
      type: 'data-document',
      data: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
    },
  ],
  [
    { type: 'tool_use', name: 'Read', input: {} },
    { type: 'data-tool_use', data: { type: 'tool_use', name: 'Read', input: {} } },
  ],
])('%j becomes a part', (block, part) => expect(blockPart(block, NAMES)).toEqual(part));
