// Small objects at hand: the last ones, up to a number of bytes, whatever they were cut out of.
import { expect, test } from 'vitest';
import { ObjectCache } from '../../src/git/objects/object-cache.ts';

const blob = (text: string) => ({ type: 'blob' as const, content: Buffer.from(text) });

test('an object comes back as it was put in, byte for byte, though its buffer is used again', () => {
  const held = new ObjectCache(300, 1_000);
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  held.put('a', { type: 'tree', content });
  content.fill(0);
  expect(held.get('a')).toEqual({ type: 'tree', content: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) });
});

test('what is larger than each may be is not held, and what was put in longest ago goes first', () => {
  const held = new ObjectCache(4, 10);
  const names = ['a', 'b', 'c', 'd'];
  held.put('large', blob('12345'));
  for (const name of names) held.put(name, blob(name.repeat(4)));
  expect(['large', ...names].filter((name) => held.has(name))).toEqual(['c', 'd']);
  expect(held.get('a')).toBeUndefined();
  expect(held.get('d')).toEqual(blob('dddd'));
});

test('what is put in twice counts once', () => {
  const held = new ObjectCache(4, 10);
  for (const name of ['a', 'b', 'b', 'b']) held.put(name, blob(name.repeat(4)));
  expect(held.has('a')).toBe(true);
});
