// Tests that a remembered result of a function is returned without it, also if the function asks for itself, and that long texts are not kept.
import { expect, test } from 'vitest';
import { remembered } from '../../src/core/remembered.ts';
import { fc } from '../support/property.ts';

test('a function is asked once about equal texts', () => {
  const asked: string[] = [];
  const lengthOf = remembered((text) => asked.push(text) && text.length);
  expect(['ab', 'c', 'ab', 'c', 'c'].map(lengthOf)).toEqual([2, 1, 2, 1, 1]);
  expect(asked).toEqual(['ab', 'c']);
});

test('null is an answer that is remembered', () => {
  let asked = 0;
  const nothing = remembered(() => {
    asked++;
    return null;
  });
  expect([nothing('a'), nothing('b'), nothing('a')]).toEqual([null, null, null]);
  expect(asked).toBe(2);
});

test('a long text is judged each time, and what is known of others stays', () => {
  const asked: number[] = [];
  const lengthOf = remembered((text) => asked.push(text.length) && text.length);
  for (const length of [513, 3, 513, 3, 512, 3, 512]) expect(lengthOf('x'.repeat(length))).toBe(length);
  expect(asked).toEqual([513, 3, 513, 512]);
});

test('returns what the function returns, for any values in any order, also if the function calls itself', () => {
  const plain = (text: string): string => (text.length < 2 ? text : plain(text.slice(1)) + text.charAt(0));
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 })), (texts) => {
      const told: (text: string) => string = remembered((text) =>
        text.length < 2 ? text : told(text.slice(1)) + text.charAt(0),
      );
      expect(texts.map(told)).toEqual(texts.map(plain));
    }),
  );
});

test('returns the same for more texts than there is room for', () => {
  const lengthOf = remembered((text) => Number(text));
  for (const _ of [1, 2]) for (let count = 0; count < 2000; count++) expect(lengthOf(String(count))).toBe(count);
});
