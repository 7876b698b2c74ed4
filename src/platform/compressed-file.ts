/** Reads a file of lines that its program may have compressed in place: `….jsonl`, or `….jsonl.zst` instead of it. */
import { CtxError } from '../core/errors.ts';
import { exists } from './files.ts';
import { readPieces } from './pieces.ts';
import { decompressZstd, ZstdError } from './zstd.ts';

const SUFFIX = '.zst';

/** Returns whether a file is compressed, by its name. */
export const isCompressed = (path: string): boolean => /\.jsonl?\.zst$/.test(path);

/** Returns the name that a file has when it is not compressed. */
export const plainName = (path: string): string => (isCompressed(path) ? path.slice(0, -SUFFIX.length) : path);

/** Returns whether the plain form of a compressed file is beside it: its program continues to write to the plain one. */
export const hasPlainForm = (path: string): boolean => isCompressed(path) && exists(plainName(path));

/** Returns the path where a file is now: its own, or that of its other form if it has been compressed or decompressed since. */
export function presentForm(path: string): string {
  if (exists(path)) return path;
  const other = isCompressed(path) ? plainName(path) : `${path}${SUFFIX}`;
  return /\.jsonl?$/.test(plainName(path)) && exists(other) ? other : path;
}

/** Compressed bytes that are read at a time. */
const PIECE = 16 * 1024;
/**
 * Largest decompressed size of any file; a larger file may have TIMES bytes for each compressed one (transcripts have about
 * ten).
 */
const ALWAYS = 128 * 1024 * 1024;
const TIMES = 256;

/**
 * Reads the decompressed bytes of a file in chunks of at most `size` bytes; a chunk is only valid until the next one is
 * requested.
 * @throws {CtxError} io; invalid_input, if the file is compressed and damaged
 */
export function* plainPieces(path: string, size: number, start = 0): Generator<Buffer> {
  if (!isCompressed(path)) {
    yield* readPieces(path, size, start);
    return;
  }
  let at = 0;
  try {
    for (const piece of decompressZstd(readPieces(path, PIECE), (taken) => Math.max(ALWAYS, TIMES * taken))) {
      const rest = piece.subarray(Math.max(0, start - at));
      for (let from = 0; from < rest.length; from += size) yield rest.subarray(from, from + size);
      at += piece.length;
    }
  } catch (error) {
    throw error instanceof ZstdError ? unreadable(path, error.message) : error;
  }
}

const unreadable = (path: string, why: string): CtxError =>
  new CtxError('invalid_input', `${path} cannot be decompressed: ${why}.`, {
    data: { unread: 'damaged' },
    hint: `Nothing of it was taken. Check it with: zstd --test ${path}`,
  });
