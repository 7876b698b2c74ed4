// Our own zlib streams, held to the machine's.
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { STORED_LIMIT, storedStream } from '../../src/core/stored-stream.ts';
import { inflateStream, ZlibStreamError } from '../../src/core/zlib-stream.ts';
import { fc } from '../support/property.ts';

/** Contents that make every kind of block: random, repetitive, text, empty. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }).map((array) => Buffer.from(array)),
  fc
    .array(fc.tuple(fc.string({ maxLength: 20 }), fc.integer({ min: 1, max: 400 })), { maxLength: 8 })
    .map((parts) => Buffer.from(parts.map(([text, count]) => text.repeat(count)).join(''))),
  // The repetition lies far behind: up to the whole window of 32 KiB.
  fc
    .tuple(fc.uint8Array({ minLength: 200, maxLength: 200 }), fc.integer({ min: 0, max: 33_000 }))
    .map(([piece, far]) => Buffer.concat([piece, Buffer.alloc(far, piece.subarray(0, 7)), piece, piece])),
  fc
    .array(fc.constantFrom('the ', 'quick ', 'brown ', 'fox ', '{"kind":"note"', '0123456789', '\n'), {
      maxLength: 2_000,
    })
    .map((words) => Buffer.from(words.join(''))),
);
const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(
    zlib.constants.Z_DEFAULT_STRATEGY,
    zlib.constants.Z_FIXED,
    zlib.constants.Z_HUFFMAN_ONLY,
    zlib.constants.Z_RLE,
  ),
  memLevel: fc.constantFrom(1, 8),
  windowBits: fc.constantFrom(9, 15),
});

/** Reads a stream: returns the content, or the reason of the failure. */
function read(stream: Buffer, limit = 1_000_000): { content: Buffer; used: number } | ZlibStreamError['reason'] {
  try {
    return inflateStream(stream, limit);
  } catch (error) {
    if (error instanceof ZlibStreamError) return error.reason;
    throw error;
  }
}

const holds = (result: ReturnType<typeof read>, bytes: Buffer, used?: number): boolean =>
  typeof result === 'object' && result.content.equals(bytes) && (used === undefined || result.used === used);

describe('inflating', () => {
  test('what zlib deflates, at every level and by every strategy, with more behind it', () => {
    fc.assert(
      fc.property(content, options, fc.uint8Array({ maxLength: 9 }), (bytes, how, behind) => {
        const stream = zlib.deflateSync(bytes, how);
        const result = read(Buffer.concat([stream, behind]));
        expect(holds(result, bytes, stream.length)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test('a stream cut off anywhere is too short, and nothing else', () => {
    for (const how of [{ level: 0 }, { level: 9 }, { level: 9, strategy: zlib.constants.Z_FIXED }]) {
      const stream = zlib.deflateSync(
        Buffer.from('the quick brown fox jumps over the lazy dog, the quick '.repeat(9)),
        how,
      );
      for (let length = 0; length < stream.length; length += 1) expect(read(stream.subarray(0, length))).toBe('short');
    }
  });

  test('a stream with a flipped bit gives what zlib gives, or is refused', () => {
    const bytes = Buffer.from(`${'the quick brown fox '.repeat(5)}${'0123456789abcdef'.repeat(8)}jumps`);
    let refused = 0;
    for (const how of [{ level: 0 }, { level: 6 }, { level: 6, strategy: zlib.constants.Z_FIXED }]) {
      const stream = zlib.deflateSync(bytes, how);
      for (let bit = 0; bit < stream.length * 8; bit += 1) {
        const flipped = Buffer.from(stream);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const ours = read(flipped);
        let theirs: Buffer | null = null;
        try {
          theirs = zlib.inflateSync(flipped);
        } catch {
          refused += 1;
        }
        // If zlib refuses for its own reasons, the checksum still says that nothing else comes out.
        const right = theirs ? holds(ours, theirs) : typeof ours === 'string' || holds(ours, bytes);
        if (!right) expect.fail(`bit ${bit} of a stream of ${JSON.stringify(how)} gave ${JSON.stringify(ours)}`);
      }
    }
    expect(refused).toBeGreaterThan(1_000);
  });

  test('random bytes are refused, without haste or harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (array) => {
        const bytes = Buffer.from([0x78, 0x9c, ...array]);
        expect(['broken', 'short', 'large']).toContain(read(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, Buffer]>([
    ['another method', Buffer.from([0x79, 0x9b, 0x03, 0, 0, 0, 0, 1])],
    ['a header that does not add up', Buffer.from([0x78, 0x9d, 0x03, 0, 0, 0, 0, 1])],
    ['a dictionary', zlib.deflateSync('x', { dictionary: Buffer.from('abc') })],
    ['a window that is too large', Buffer.from([0x88, 0x1c, 0x03, 0, 0, 0, 0, 1])],
    ['a block of the kind that there is none of', Buffer.from([0x78, 0x9c, 0x07, 0, 0, 0, 0, 1])],
    ['a wrong checksum', Buffer.from([0x78, 0x9c, 0x03, 0, 0, 0, 0, 2])],
    ['a gzip', zlib.gzipSync('x')],
  ])('%s is refused', (_words, bytes) => {
    expect(read(bytes)).toBe('broken');
  });

  test('more than the limit is not made', () => {
    const bomb = zlib.deflateSync(Buffer.alloc(5_000_000));
    expect(read(bomb, 4_999_999)).toBe('large');
    expect(read(bomb, 5_000_000)).toMatchObject({ used: bomb.length });
    expect(read(zlib.deflateSync(Buffer.alloc(0)), 0)).toEqual({ content: Buffer.alloc(0), used: 8 });
    expect(read(zlib.deflateSync('x', { level: 0 }), 0)).toBe('large');
    expect(read(zlib.deflateSync('x', { level: 9 }), 0)).toBe('large');
  });
});

describe('storing', () => {
  test('zlib reads it back, and so do we', () => {
    fc.assert(
      fc.property(content, (bytes) => {
        const stream = storedStream(bytes.subarray(0, STORED_LIMIT));
        expect(zlib.inflateSync(stream).equals(bytes.subarray(0, STORED_LIMIT))).toBe(true);
        expect(holds(read(stream), bytes.subarray(0, STORED_LIMIT), stream.length)).toBe(true);
      }),
    );
    const most = Buffer.alloc(STORED_LIMIT, 0xff);
    expect(zlib.inflateSync(storedStream(most)).equals(most)).toBe(true);
    expect(storedStream(Buffer.alloc(0))).toHaveLength(11);
  });
});
