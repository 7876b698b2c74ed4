/** Git's lock files, taken exclusively, and recognisable: a leftover of a killed ctx can be distinguished from the lock of a living Git. */
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { quoted } from '../../core/text.ts';
import { below } from '../../platform/below.ts';
import { monotonicTime, pause } from '../../platform/clock.ts';
import {
  createFile,
  type Durability,
  errorCode,
  exists,
  ioError,
  makeFolder,
  publishTemporary,
  removeFile,
  syncFolder,
} from '../../platform/files.ts';
import { publishFile } from '../../platform/publish.ts';
import { entriesOf } from '../guard.ts';

export interface RefLockOptions {
  /** Path of the lock file, such as `refs/heads/main.lock`. */
  path: string;
  /**
   * Second name of the lock file: shows the next holder of LOCK that the lock is ours. On a file system without hard links
   * it only says that there is one.
   */
  marker: string;
  /** The new value, which the file becomes. */
  content: string;
  /** Root of the store, for messages. */
  root: string;
  /** Longest wait, in milliseconds. */
  wait: number;
  durability: Durability;
}

/** A held lock. */
export interface RefLock {
  /** Replaces the ref by the new value. @throws {CtxError} io */
  publish: () => void;
  /**
   * Releases the lock. A move that may be half done, published but not finished, keeps its marker: the next holder of LOCK
   * completes it.
   */
  release: (finished: boolean) => void;
}

/** Longest pause between two attempts, in milliseconds. */
const LONGEST_PAUSE = 100;

/** Takes one of Git's lock files. Only under LOCK. @throws {CtxError} busy, io */
export function takeRefLock(options: RefLockOptions): RefLock {
  const { path, marker, content, durability } = options;
  recreate(marker, content, durability);
  let linked = true;
  const place = (): boolean =>
    publishFile(marker, path, () => {
      linked = false;
      return makeLockFolder(options);
    });
  try {
    // The marker must be on disk before the lock: after a power cut a lock without marker would look like Git's.
    syncFolder(dirname(marker), durability);
    waitUntil(() => place() || (removeLockFolder(path) && place()), options);
  } catch (error) {
    removeFile(marker);
    throw error;
  }
  let held = true;
  let begun = false;
  return {
    publish: () => {
      const value = linked ? path : `${marker}.new`;
      if (!linked) recreate(value, content, durability);
      begun = true;
      // From here on a file of that name belongs to another process: Git may take its lock as soon as ours has become the
      // ref.
      held = !linked;
      publishTemporary(value, path.slice(0, -'.lock'.length), durability);
    },
    release: (finished) => {
      // One sync for both removals: a lock that a power cut brings back without its marker would look like Git's.
      if (held && (linked ? removeFile(path) : removeLockFolder(path))) syncFolder(dirname(path), durability);
      if (finished || !begun) removeFile(marker);
    },
  };
}

/**
 * Runs work under a lock whose marker the caller has made; does nothing if the lock is held. The caller syncs before it
 * removes the marker.
 */
export function lockedWith(marker: string, path: string, durability: Durability, work: () => void): void {
  if (!publishFile(marker, path, () => makeLockFolder({ path, durability }))) return;
  try {
    work();
  } finally {
    if (!removeLockFolder(path)) removeFile(path);
  }
}

/** Creates a file; replaces one that a killed process may have left. */
function recreate(path: string, content: string, durability: Durability): void {
  removeFile(path);
  createFile(path, content, durability);
}

/**
 * Takes a lock without hard links, as a folder. It is made atomically and blocks Git like a file; but Git never makes a
 * folder there, so its owner is known at any moment, also after its maker was killed.
 */
function makeLockFolder({ path, durability }: Pick<RefLockOptions, 'path' | 'durability'>): boolean {
  makeFolder(dirname(path), durability);
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // ENOENT: Git removes folders that became empty, perhaps just now.
    if (['EEXIST', 'ENOENT'].includes(errorCode(error))) return false;
    throw ioError('create', path, error);
  }
}

/** Removes a lock that is a folder: ours, or one that a killed ctx has left. Only under LOCK. @throws {CtxError} io */
export function removeLockFolder(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    // It is not empty, so it is not ours.
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error))) return false;
    throw ioError('remove', path, error);
  }
}

/** Waits until one of Git's lock files is free. Only under LOCK. @throws {CtxError} busy */
export function waitForRefLock(options: Pick<RefLockOptions, 'path' | 'root' | 'wait'>): void {
  waitUntil(() => !exists(options.path) || removeLockFolder(options.path), options);
}

function waitUntil(done: () => boolean, { path, root, wait }: Pick<RefLockOptions, 'path' | 'root' | 'wait'>): void {
  const started = monotonicTime();
  for (let next = 1; !done(); next = Math.min(next * 2, LONGEST_PAUSE)) {
    if (monotonicTime() - started > wait) throw held(path, root);
    pause(next);
  }
}

/** Yields the paths of all files below a folder: refs and their locks, including locks that are folders. */
export function* everyFile(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = below(folder, entry.name);
    if (entry.isDirectory() && !entry.name.endsWith('.lock')) yield* everyFile(path);
    else yield path;
  }
}

/** Returns the names of the locks of refs in the store's root: HEAD, STAGE, and Git's other root refs. */
export const rootLocks = (root: string): string[] =>
  entriesOf(root)
    .map(({ name }) => name)
    .filter((name) => /^(?!LOCK\.)[A-Z_]+\.lock$/.test(name));

/** Returns the device and inode of a file; empty if there is none. */
export function inodeOf(path: string): string {
  // As big integers: some file systems have inode numbers beyond the precision of a double.
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev}:${found.ino}` : '';
}

function held(path: string, root: string): CtxError {
  const name = path.slice(root.length + 1);
  return new CtxError('busy', `${name} is held by another process, probably Git.`, {
    hint: `Run the command again. If no Git is running on the store: rm ${quoted(path)}; or, once it is over an hour old: ctx fsck --break-lock`,
  });
}

/** Runs one repair; if its lock is held, the repair is left for the next time and the others continue. Returns the report. */
export function unlessLocked(name: string, repair: () => string | null): string | null {
  try {
    return repair();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    return `Left ${name} as it is: ${error.message} ${error.hint ?? ''}`.trimEnd();
  }
}
