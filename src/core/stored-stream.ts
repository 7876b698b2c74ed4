/** Zlib streams (RFC 1950, RFC 1951) of one stored block: to write one is to copy. */
import { adler32 } from './digest.ts';

/** Longest content of such a stream. */
export const STORED_LIMIT = 0xffff;

/** A zlib stream that holds up to STORED_LIMIT bytes as they are; as small on disk as a compressed one below a block. */
export function storedStream(bytes: Buffer): Buffer {
  const stream = Buffer.alloc(bytes.length + 11);
  // Deflate, window of 32 KiB, fastest; then one block, the last one, stored.
  stream[0] = 0x78;
  stream[1] = 0x01;
  stream[2] = 0x01;
  stream.writeUInt16LE(bytes.length, 3);
  stream.writeUInt16LE(~bytes.length & 0xffff, 5);
  bytes.copy(stream, 7);
  stream.writeUInt32BE(adler32(bytes), bytes.length + 7);
  return stream;
}

/** Whether a stream is one stored block: to read it is to copy it. */
export const isStored = (stream: Buffer): boolean =>
  stream.length <= STORED_LIMIT + 11 && stream[0] === 0x78 && ((stream[2] as number) & 0x07) === 0x01;
