// Hashes and compression: the small ways and the machine's own give the same, whichever is loaded.
import { createHash, createHmac } from 'node:crypto';
import zlib from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';

/** Fresh copies of the modules: nothing of the machine's is loaded yet. */
let compression: typeof import('../../src/platform/compression.ts');
let hash: typeof import('../../src/platform/hash.ts');
beforeEach(async () => {
  vi.resetModules();
  compression = await import('../../src/platform/compression.ts');
  hash = await import('../../src/platform/hash.ts');
});

/** Sizes around every limit at which another way is taken. */
const SIZES = [0, 1, 3_999, 4_000, 4_001, 8_181, 8_192, 8_193, 16_383, 16_384, 16_385, 65_535, 65_536, 200_000];
const CONTENTS = SIZES.flatMap((size) => [Buffer.alloc(size, 'ab'), noise(size)]);

/** Bytes that no compression makes smaller. */
function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 88_172_645;
  for (let at = 0; at < size; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}

describe.each([
  ['nothing loaded', false],
  ['the machine’s loaded', true],
])('%s', (_words, load) => {
  beforeEach(() => {
    if (!load) return;
    compression.deflate(Buffer.alloc(100_000));
    hash.sha256(Buffer.alloc(100_000));
  });

  test('what is deflated inflates to the same, by zlib and by us, and says how long it was', () => {
    for (const bytes of CONTENTS) {
      const stream = compression.deflate(bytes);
      expect(zlib.inflateSync(stream).equals(bytes), String(bytes.length)).toBe(true);
      const { content, used } = compression.inflate(Buffer.concat([stream, Buffer.from('more')]), bytes.length);
      expect([content.equals(bytes), used], String(bytes.length)).toEqual([true, stream.length]);
    }
  });

  test('what Git deflates inflates too', () => {
    for (const bytes of CONTENTS) {
      const stream = zlib.deflateSync(bytes);
      expect(compression.inflate(stream, bytes.length).content.equals(bytes), String(bytes.length)).toBe(true);
    }
  });

  test('a small content uses only the memory of its length, so that many of them use no more', () => {
    for (const size of [100, 1_000, 3_000]) {
      const bytes = Buffer.alloc(size, 'abc');
      const zipped = zlib.deflateSync(bytes);
      for (const [stream, expected] of [
        [compression.deflate(bytes), 0],
        [zipped, 0],
        [zipped, size],
      ] as const) {
        const { content } = compression.inflate(stream, 1_000_000, expected);
        expect(content.equals(bytes)).toBe(true);
        expect(content.buffer.byteLength, `${size} bytes`).toBeLessThanOrEqual(8_192);
      }
    }
  });

  test.each([100, 100_000])('why %i bytes cannot be inflated', (size) => {
    const stream = zlib.deflateSync(noise(size));
    const why = (bytes: Buffer, limit = size): unknown => {
      try {
        return compression.inflate(bytes, limit);
      } catch (error) {
        expect(error).toBeInstanceOf(compression.ZlibStreamError);
        return (error as { reason: string }).reason;
      }
    };
    const flipped = Buffer.from(stream);
    flipped[flipped.length - 1] = (flipped.at(-1) as number) ^ 1;
    expect(why(stream.subarray(0, -1))).toBe('short');
    expect(why(Buffer.alloc(0))).toBe('short');
    expect(why(stream, size - 1)).toBe('large');
    expect(why(flipped)).toBe('broken');
    expect(why(Buffer.from('no zlib stream'))).toBe('broken');
  });

  test('hashes are those of node:crypto', () => {
    for (const bytes of CONTENTS) {
      expect(hash.sha1(bytes)).toBe(createHash('sha1').update(bytes).digest('hex'));
    }
    for (const bytes of CONTENTS) {
      const wanted = createHash('sha256').update(bytes).digest('hex');
      expect(hash.sha256(bytes)).toBe(wanted);
      const running = new hash.RunningHash('sha256');
      for (let at = 0; at < bytes.length; at += 5000) {
        running.update(bytes.subarray(at, at + 5000));
        // To look at what there is so far changes nothing.
        const soFar = bytes.subarray(0, at + 5000);
        expect(running.digest()).toBe(createHash('sha256').update(soFar).digest('hex'));
      }
      expect(running.digest()).toBe(wanted);
    }
    expect(hash.sha256('é')).toBe(hash.sha256(Buffer.from('é')));
    for (const key of ['', 'key', 'k'.repeat(65)]) {
      const wanted = createHmac('sha256', key).update('é').digest('hex');
      expect(hash.hmacSha256(Buffer.from(key), 'é')).toBe(wanted);
    }
  });

  test('random bytes are all different', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 2_000; round += 1) {
      const bytes = Buffer.alloc(16);
      hash.fillRandom(bytes);
      seen.add(bytes.toString('hex'));
    }
    expect(seen.size).toBe(2_000);
    const many = Buffer.alloc(5_000);
    hash.fillRandom(many);
    expect(new Set(many).size).toBe(256);
  });
});

test.each([
  ['of this Node', (zlib as Machine).crc32],
  ['of a Node that has none', undefined],
])('CRC-32 %s is the one that is defined, at once and in parts', async (_, machine) => {
  const own = (zlib as Machine).crc32;
  (zlib as Machine).crc32 = machine;
  try {
    const { crc32 } = await import('../../src/git/objects/pack-writer.ts');
    const bytes = Buffer.from('123456789');
    expect(crc32(bytes).toString(16)).toBe('cbf43926');
    expect(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4)))).toBe(0xcbf43926);
    expect(crc32(Buffer.alloc(0))).toBe(0);
  } finally {
    (zlib as Machine).crc32 = own;
  }
});

/** Younger than the oldest Node that ctx runs on. */
interface Machine {
  crc32?: ((bytes: Uint8Array, before?: number) => number) | undefined;
}
