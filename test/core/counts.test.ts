// Counts by name, whatever the names are.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCounts, count, noCounts } from '../../src/core/counts.ts';

const NAMES = ['constructor', '__proto__', 'hasOwnProperty', 'github-token', ''];

test.each(NAMES)('counts what is called %j', (name) => {
  const counts = noCounts();
  count(counts, name);
  count(counts, name, 2);
  expect(Object.entries(counts)).toEqual([[name, 3]]);
  expect(JSON.parse(JSON.stringify(counts))[name]).toBe(3);
});

test('adds counts up, and passes over what is none', () => {
  expect({ ...addCounts({ a: 1, b: 2, c: -1, d: 'x' }, { b: 3, e: 0.5 }) }).toEqual({ a: 1, b: 5 });
  for (const none of [null, undefined, 7, 'text', [1]]) expect({ ...addCounts(none, { a: 1 }) }).toEqual({ a: 1 });
});

test('of any two it is the same in both orders', () => {
  const counts = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), fc.nat());
  const sorted = (sum: object): unknown => Object.entries(sum).sort(([one], [other]) => (one < other ? -1 : 1));
  fc.assert(
    fc.property(counts, counts, (one, other) => {
      expect(sorted(addCounts(one, other))).toEqual(sorted(addCounts(other, one)));
    }),
  );
});
