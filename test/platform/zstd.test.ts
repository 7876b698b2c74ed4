// Zstandard is read on every Node: what other programs have written, in pieces of any size, and never more of it than is bounded.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPieces } from '../../src/platform/compressed-file.ts';
import { decompressZstd, ZstdError } from '../../src/platform/zstd.ts';
import { temporaryFolder } from '../support/store.ts';
import { bomb, stored } from '../support/zstd.ts';

const ANY = (): number => Number.POSITIVE_INFINITY;

const inPieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

const read = (bytes: Buffer, size = 1000, limit = ANY): Buffer =>
  Buffer.concat([...decompressZstd(inPieces(bytes, size), limit)].map((piece) => Buffer.from(piece)));

/** 400 lines as `zstd` itself has compressed them: with a checksum, without one. */
const LINES = Array.from(
  { length: 400 },
  (_, index) => `{"line":${index},"says":"the same words over and over, and a few more"}\n`,
).join('');
const CHECKED = Buffer.from(
  'KLUv/WRCZ6UQAJbdQxpwa4oNkIBG4GIJGWz0/xMosndKmexe639v4k0ANwA2AERERP///79t27bdtm3bkiRJkjMzMzNzVnSXA/CAUDAWCAeDguBIBAwkJA6GYmFxNAYYC4ZDgZBoHIoCBYQAotGQaCACRAChSDA4QDgEZmZWVVVVVUVERERE9P///9u2bdtt27YtSZIkOTMzMzMiIiIiInN3d3d3Z2ZmZmZWVVVVVUVEFHd3ZmZmZmZVVVVVVURERERE////v23btt22bduSJEmSMzMzMzNCoVAoFAqFQuHd3d3dnZmZBXd3d3d3ZmZmZmZVVVVVVURERERE////v23btt22bduSJEmSMzMzMzNSqVQqlUqlUund3V2Bkqgh7O3H3gGxJyXVahJIEEgQ+P//BP4B/v///f/f//////////3/////////9//////////7/////////92Rv8nf5N/kb3L//99//9///+////f7//v///3///z///7/f///d///v///3//758m/yd/kb/I3ef//7/3/7///9/9/9///+////f/9/f///v+///2////f///v99/vob4jrFM56NSBTv3n1H1OveeU85z6zqnrnHrOqTzOabZts9m22W672XbbbNtttt1utm0727bN7bbNbttmu21zu/nSt6XvSt+UPk/6lvQd6RvS//zo39G2rXbXGGREOq0PqEOAXwUqVT0s',
  'base64',
);
const UNCHECKED = Buffer.from(
  'KLUv/WBCZ6UQAJbdQxpwa4oNkIBG4GIJGWz0/xMosndKmexe639v4k0ANwA2AERERP///79t27bdtm3bkiRJkjMzMzNzVnSXA/CAUDAWCAeDguBIBAwkJA6GYmFxNAYYC4ZDgZBoHIoCBYQAotGQaCACRAChSDA4QDgEZmZWVVVVVUVERERE9P///9u2bdtt27YtSZIkOTMzMzMiIiIiInN3d3d3Z2ZmZmZWVVVVVUVEFHd3ZmZmZmZVVVVVVURERERE////v23btt22bduSJEmSMzMzMzNCoVAoFAqFQuHd3d3dnZmZBXd3d3d3ZmZmZmZVVVVVVURERERE////v23btt22bduSJEmSMzMzMzNSqVQqlUqlUund3V2Bkqgh7O3H3gGxJyXVahJIEEgQ+P//BP4B/v///f/f//////////3/////////9//////////7/////////92Rv8nf5N/kb3L//99//9///+////f7//v///3///z///7/f///d///v///3//758m/yd/kb/I3ef//7/3/7///9/9/9///+////f/9/f///v+///2////f///v99/vob4jrFM56NSBTv3n1H1OveeU85z6zqnrnHrOqTzOabZts9m22W672XbbbNtttt1utm0727bN7bbNbttmu21zu/nSt6XvSt+UPk/6lvQd6RvS//zo39G2rXbXGGREOq0PqEOAXwU=',
  'base64',
);

/** Compresses with Node itself, from 22.15 on. */
const compress = (zlib as { zstdCompressSync?: (bytes: Buffer, options?: object) => Buffer }).zstdCompressSync;

describe('Zstandard', () => {
  test.each([
    ['with a checksum', CHECKED],
    ['without one', UNCHECKED],
  ])('as zstd writes it %s is read in pieces of any size', (_, bytes) => {
    for (const size of [1, 7, 100, 100_000]) expect(read(bytes, size).toString()).toBe(LINES);
  });

  test('several frames, and what may be between them, are one text', () => {
    const skipped = Buffer.concat([Buffer.of(0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0), Buffer.from('xyz')]);
    const all = Buffer.concat([CHECKED, skipped, stored(Buffer.from('and more')), UNCHECKED]);
    expect(read(all).toString()).toBe(`${LINES}and more${LINES}`);
    expect(read(stored(Buffer.alloc(0)))).toHaveLength(0);
  });

  test('what is cut off anywhere, or has another byte anywhere, is never read as if it were whole', () => {
    for (let end = 0; end < CHECKED.length; end += 1)
      expect(() => read(CHECKED.subarray(0, end)), `cut at ${end}`).toThrow(ZstdError);
    for (let at = 0; at < CHECKED.length; at += 1) {
      const damaged = Buffer.from(CHECKED);
      damaged[at] = (damaged[at] as number) ^ 0x11;
      let text: string | null = null;
      try {
        text = read(damaged).toString();
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(ZstdError);
      }
      // A header may tell the same in another way.
      expect([null, LINES], `byte ${at}`).toContain(text);
    }
    expect(() => read(Buffer.concat([CHECKED, Buffer.from('junk behind it')]))).toThrow(ZstdError);
  });

  test('any bytes are read back as they were, and any other bytes are refused without harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4000 }), fc.nat(300), (given, size) => {
        const bytes = Buffer.from(given);
        expect(read(stored(bytes), size + 1)).toEqual(bytes);
        try {
          read(Buffer.concat([CHECKED.subarray(0, 6), bytes]), size + 1, () => 1 << 20);
        } catch (error) {
          expect(error).toBeInstanceOf(ZstdError);
        }
      }),
    );
  });

  test.skipIf(!compress)('what Node itself compresses is read, at every level', () => {
    const bytes = Buffer.concat([
      Buffer.from(LINES),
      createHash('sha512').update('x').digest(),
      Buffer.alloc(300_000, 'ab'),
    ]);
    for (const level of [1, 3, 9, 19]) {
      const params = {
        [(zlib.constants as unknown as Record<string, number>)['ZSTD_c_compressionLevel'] as number]: level,
      };
      expect(read(compress?.(bytes, { params }) as Buffer)).toEqual(bytes);
    }
  });

  test('a window that would fill the memory is refused', () => {
    expect(read(stored(Buffer.from(LINES), 25)).toString()).toBe(LINES);
    expect(() => read(stored(Buffer.from(LINES), 26))).toThrow('window');
    expect(() => read(stored(Buffer.from(LINES), 31))).toThrow('window');
  });

  test('a bomb is refused once more has come of it than of any transcript, and never held', () => {
    const file = join(temporaryFolder(), 'rollout-bomb.jsonl.zst');
    writeFileSync(file, bomb(Buffer.from(LINES), 1500));
    let [size, largest] = [0, 0];
    expect(() => {
      for (const { length } of plainPieces(file, 1 << 20)) {
        size += length;
        largest = Math.max(largest, length);
      }
    }).toThrow(`${file} cannot be decompressed: it would become far larger than any transcript.`);
    expect(size).toBeLessThanOrEqual(128 * 1024 * 1024);
    expect(largest).toBeLessThanOrEqual(128 * 1024);
  });
});
