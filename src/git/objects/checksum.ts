/** The checksum at the end of packs and of Git's caches of them: the SHA-1 of everything before it. */
import { RunningHash } from '../../platform/hash.ts';
import { readHandle, readPlainPieces } from '../../platform/pieces.ts';
import { readEnd } from '../../platform/plain-files.ts';

/** Length of the checksum, in bytes. */
export const CHECKSUM = 20;
/** Bytes that are read at once. */
const PIECE = 1024 * 1024;

/** The reason for a file with a wrong checksum. */
export const NOT_ITS_CHECKSUM = 'its bytes are not those of its checksum';

/** Returns whether the checksum of a file matches its content. @throws {CtxError} io */
export const endsInItsChecksum = (path: string): boolean => addUp(readPlainPieces(path, PIECE));

/** Returns whether the checksum of an open file matches its content, whatever has become of its name. */
export const isWhole = (handle: number): boolean => addUp(readHandle(handle, PIECE, 0));

/** Returns the checksum that a file ends with, right or wrong, in hexadecimal. @throws the file system's own error */
export const checksumOf = (path: string): string => readEnd(path, CHECKSUM).toString('hex');

function addUp(pieces: Iterable<Buffer>): boolean {
  const hash = new RunningHash('sha1');
  let tail = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = Buffer.concat([tail, piece]);
    const kept = Math.max(0, bytes.length - CHECKSUM);
    hash.update(bytes.subarray(0, kept));
    tail = bytes.subarray(kept);
  }
  return tail.length === CHECKSUM && hash.digest() === tail.toString('hex');
}
