/** Reads the texts that commands are given: short ones as strings, long ones from standard input or a file in pieces. */
import { resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { INLINE_LIMIT, PREVIEW_LENGTH, type Stub } from '../../core/externalise.ts';
import { head } from '../../core/text.ts';
import { CHUNK_SIZE, CHUNKED_FROM, type ObjectWriter, storeContent } from '../../git/objects/payload.ts';
import type { PayloadRef } from '../../history/pending/pending.ts';
import { exists } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';

/** A text, or its bytes in pieces of CHUNK_SIZE, read once. */
export type TextInput = string | Iterable<Buffer>;

/** Reads the first pieces of a text, up to the size that may be held, without losing any. */
function peek(pieces: Iterable<Buffer>): { whole: Buffer | null; all: () => Generator<Buffer> } {
  const iterator = pieces[Symbol.iterator]();
  const held: Buffer[] = [];
  let bytes = 0;
  while (bytes <= CHUNKED_FROM) {
    const next = iterator.next();
    if (next.done) return { whole: Buffer.concat(held), all: () => again(held) };
    held.push(Buffer.from(next.value));
    bytes += next.value.length;
  }
  return {
    whole: null,
    all: function* () {
      yield* held.splice(0);
      for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value;
    },
  };
}

function* again(pieces: readonly Buffer[]): Generator<Buffer> {
  yield* pieces;
}

const isUtf8 = (content: Buffer): boolean => Buffer.compare(Buffer.from(content.toString('utf8')), content) === 0;

/**
 * Makes the value of a record's field: the text itself if it is short, else the stub of a payload that is written to
 * `keeper`. Bytes that are not UTF-8 are kept unchanged, in a payload.
 * @param limit most bytes of a short text
 */
export function fieldText(
  input: TextInput,
  name: string,
  keeper: ObjectWriter,
  payloads: PayloadRef[],
  limit = INLINE_LIMIT,
): string | Stub {
  if (typeof input === 'string') return input;
  const { whole, all } = peek(input);
  const valid = whole !== null && isUtf8(whole);
  if (whole && valid && whole.length <= limit) return whole.toString('utf8');
  let preview = '';
  const watched = function* (): Generator<Buffer> {
    for (const piece of all()) {
      if (preview === '') preview = head(piece.toString('utf8', 0, PREVIEW_LENGTH * 4), PREVIEW_LENGTH);
      yield piece;
    }
  };
  const kept = storeContent(keeper, watched());
  payloads.push({ name, mode: kept.mode, oid: kept.oid });
  const stub: Stub = { preview: preview.toWellFormed(), bytes: kept.bytes, sha256: kept.sha256, payload: name };
  return whole && !valid ? { ...stub, encoding: 'bytes' } : stub;
}

/** Reads a text that must be held whole, such as a task or a question. @throws {CtxError} invalid_input, over 8 MiB */
export function wholeText(input: TextInput, what: string): string {
  if (typeof input === 'string') return input;
  const { whole } = peek(input);
  if (whole) return whole.toString('utf8');
  throw new CtxError('invalid_input', `${what} is larger than 8 MiB.`, {
    hint: 'Keep the long text as a note (ctx observe note -) and give a short one here.',
  });
}

/** Requires a text that is not empty. @throws {CtxError} invalid_input */
export function filledText(text: string, what: string): string {
  if (text.trim() !== '') return text;
  throw new CtxError('invalid_input', `${what} is empty.`, { hint: 'Give a text, or leave it out.' });
}

/** Opens a file, or standard input for `-`. @throws {CtxError} not_found, io */
export function fileText(file: string, directory: string, input: () => Iterable<Buffer>): Iterable<Buffer> {
  if (file === '-') return input();
  const path = resolve(directory, file);
  if (!exists(path)) throw new CtxError('not_found', `There is no file ${file}.`);
  return readPieces(path, CHUNK_SIZE);
}
