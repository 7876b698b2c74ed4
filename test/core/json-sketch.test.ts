// A large JSON text becomes a short one that tells the same at a glance, in whatever pieces it comes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonSketch } from '../../src/core/json-sketch.ts';

/** The sketch of a text that comes in pieces of a size, as a value. */
function sketched(text: string, size = 1 << 20): unknown {
  const sketch = new JsonSketch();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !sketch.isOver; at += size) sketch.write(bytes.subarray(at, at + size));
  return JSON.parse(sketch.text);
}

test.each([
  ['a small value stays as it is', { a: 1, b: [true, null, -1.5e3], c: { d: 'é "q" \\ \n', e: [] }, f: {} }, 'same'],
  ['a long text is empty', { a: 'x'.repeat(1000), b: 'y'.repeat(500) }, { a: '', b: 'y'.repeat(500) }],
  ['of a long list the beginning is there', { a: Array(100).fill(1) }, { a: Array(64).fill(1) }],
  ['a value deep down is empty', { a: [[[[[[{ b: 1 }]]]]]] }, { a: [[[[[[]]]]]] }],
])('%s', (_, value, expected) => {
  const shown = expected === 'same' ? value : expected;
  for (const size of [1, 2, 3, 7, 1 << 20]) {
    expect(sketched(JSON.stringify(value), size)).toEqual(shown);
    expect(sketched(JSON.stringify(value, null, 2), size)).toEqual(shown);
  }
});

test('keeps the fields after a large value, however large it is', () => {
  const large = { list: Array.from({ length: 9000 }, (_, n) => ({ n, text: 'x'.repeat(300) })) };
  const told = sketched(
    JSON.stringify({ first: large, second: large, third: large, fourth: large, id: 'abc' }),
  ) as Record<string, unknown>;
  expect(told['id']).toBe('abc');
  expect(JSON.stringify(told).length).toBeLessThan(64 * 1024);
  const fields = Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`key${n}`, 'x'.repeat(300)]));
  expect(JSON.stringify(sketched(JSON.stringify(fields))).length).toBeLessThan(64 * 1024);
});

describe('a text that is cut off has an end of its own', () => {
  test.each([
    ['{"a":"x', { a: 'x' }],
    ['{"a":"x\\', { a: 'x' }],
    [`{"a":"${'x'.repeat(600)}`, { a: '' }],
    ['{"a":[1,{"b":', { a: [1, { b: null }] }],
    ['{"a":1,"b', { a: 1, b: null }],
    ['{"a":1,', { a: 1 }],
    ['{', {}],
  ])('%s', (text, expected) => expect(sketched(text, 1)).toEqual(expected));
});

test('it ends with its outermost value', () => {
  const sketch = new JsonSketch();
  expect(sketch.write(Buffer.from('{"a":1}\n{"b":2}'))).toBe(7);
  expect([sketch.isOver, sketch.text]).toEqual([true, '{"a":1}']);
});

test('any JSON gives JSON, the same in whatever pieces it comes', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (value, size) => {
      const text = JSON.stringify(value);
      expect(sketched(text, size)).toEqual(sketched(text));
      const names = Object.keys(JSON.parse(text));
      expect(Object.keys(sketched(text, size) as object)).toEqual(names);
    }),
  );
});
