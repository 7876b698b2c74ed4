/** Git's lock files, taken exclusively, with a second name by which a killed ctx's is told from a living Git's. */
import { lstatSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { monotonicTime } from '../platform/clock.ts';
import {
  createFile,
  type Durability,
  errorCode,
  exists,
  ioError,
  linkFile,
  pause,
  removeFile,
} from '../platform/files.ts';

export interface RefLock {
  /** The lock file, as in `refs/heads/main.lock`. */
  path: string;
  /** Its second name: the next holder of LOCK knows by it that the lock is ours. */
  marker: string;
  /** The new value, which the file becomes. */
  content: string;
}

/** Longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE = 100;

/**
 * Takes one of Git's lock files.
 * @param root of the store, for words
 * @param wait longest, in milliseconds
 * @throws {CtxError} busy
 */
export function takeRefLock(lock: RefLock, root: string, wait: number, durability: Durability): void {
  removeFile(lock.marker);
  createFile(lock.marker, lock.content, durability);
  const started = monotonicTime();
  for (let next = 1; !linkOrCreate(lock, durability); next = Math.min(next * 2, LONGEST_PAUSE)) {
    if (monotonicTime() - started > wait) {
      removeFile(lock.marker);
      throw held(lock.path.slice(root.length + 1));
    }
    pause(next);
  }
}

/** Waits until nobody holds one of Git's lock files. @throws {CtxError} busy */
export function waitForRefLock(path: string, root: string, wait: number): void {
  const started = monotonicTime();
  for (let next = 1; exists(path); next = Math.min(next * 2, LONGEST_PAUSE)) {
    if (monotonicTime() - started > wait) throw held(path.slice(root.length + 1));
    pause(next);
  }
}

function linkOrCreate({ path, marker, content }: RefLock, durability: Durability): boolean {
  try {
    return linkFile(marker, path);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))) throw ioError('lock', path, error);
  }
  try {
    createFile(path, content, durability);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What tells whether two names are of one file; empty where there is none. */
export function inodeOf(path: string): string {
  // As big integers: the numbers of some file systems are beyond what a double tells apart.
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev}:${found.ino}` : '';
}

function held(name: string): CtxError {
  return new CtxError('busy', `${name} is held by another process, probably Git.`, {
    hint: `Run the command again. If no Git is running on the store, remove ${name} in it.`,
  });
}
