/** Names that are no UTF-8: Git accepts any bytes, and several of them would decode to one text. They are listed by bytes here, and shown as Git quotes them. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { below } from '../platform/below.ts';
import { ioError, isAbsent, LINES_LIMIT } from '../platform/files.ts';
import { entriesOf } from './guard.ts';
import type { Layout } from './layout.ts';

/** A file with such a name: its quoted name from the store's root, and its path. */
export interface ByteFile {
  name: string;
  path: Buffer;
}

const PLAIN = /^[\0-\x7f]*$/;
const QUOTED = /\\[2-3][0-7]{2}/g;

/** Decodes a name that was read byte by byte: UTF-8, or else each byte beyond ASCII in octal. No ref has a backslash. */
export function nameOfBytes(latin1: string): string {
  if (PLAIN.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return latin1.replace(/[\x80-\xff]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
}

/** Replaces each quoted byte of a name by a letter; returns any other name unchanged. */
export const lettersOf = (name: string): string => name.replace(QUOTED, 'x');

/** Returns whether a name is quoted. */
export const isByteName = (name: string): boolean => lettersOf(name) !== name;

/** Quotes a name for a shell. */
export const forShell = (name: string): string => `$'${name.replaceAll("'", "\\'")}'`;

/** Yields every file with such a name, or in a folder with one, below a folder of the store. */
export function* byteFiles({ root }: Layout, folder: string): Generator<ByteFile> {
  const start = Buffer.byteLength(root + sep);
  for (const path of pathsBelow(below(root, folder)))
    yield { name: nameOfBytes(path.toString('latin1', start).replaceAll(sep, '/')), path };
}

/**
 * Reads such a file byte by byte; returns undefined if there is none.
 * @param limit a larger file is read as empty
 * @throws {CtxError} io
 */
export function textAt(path: Buffer, limit = LINES_LIMIT): string | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isFile() && stat.size <= limit ? readFileSync(path, 'latin1') : '';
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw ioError('read', path.toString('latin1'), error);
  }
}

function* pathsBelow(folder: string): Generator<Buffer> {
  const entries = entriesOf(folder);
  for (const entry of entries) if (entry.isDirectory()) yield* pathsBelow(below(folder, entry.name));
  // Decoded as text, such a name has a replacement character.
  if (entries.some(({ name }) => name.includes('\ufffd'))) yield* pathsIn(Buffer.from(folder), false);
}

/** @param all whether to include files whose own names are UTF-8: the caller finds those by their names */
function* pathsIn(folder: Buffer, all: boolean): Generator<Buffer> {
  for (const entry of listed(folder)) {
    if (!all && isUtf8(entry.name)) continue;
    const path = Buffer.concat([folder, Buffer.from(sep), entry.name]);
    if (entry.isDirectory()) yield* pathsIn(path, true);
    else yield path;
  }
}

function listed(folder: Buffer): { name: Buffer; isDirectory: () => boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw ioError('list', folder.toString('latin1'), error);
  }
}
