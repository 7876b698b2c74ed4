/** Files that must be plain ones: opened through no link and without waiting, and told from one another. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { damaged } from '../core/errors.ts';
import { errorCode } from './files.ts';

/** What tells one state of a file from another; empty where there is none. */
export function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : '';
}

/** Never through a link, and without waiting at a pipe for somebody to write into it. */
const PLAIN_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file that must be one; gives its size too. @throws the file system's own error, or {CtxError} damaged where it is no file */
export function openPlain(path: string): { handle: number; size: number } {
  let handle: number;
  try {
    handle = openSync(path, PLAIN_READ);
  } catch (error) {
    if (['ELOOP', 'ENXIO'].includes(errorCode(error))) throw damaged(path, 'it must be a file');
    throw error;
  }
  const stat = fstatSync(handle);
  if (stat.isFile()) return { handle, size: stat.size };
  closeSync(handle);
  throw damaged(path, 'it must be a file');
}

/** The first bytes of a file, as many as there are. @throws the file system's own error, or {CtxError} damaged where it is no file */
export const readBeginning = (path: string, bytes: number): Buffer => readPart(path, bytes, () => 0);

/** The last bytes of a file, as many as there are. @throws the file system's own error, or {CtxError} damaged where it is no file */
export const readEnd = (path: string, bytes: number): Buffer =>
  readPart(path, bytes, (size) => Math.max(0, size - bytes));

function readPart(path: string, bytes: number, startOf: (size: number) => number): Buffer {
  const { handle, size } = openPlain(path);
  try {
    const part = Buffer.alloc(Math.min(size, bytes));
    return part.subarray(0, readSync(handle, part, 0, part.length, startOf(size)));
  } finally {
    closeSync(handle);
  }
}

/** Nor through a link of either kind: what is written over could be a file of the user's. */
const PLAIN_WRITE = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Writes over a short file that whoever reads it can do without, and can tell to be whole: a file system waits for its disk
 * before it replaces one by another.
 * @param content as many bytes as it always has
 * @returns whether that could be done: not where it is no such file, or its folder is not there
 */
export function overwrite(path: string, content: Buffer): boolean {
  let handle: number | undefined;
  try {
    handle = openSync(path, PLAIN_WRITE, 0o600);
    const stat = fstatSync(handle);
    const isSuch = stat.isFile() && stat.nlink === 1 && (stat.size === 0 || stat.size === content.length);
    return isSuch && writeSync(handle, content, 0, content.length, 0) === content.length;
  } catch {
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
