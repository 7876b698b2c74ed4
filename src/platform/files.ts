/** Files of the machine: durable writes, and reads that tell "absent" from "broken". All of it synchronous. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { checkHeld } from './held-folder.ts';

/** How often a folder is made anew that somebody else removes because it is empty. */
const FOLDER_TRIES = 20;

/** Mode of every file and folder that ctx makes: the user's alone. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/** The error code of a failed call of the file system, such as `ENOENT`; empty where it is no such error. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errorCode(error));

const ADVICE: Record<string, string> = {
  ENOSPC: 'The disk is full: make room and run the command again; nothing was half-written.',
  EDQUOT: 'The disk quota is used up: make room and run the command again; nothing was half-written.',
  EFBIG:
    'No file may become as large as that here (see ulimit -f): raise the limit and run the command again; nothing was half-written.',
  ENOMEM: 'The machine has no memory left: end other programs and run the command again.',
  EROFS: 'The file system is read-only; ctx can read this store, but not write to it.',
  EMFILE: 'Too many files are open at once here (see ulimit -n): raise the limit and run the command again.',
  ENFILE: 'Too many files are open at once on this machine: run the command again.',
  EACCES: 'Check who owns the file and its permissions.',
  EPERM: 'Check who owns the file and its permissions.',
};

/** Words a failure of the file system: what was done, where, why, and what to do. */
export function ioError(doing: string, path: string, cause: unknown): CtxError {
  if (cause instanceof CtxError) return cause;
  const code = errorCode(cause);
  return new CtxError('io', `Cannot ${doing} ${path}: ${code || String(cause)}`, { hint: ADVICE[code], cause });
}

/** Largest file that is read whole, in bytes, where nothing smaller is said. */
export const FILE_LIMIT = 256 * 1024 * 1024;
/** Largest file of a few lines, and largest document that a person writes, in bytes. */
export const LINES_LIMIT = 64 * 1024;
export const DOCUMENT_LIMIT = 1024 * 1024;

/**
 * Reads a whole file; undefined where there is none. A link is no file, or a dangling one would pass for an absent one.
 * @param limit most bytes that such a file may have
 * @throws {CtxError} io, where there is one that cannot be read; damaged, where it is no file or larger
 */
export function readIfThere(path: string, limit = FILE_LIMIT): Buffer | undefined {
  try {
    // Asking first spares the price of an exception: on the hot path most of what is asked for is absent.
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isFile()) throw damaged(path, 'it must be a file');
    if (stat.size > limit) throw damaged(path, 'it is far too large');
    return readFileSync(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (errorCode(error) === 'ELOOP') throw damaged(path, 'links on the way to it lead in a circle');
    throw ioError('read', path, error);
  }
}

/** Names in a folder, in order; empty where there is no folder. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) === 'ENOTDIR') throw damaged(path, 'it must be a folder');
    throw ioError('list', path, error);
  }
}

/** Whether something stands at a path; a dangling link counts. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // ENOTDIR: a file stands where the path has a folder.
    if (isAbsent(error)) return false;
    throw ioError('look at', path, error);
  }
}

/** Removes a file; true if it was there. */
export function removeFile(path: string): boolean {
  try {
    if (!exists(path)) return false;
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw ioError('remove', path, error);
  }
}

/** Removes a folder if it is empty; anything else is left as it is. */
export function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody else has put something into it, or it is gone: both are fine.
  }
}

/** How durable writes are made. `fsync: false` gives what Git's own default gives. */
export interface Durability {
  fsync: boolean;
}

/** Waits until the disk has a folder's entries. */
export function syncFolder(path: string, durability: Durability): void {
  if (!durability.fsync) return;
  let handle: number | undefined;
  try {
    handle = openSync(path, 'r');
    fsyncSync(handle);
  } catch (error) {
    // Windows cannot open a folder; there a rename is as durable as it gets.
    if (process.platform !== 'win32') throw ioError('sync', path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Makes a folder and those above it that are absent, and waits until the disk has their names; false where somebody else has made it. */
export function makeFolder(path: string, durability: Durability): boolean {
  for (let left = FOLDER_TRIES; ; left -= 1) {
    try {
      if (exists(path)) return false;
      checkHeld(path);
      makeFolder(dirname(path), durability);
      mkdirSync(path, { mode: FOLDER_MODE });
      syncFolder(dirname(path), durability);
      return true;
    } catch (error) {
      // Another process has made it meanwhile, or has removed an empty one above it: a look tells.
      if (!['EEXIST', 'ENOENT'].includes(rootCode(error)) || left === 0) throw ioError('make the folder', path, error);
    }
  }
}

/** The file system's code of an error, also of one that was worded already. */
export const rootCode = (error: unknown): string =>
  errorCode(error instanceof CtxError && error.code === 'io' ? error.cause : error);

/** Waits until the disk has a file's bytes. */
export function syncFile(path: string): void {
  try {
    const handle = openSync(path, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw ioError('sync', path, error);
  }
}

/** Makes a file young again and waits until the disk has it; false where there is none. */
export function freshen(path: string, durability: Durability): boolean {
  try {
    const now = Date.now() / 1000;
    utimesSync(path, now, now);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    // A file of somebody else's cannot be made young; it is there all the same.
    if (!['EPERM', 'EROFS', 'EACCES'].includes(errorCode(error))) throw ioError('touch', path, error);
  }
  try {
    if (durability.fsync) syncFile(path);
    syncFolder(dirname(path), durability);
    return true;
  } catch (error) {
    // Git has packed it since, and removed it here.
    if (rootCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Makes a file as old as can be; nothing where there is none. */
export function makeOld(path: string): void {
  try {
    utimesSync(path, 0, 0);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw ioError('touch', path, error);
  }
}

/** Creates a file that must not exist yet, and waits until the disk has its bytes. The folder is made where it is absent. */
export function createFile(path: string, content: string | Buffer, durability: Durability): void {
  let handle: number;
  try {
    handle = openNew(path, durability);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    throw ioError('create', path, error);
  }
  try {
    writeAll(handle, typeof content === 'string' ? Buffer.from(content) : content);
    if (durability.fsync) fsyncSync(handle);
  } catch (error) {
    // What stands there by now may be somebody else's, who took this for what a dead process has left.
    const ours = isOf(handle, path);
    closeSync(handle);
    if (ours) discard(path);
    throw ioError('write', path, error);
  }
  closeSync(handle);
}

function openNew(path: string, durability: Durability): number {
  for (let left = FOLDER_TRIES; ; left -= 1) {
    makeFolder(dirname(path), durability);
    try {
      return openSync(path, 'wx', FILE_MODE);
    } catch (error) {
      // Git removes folders that became empty, perhaps just now.
      if (errorCode(error) !== 'ENOENT' || left === 0) throw error;
    }
  }
}

/** Writes every byte: a short write is not a success. */
export function writeAll(handle: number, content: Buffer): void {
  for (let at = 0; at < content.length; ) at += writeSync(handle, content, at);
}

/** Whether a path still names an open file. */
function isOf(handle: number, path: string): boolean {
  try {
    return fstatSync(handle).ino === lstatSync(path).ino;
  } catch {
    return false;
  }
}

/** Removes a temporary file of a write that has failed; where that fails too it stays, which is harmless. */
export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // What has failed already is told.
  }
}

/** Renames a file over another and waits until the disk has it; the folder is made where it is absent. A failure leaves it where it was. */
export function renameDurably(from: string, to: string, durability: Durability): void {
  try {
    try {
      renameSync(from, to);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || !exists(from)) throw error;
      makeFolder(dirname(to), durability);
      renameSync(from, to);
    }
  } catch (error) {
    throw ioError('write', to, error);
  }
  syncFolder(dirname(to), durability);
}

/** The same for a temporary file, which goes where that fails. */
export function publishTemporary(temporary: string, path: string, durability: Durability): void {
  try {
    renameDurably(temporary, path, durability);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

/**
 * Writes a file so that, whatever happens, either the old content or the whole new content stands there: temporary file in
 * the same folder, 0600, fsync, rename, fsync of the folder.
 * @param temporary name of the temporary file, unique among writers
 */
export function writeDurably(path: string, temporary: string, content: string | Buffer, durability: Durability): void {
  createFile(temporary, content, durability);
  publishTemporary(temporary, path, durability);
}
