/** Regular files: opened through no link and without waiting, and compared by their stat. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { damaged } from '../core/errors.ts';
import { errorCode } from './files.ts';

/** Returns a text that changes with the state of a file; empty if there is none. */
export function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : '';
}

/** Flags that follow no link, and do not wait at a pipe for a writer. */
const PLAIN_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file; returns its size too.
 * @throws the file system's own error, or {CtxError} damaged if it is no regular file
 */
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

/**
 * Reads the first bytes of a file, as many as there are.
 * @throws the file system's own error, or {CtxError} damaged if it is no regular file
 */
export const readBeginning = (path: string, bytes: number): Buffer => readPart(path, bytes, () => 0);

/**
 * Reads the last bytes of a file, as many as there are.
 * @throws the file system's own error, or {CtxError} damaged if it is no regular file
 */
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

/** Flags that follow no link; a hard link is refused too, since the file could be one of the user's. */
const PLAIN_WRITE = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Overwrites a short file that is optional for its readers and that they can validate: a rename would wait for the disk.
 * @param content as many bytes as the file always has
 * @returns whether it was written: false if it is no such file, or its folder is absent
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
