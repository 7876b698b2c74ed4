/** Files of the machine: durable writes, and reads that distinguish "absent" from "broken". Everything is synchronous. */
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
import { checkPinned } from './pinned-folders.ts';

/** Number of attempts to make a folder that another process keeps removing because it is empty. */
const FOLDER_TRIES = 20;

/** Mode of every file and folder that ctx makes: only the user has access. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/** Returns the error code of a failed file system call, such as `ENOENT`; empty if the error has none. */
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

/** Makes the CtxError for a failure of the file system: the operation, the path, the code, and a hint. */
export function ioError(doing: string, path: string | Buffer, cause: unknown): CtxError {
  if (cause instanceof CtxError) return cause;
  const code = errorCode(cause);
  return new CtxError('io', `Cannot ${doing} ${path}: ${code || String(cause)}`, { hint: ADVICE[code], cause });
}

/** Default limit of a file that is read whole, in bytes. */
export const FILE_LIMIT = 256 * 1024 * 1024;
/** Largest file of a few lines, and largest document that a person writes, in bytes. */
export const LINES_LIMIT = 64 * 1024;
export const DOCUMENT_LIMIT = 1024 * 1024;

/**
 * Reads a whole file; returns undefined if there is none. A symbolic link is refused, since a dangling one would look like
 * an absent file.
 * @param limit most bytes that such a file may have
 * @throws {CtxError} io, if it cannot be read; damaged, if it is no regular file or larger
 */
export function readIfThere(path: string, limit = FILE_LIMIT): Buffer | undefined {
  try {
    // lstat first avoids the cost of an exception: on the hot path most of these files are absent.
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

/** Returns the names in a folder, sorted; empty if there is no folder. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) === 'ENOTDIR') throw damaged(path, 'it must be a folder');
    throw ioError('list', path, error);
  }
}

/** Returns whether there is anything at a path; a dangling link counts. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // ENOTDIR: a component of the path is a file.
    if (isAbsent(error)) return false;
    throw ioError('look at', path, error);
  }
}

/** Removes a file; returns whether it was there. */
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

/** Removes a folder if it is empty; leaves anything else as it is. */
export function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process has put something into it, or it is gone: both are fine.
  }
}

/** Options of durable writes. `fsync: false` is as durable as Git's own default. */
export interface Durability {
  fsync: boolean;
}

/** Waits until the entries of a folder are on disk. */
export function syncFolder(path: string, durability: Durability): void {
  if (!durability.fsync) return;
  let handle: number | undefined;
  try {
    handle = openSync(path, 'r');
    fsyncSync(handle);
  } catch (error) {
    // Windows cannot open a folder; a rename is as durable as possible there.
    if (process.platform !== 'win32') throw ioError('sync', path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Makes a folder and its absent parents, and waits until their names are on disk; returns false if another process has made it. */
export function makeFolder(path: string, durability: Durability): boolean {
  for (let left = FOLDER_TRIES; ; left -= 1) {
    try {
      if (exists(path)) return false;
      checkPinned(path);
      makeFolder(dirname(path), durability);
      mkdirSync(path, { mode: FOLDER_MODE });
      syncFolder(dirname(path), durability);
      return true;
    } catch (error) {
      // Another process has made it meanwhile, or has removed an empty parent: the next attempt checks.
      if (!['EEXIST', 'ENOENT'].includes(rootCode(error)) || left === 0) throw ioError('make the folder', path, error);
    }
  }
}

/** Returns the file system's code of an error, also if the error is a CtxError already. */
export const rootCode = (error: unknown): string =>
  errorCode(error instanceof CtxError && error.code === 'io' ? error.cause : error);

/** Waits until the bytes of a file are on disk. */
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

/** Sets the times of a file to now and waits until that is on disk; returns false if there is no file. */
export function freshen(path: string, durability: Durability): boolean {
  try {
    const now = Date.now() / 1000;
    utimesSync(path, now, now);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    // The times of another user's file cannot be set; the file exists all the same.
    if (!['EPERM', 'EROFS', 'EACCES'].includes(errorCode(error))) throw ioError('touch', path, error);
  }
  try {
    if (durability.fsync) syncFile(path);
    syncFolder(dirname(path), durability);
    return true;
  } catch (error) {
    // Git has packed the object since, and removed this file.
    if (rootCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Sets the times of a file to 1970; does nothing if there is no file. */
export function makeOld(path: string): void {
  try {
    utimesSync(path, 0, 0);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw ioError('touch', path, error);
  }
}

/** The content of a new file, at once or in pieces. */
export type Content = string | Buffer | Generator<Buffer>;

/** Creates a file that must not exist yet, and waits until its bytes are on disk. Makes the folder if it is absent. */
export function createFile(path: string, content: Content, durability: Durability): void {
  let handle: number;
  try {
    handle = openNew(path, durability);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    throw ioError('create', path, error);
  }
  try {
    if (typeof content === 'string') writeAll(handle, Buffer.from(content));
    else if (Buffer.isBuffer(content)) writeAll(handle, content);
    else for (const piece of content) writeAll(handle, piece);
    if (durability.fsync) fsyncSync(handle);
  } catch (error) {
    // Another process may have taken this file for a leftover and have put its own there.
    const ours = isOf(handle, path);
    closeSync(handle);
    if (ours) discard(path);
    throw error instanceof CtxError ? error : ioError('write', path, error);
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

/** Returns whether a path still names an open file. */
function isOf(handle: number, path: string): boolean {
  try {
    return fstatSync(handle).ino === lstatSync(path).ino;
  } catch {
    return false;
  }
}

/** Removes the temporary file of a failed write; a file that cannot be removed stays, which is harmless. */
export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The failure of the write is reported already.
  }
}

/**
 * Renames a file over another and waits until that is on disk; makes the folder if it is absent. On failure the file stays
 * under its old name.
 */
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

/** Renames a temporary file over another durably; removes the temporary file if that fails. */
export function publishTemporary(temporary: string, path: string, durability: Durability): void {
  try {
    renameDurably(temporary, path, durability);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

/**
 * Writes a file atomically: temporary file in the same folder, mode 0600, fsync, rename, fsync of the folder. After a crash
 * the path has either the old or the new content.
 * @param temporary name of the temporary file, unique among writers
 */
export function writeDurably(path: string, temporary: string, content: Content, durability: Durability): void {
  createFile(temporary, content, durability);
  publishTemporary(temporary, path, durability);
}
