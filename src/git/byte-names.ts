/** Names that are no UTF-8: Git takes any bytes, and as text several of them would be one. They are listed here by bytes, and told as Git quotes them. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { below } from '../platform/below.ts';
import { ioError, isAbsent, LINES_LIMIT } from '../platform/files.ts';
import { entriesOf } from './guard.ts';
import type { Layout } from './layout.ts';

/** A file of such a name: its name from the store's root, as it is told, and its path. */
export interface ByteFile {
  name: string;
  path: Buffer;
}

const PLAIN = /^[\0-\x7f]*$/;
const QUOTED = /\\[2-3][0-7]{2}/g;

/** A name that was read byte by byte: as text, or with each byte beyond ASCII in octal where it is none. No ref has a backslash. */
export function nameOfBytes(latin1: string): string {
  if (PLAIN.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return latin1.replace(/[\x80-\xff]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
}

/** Such a name with a letter in the place of each byte that no text has; any other as it is. */
export const lettersOf = (name: string): string => name.replace(QUOTED, 'x');

/** Whether a name is told so. */
export const isByteName = (name: string): boolean => lettersOf(name) !== name;

/** How a shell is given such a name, or any other. */
export const forShell = (name: string): string => `$'${name.replaceAll("'", "\\'")}'`;

/** Every file of such a name, or in a folder of one, below a folder of the store. */
export function* byteFiles({ root }: Layout, folder: string): Generator<ByteFile> {
  const start = Buffer.byteLength(root + sep);
  for (const path of pathsBelow(below(root, folder)))
    yield { name: nameOfBytes(path.toString('latin1', start).replaceAll(sep, '/')), path };
}

/**
 * What such a file says, byte by byte; undefined where there is none.
 * @param limit most bytes that are read: a larger one says nothing
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
  // As text it has a sign for what is none in it.
  if (entries.some(({ name }) => name.includes('\ufffd'))) yield* pathsIn(Buffer.from(folder), false);
}

/** @param all whether those count too whose own names are text: others are found by them */
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
