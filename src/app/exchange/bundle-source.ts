/** Opens the file of a bundle. */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { ioError } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

/** Returns the bytes of a file in pieces. @throws {CtxError} not_found, invalid_input, io */
export function openBundle(directory: string, file: string): Iterable<Buffer> {
  const path = resolve(directory, file);
  const stat = statsOf(path);
  if (!stat)
    throw new CtxError('not_found', `There is no file ${file}.`, { hint: 'Write one with: ctx export -o <file>' });
  if (stat.isDirectory())
    throw new CtxError('invalid_input', `${file} is a folder.`, {
      hint: 'Of a whole store, write a file first: ctx -C <its project> export --all -o <file>',
    });
  if (!stat.isFile())
    throw new CtxError('invalid_input', `${file} is no file.`, { hint: 'Name a file that ctx export has written.' });
  return readPieces(path, PIECE);
}

/** Returns what a path names, a broken link included; undefined if it names nothing. @throws {CtxError} io */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('read', path, error);
  }
}
