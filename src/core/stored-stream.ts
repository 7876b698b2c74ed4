/** Zlib streams (RFC 1950, RFC 1951) of one stored block: to write one is to copy. */
import { adler32 } from './digest.ts';

/** Longest content of such a stream. */
export const STORED_LIMIT = 0xffff;

/** A zlib stream that holds up to STORED_LIMIT bytes as they are; as small on disk as a compressed one below a block. */
export function storedStream(bytes: Buffer): Buffer {
  const stream = Buffer.allocUnsafe(bytes.length + 11);
  // V8's own: by what a Buffer writes numbers and copies, Node would compile in every process.
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  // Deflate, window of 32 KiB, fastest; then one block, the last one, stored.
  stream[0] = 0x78;
  stream[1] = 0x01;
  stream[2] = 0x01;
  view.setUint16(3, bytes.length, true);
  view.setUint16(5, ~bytes.length, true);
  stream.set(bytes, 7);
  view.setUint32(bytes.length + 7, adler32(bytes));
  return stream;
}

/** Checks if a stream is one stored block: to read it is to copy it. */
export const isStored = (stream: Buffer): boolean =>
  stream.length <= STORED_LIMIT + 11 && stream[0] === 0x78 && ((stream[2] as number) & 0x07) === 0x01;
