// Tests the memory of texts in which there was nothing: a few, and no more of them than there is room for.
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { engineOf, type RedactionOptions } from '../../src/secrets/options.ts';

const MIB = 1024 * 1024;

test.each<[what: string, lengths: number[], remembered: number]>([
  ['short ones', [10, 20], 0],
  ['long ones', [3000, 4000], 2],
  ['too many', Array.from({ length: 12 }, (_, index) => 3000 + 5 * index), 8],
  ['more than there is room for', [2 * MIB, MIB, 3 * MIB, MIB - 5], 3],
  ['a very long one', [14 * MIB], 0],
])('%s', (_, lengths, remembered) => {
  const options: RedactionOptions = {};
  for (const length of lengths) expect(findSecrets('word '.repeat(length / 5), options)).toEqual([]);
  expect(engineOf(options).cleanTexts.size).toBe(remembered);
});
