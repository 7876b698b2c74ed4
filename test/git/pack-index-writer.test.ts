// The index of a pack as we write it: every object is found at its offset, however large, and the sums are what they must be.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crc32 } from '../../src/core/crc32.ts';
import { openPackIndex } from '../../src/git/objects/pack-index.ts';
import { encodeIndex } from '../../src/git/objects/pack-index-writer.ts';
import { sha1 } from '../../src/platform/hash.ts';
import { temporaryFolder } from '../support/store.ts';

const oidOf = (index: number): string => sha1(Buffer.from(String(index)));

test.each([0, 1, 700])('%i objects, of which every third lies beyond 2 GiB', (count) => {
  const entries = Array.from({ length: count }, (_, index) => ({
    oid: oidOf(index),
    offset: index % 3 === 2 ? 2 ** 31 + index * 2 ** 20 : 12 + index,
    crc: index,
  }));
  const path = join(temporaryFolder(), 'pack-x.idx');
  const pack = Buffer.alloc(20, 7);
  writeFileSync(path, encodeIndex(entries, pack));
  const index = openPackIndex(path);
  index.check();
  expect(index.pack).toBe(pack.toString('hex'));
  for (const { oid, offset } of entries) expect(index.find(oid)).toBe(offset);
  expect(index.find(oidOf(count))).toBeNull();
  expect([...index.entries()].map(({ oid }) => oid)).toEqual(entries.map(({ oid }) => oid).sort());
  index.close();
});

test('the CRC-32 of bytes, at once and in parts', () => {
  const bytes = Buffer.from('123456789');
  expect(crc32(bytes).toString(16)).toBe('cbf43926');
  expect(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4)))).toBe(crc32(bytes));
  expect(crc32(Buffer.alloc(0))).toBe(0);
});
