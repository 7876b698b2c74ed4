/** Edits files of other programs atomically: a link stays a link, and mode and owner stay. */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../core/errors.ts';
import {
  createFile,
  DOCUMENT_LIMIT,
  errorCode,
  exists,
  ioError,
  isAbsent,
  publishTemporary,
  removeFile,
} from './files.ts';
import type { IdSource } from './ids.ts';

/** A file as it was read; `content` is null if there is none. */
export interface ForeignFile {
  /** The path as the other program names it. */
  path: string;
  /** The path with links resolved. */
  target: string;
  content: Buffer | null;
  /** Permission bits; those of a private file if there is no file. */
  mode: number;
}

const OWN_MODE = 0o600;
const DURABLE = { fsync: true };

/** Reads a file of another program. @throws {CtxError} io; invalid_settings, if it is no regular file */
export function readForeign(path: string): ForeignFile {
  const refuse = (why: string): CtxError =>
    new CtxError('invalid_settings', `${path} ${why}`, { hint: 'Nothing was changed. Put it right and try again.' });
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) {
      const link = lstatSync(path, { throwIfNoEntry: false });
      if (link?.isSymbolicLink()) throw refuse('is a link to a file that is not there');
      // Another program has made it between the two calls.
      if (link) return readForeign(path);
      return { path, target: path, content: null, mode: OWN_MODE };
    }
    if (!stat.isFile()) throw refuse('is no file');
    if (stat.size > DOCUMENT_LIMIT) throw refuse('is far too large for settings');
    return { path, target: realpathSync(path), content: readFileSync(path), mode: stat.mode & 0o777 };
  } catch (error) {
    throw ioError('read', path, error);
  }
}

/** Returns the stat of a path, links followed; undefined if nothing is there. @throws {CtxError} io */
export function statLinkedIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A circle of links leads to nothing.
    if (errorCode(error) === 'ELOOP') return undefined;
    throw ioError('look at', path, error);
  }
}

/**
 * Returns the dangling link that a path goes through: the path itself or a folder above it; null if there is none.
 * @throws {CtxError} io
 */
export function danglingLink(path: string): string | null {
  for (let at = path; ; at = dirname(at)) {
    if (exists(at)) return statLinkedIfThere(at) ? null : at;
    if (dirname(at) === at) return null;
  }
}

/** Largest file of another program that ctx only reads, in bytes. */
const READ_LIMIT = 16 * 1024 * 1024;

/**
 * Reads a file of another program, links followed; returns undefined if there is none.
 * @throws {CtxError} io, also if it is no regular file or far too large
 */
export function readLinkedIfThere(path: string): Buffer | undefined {
  const refuse = (why: string): CtxError =>
    new CtxError('io', `Cannot read ${path}: ${why}`, { hint: `Put it right, or move it away: ${path}` });
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isFile()) throw refuse('it must be a file');
    if (stat.size > READ_LIMIT) throw refuse('it is far too large');
    return readFileSync(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw ioError('read', path, error);
  }
}

/** Refuses a read-only file, before anything is changed. @throws {CtxError} io */
export function checkWritable({ path, target, content, mode }: ForeignFile): void {
  if (content === null) return;
  try {
    accessSync(target, constants.W_OK);
    accessSync(dirname(target), constants.W_OK);
  } catch (error) {
    throw ioError('write', path, error);
  }
  // The superuser may write to any file; ctx respects the missing permission all the same.
  if ((mode & 0o200) !== 0) return;
  throw new CtxError('io', `Cannot write ${path}: it is read-only`, { hint: `Nothing was changed. chmod u+w ${path}` });
}

/** Returns whether a file still has the content that was read. */
function isUnchanged({ path, target, content }: ForeignFile): boolean {
  const now = readForeign(path);
  return now.target === target && sameBytes(now.content, content);
}

const sameBytes = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b);

/**
 * Replaces a file that was read by new content, or removes it if the content is null.
 * @throws {CtxError} io; busy, if another program has changed it meanwhile
 */
export function replaceForeign(file: ForeignFile, content: string | null, ids: IdSource): void {
  const temporary = `${file.target}.${ids()}.ctx-tmp`;
  if (content !== null) createLike(temporary, content, file);
  if (!isUnchanged(file)) {
    removeFile(temporary);
    throw new CtxError('busy', `${file.path} was changed by another program at this moment.`, {
      hint: 'Nothing was changed. Run the command again.',
    });
  }
  if (content === null) removeFile(file.target);
  else publishTemporary(temporary, file.target, DURABLE);
}

/** Writes the content that was read to another file. */
export function copyForeign(file: ForeignFile, path: string, ids: IdSource): void {
  const temporary = `${path}.${ids()}.ctx-tmp`;
  createLike(temporary, file.content ?? '', file);
  publishTemporary(temporary, path, DURABLE);
}

/** Creates a file with the mode and the owner of an existing one. */
function createLike(path: string, content: string | Buffer, file: ForeignFile): void {
  createFile(path, content, DURABLE);
  try {
    const stat = statSync(file.target, { throwIfNoEntry: false });
    if (stat) keepOwner(path, stat);
    chmodSync(path, file.mode);
  } catch (error) {
    removeFile(path);
    throw ioError('write', path, error);
  }
}

/** Keeps the file's owner when the superuser runs ctx for another user. */
function keepOwner(path: string, owner: Stats): void {
  const { uid, gid } = statSync(path);
  if (uid !== owner.uid || (gid !== owner.gid && uid === 0)) chownSync(path, owner.uid, owner.gid);
}
