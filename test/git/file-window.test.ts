// Ranges of a file that does not change: what is read directly and what is read through windows are the same bytes.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileWindows } from '../../src/git/objects/file-window.ts';

const SIZE = 1_500_000;
const content = Buffer.from(Uint8Array.from({ length: SIZE }, (_, index) => (index * 31 + (index >> 8)) & 255));
let folder = '';
let handle = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctx-window-'));
  writeFileSync(join(folder, 'file'), content);
  handle = openSync(join(folder, 'file'), 'r');
});

afterAll(() => {
  closeSync(handle);
  rmSync(folder, { recursive: true });
});

/** Reads the first ranges away, so that later ones go through windows. */
function warm(): FileWindows {
  const windows = new FileWindows(handle);
  for (let index = 0; index < 40; index += 1) windows.read(index, 1);
  return windows;
}

test('every range reads as the same bytes of the file, directly and through windows', () => {
  const range = fc.record({ offset: fc.nat(SIZE + 10), length: fc.oneof(fc.nat(2_000), fc.nat(300_000)) });
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 80 }), (ranges) => {
      const windows = new FileWindows(handle);
      for (const { offset, length } of ranges) {
        const read = windows.read(offset, length);
        const isWithin = offset + length <= SIZE;
        expect(read === null ? null : Buffer.compare(read, content.subarray(offset, offset + length))).toBe(
          isWithin ? 0 : null,
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('a range that a window gave keeps its bytes while other windows are read', () => {
  const windows = warm();
  const first = windows.read(100, 50) as Buffer;
  for (let offset = 0; offset + 10 < SIZE; offset += 100_000) windows.read(offset, 10);
  expect(first.equals(content.subarray(100, 150))).toBe(true);
});

test('a range beyond the end of the file is null, also when its window is at hand', () => {
  const windows = warm();
  expect(windows.read(SIZE - 4, 4)?.length).toBe(4);
  expect(windows.read(SIZE - 4, 5)).toBeNull();
});
