/** Files of other programs, which ctx edits: a link stays a link, mode and owner stay, and old or new is there, never a part. */
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

/** A file as it was read; `content` is null where there is none. */
export interface ForeignFile {
  /** How the other program names it. */
  path: string;
  /** Where it lies, links followed. */
  target: string;
  content: Buffer | null;
  /** Its permission bits; those of a file that is the user's alone where there is none. */
  mode: number;
}

const OWN_MODE = 0o600;
const DURABLE = { fsync: true };

/** Reads a file of another program. @throws {CtxError} io, invalid_settings where it is no plain file */
export function readForeign(path: string): ForeignFile {
  const refuse = (why: string): CtxError =>
    new CtxError('invalid_settings', `${path} ${why}`, { hint: 'Nothing was changed. Put it right and try again.' });
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) {
      const stands = lstatSync(path, { throwIfNoEntry: false });
      if (stands?.isSymbolicLink()) throw refuse('is a link to a file that is not there');
      // Another program has made it between the two looks.
      if (stands) return readForeign(path);
      return { path, target: path, content: null, mode: OWN_MODE };
    }
    if (!stat.isFile()) throw refuse('is no file');
    if (stat.size > DOCUMENT_LIMIT) throw refuse('is far too large for settings');
    return { path, target: realpathSync(path), content: readFileSync(path), mode: stat.mode & 0o777 };
  } catch (error) {
    throw ioError('read', path, error);
  }
}

/** What a path leads to, links followed; undefined where nothing is there. @throws {CtxError} io */
export function statLinkedIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Links in a circle lead nowhere.
    if (errorCode(error) === 'ELOOP') return undefined;
    throw ioError('look at', path, error);
  }
}

/** The link that a path ends at since what it leads to is gone: the path itself, or a folder above it; null if there is none. @throws {CtxError} io */
export function danglingLink(path: string): string | null {
  for (let at = path; ; at = dirname(at)) {
    if (exists(at)) return statLinkedIfThere(at) ? null : at;
    if (dirname(at) === at) return null;
  }
}

/** Largest file of another program that ctx only reads, in bytes. */
const READ_LIMIT = 16 * 1024 * 1024;

/** Reads a file of another program, links followed; undefined where there is none. @throws {CtxError} io, also where it is no file or far too large */
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

/** Refuses a file that must not be written to, before anything is done. @throws {CtxError} io */
export function checkWritable({ path, target, content, mode }: ForeignFile): void {
  if (content === null) return;
  try {
    accessSync(target, constants.W_OK);
    accessSync(dirname(target), constants.W_OK);
  } catch (error) {
    throw ioError('write', path, error);
  }
  // The superuser may write to anything; who has taken the right away has meant it all the same.
  if ((mode & 0o200) !== 0) return;
  throw new CtxError('io', `Cannot write ${path}: it is read-only`, { hint: `Nothing was changed. chmod u+w ${path}` });
}

/** Whether a file still is what was read. */
export function isUnchanged({ path, target, content }: ForeignFile): boolean {
  const now = readForeign(path);
  return now.target === target && sameBytes(now.content, content);
}

const sameBytes = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b);

/**
 * Puts new content in the place of what was read, or removes the file where that is null.
 * @throws {CtxError} io; busy, where somebody else has changed it meanwhile
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

/** Writes what was read to a file beside it. */
export function copyForeign(file: ForeignFile, path: string, ids: IdSource): void {
  const temporary = `${path}.${ids()}.ctx-tmp`;
  createLike(temporary, file.content ?? '', file);
  publishTemporary(temporary, path, DURABLE);
}

/** Makes a new file with the mode and the owner of one that is there. */
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

/** Run by the superuser for somebody else, the file stays that person's. */
function keepOwner(path: string, owner: Stats): void {
  const { uid, gid } = statSync(path);
  if (uid !== owner.uid || (gid !== owner.gid && uid === 0)) chownSync(path, owner.uid, owner.gid);
}
