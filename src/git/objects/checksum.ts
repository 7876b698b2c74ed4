/** The checksum that packs end in, and all that Git makes of them: the SHA-1 of what stands before it. */
import { RunningHash } from '../../platform/hash.ts';
import { readHandle, readPlainPieces } from '../../platform/pieces.ts';
import { readEnd } from '../../platform/plain-files.ts';

/** Its length, in bytes. */
export const CHECKSUM = 20;
/** How much is read at once, in bytes. */
const PIECE = 1024 * 1024;

/** What is said of a file that does not end in it. */
export const NOT_ITS_CHECKSUM = 'its bytes are not those of its checksum';

/** Whether a file is what its last bytes say, as a whole. @throws {CtxError} io */
export const endsInItsChecksum = (path: string): boolean => addUp(readPlainPieces(path, PIECE));

/** The same of an open file, whatever has become of its name. */
export const isWhole = (handle: number): boolean => addUp(readHandle(handle, PIECE, 0));

/** What a file says that it is, right or wrong, hexadecimal. @throws the file system's own error */
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
