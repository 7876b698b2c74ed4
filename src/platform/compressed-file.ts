/** A file of lines that its program may have compressed in place: `….jsonl`, or `….jsonl.zst` in its stead. */
import { CtxError } from '../core/errors.ts';
import { exists } from './files.ts';
import { readPieces } from './pieces.ts';
import { decompressZstd, ZstdError } from './zstd.ts';

const SUFFIX = '.zst';

/** Whether a file is compressed, by its name. */
export const isCompressed = (path: string): boolean => /\.jsonl?\.zst$/.test(path);

/** The name that a file has where it is not compressed. */
export const plainName = (path: string): string => (isCompressed(path) ? path.slice(0, -SUFFIX.length) : path);

/** Whether the plain form of a compressed file stands beside it: that is the one that its program goes on with. */
export const hasPlainForm = (path: string): boolean => isCompressed(path) && exists(plainName(path));

/** Where a file lies now: under its own name, or in its other form where it has been compressed or decompressed since. */
export function presentForm(path: string): string {
  if (exists(path)) return path;
  const other = isCompressed(path) ? plainName(path) : `${path}${SUFFIX}`;
  return /\.jsonl?$/.test(plainName(path)) && exists(other) ? other : path;
}

/** Compressed bytes that are read at a time. */
const PIECE = 16 * 1024;
/** So much may become of any file; beyond it so many bytes of each compressed one: transcripts come to some ten. */
const ALWAYS = 128 * 1024 * 1024;
const TIMES = 256;

/**
 * The bytes of a file as they are in its plain form, in pieces of at most `size` bytes; a piece is only valid until the next one
 * is asked for.
 * @throws {CtxError} io; invalid_input, where it is compressed and damaged
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
