/** Opens the file of a bundle. */
import { lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { readPieces } from '../../platform/pieces.ts';

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

/** Returns the bytes of a file in pieces. @throws {CtxError} not_found, invalid_input */
export function openBundle(directory: string, file: string): Iterable<Buffer> {
  const path = resolve(directory, file);
  if (!lstatSync(path, { throwIfNoEntry: false }))
    throw new CtxError('not_found', `There is no file ${file}.`, { hint: 'Write one with: ctx export -o <file>' });
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CtxError('invalid_input', `${file} is no file.`, { hint: 'Name a file that ctx export has written.' });
  return readPieces(path, PIECE);
}
