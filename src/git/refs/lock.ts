/** Git's lock files, taken exclusively, each such that what a killed ctx left of one is told from a living Git's. */
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
  /** The lock file, as in `refs/heads/main.lock`. */
  path: string;
  /** Its second name: the next holder of LOCK knows by it that the lock is ours. Where names cannot be linked, it says that there is one. */
  marker: string;
  /** The new value, which the file becomes. */
  content: string;
  /** Of the store, for words. */
  root: string;
  /** Longest wait, in milliseconds. */
  wait: number;
  durability: Durability;
}

/** A lock that is held. */
export interface RefLock {
  /** Puts the new value in the place of the ref. @throws {CtxError} io */
  publish: () => void;
  /** Lets the lock go. What may be half-made, published and not finished, keeps its marker: the next holder of LOCK sees to the rest. */
  release: (finished: boolean) => void;
}

/** Longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE = 100;

/**
 * Takes one of Git's lock files. Only under LOCK.
 * @throws {CtxError} busy, io
 */
export function takeRefLock(options: RefLockOptions): RefLock {
  const { path, marker, content, durability } = options;
  createAnew(marker, content, durability);
  let linked = true;
  const place = (): boolean =>
    publishFile(marker, path, () => {
      linked = false;
      return makeLockFolder(options);
    });
  try {
    // On the disk before the lock is: a power cut that leaves the lock alone would leave one that looks like Git's.
    syncFolder(dirname(marker), durability);
    waitUntil(() => place() || (clearOwn(path) && place()), options);
  } catch (error) {
    removeFile(marker);
    throw error;
  }
  let held = true;
  let begun = false;
  return {
    publish: () => {
      const value = linked ? path : `${marker}.new`;
      if (!linked) createAnew(value, content, durability);
      begun = true;
      // From here on a file of that name is somebody else's: Git may take its lock as soon as ours has become the ref.
      held = !linked;
      publishTemporary(value, path.slice(0, -'.lock'.length), durability);
    },
    release: (finished) => {
      // One wait for both, what is gone beside it and the lock: a lock that a power cut brings back without its marker would be
      // taken for Git's.
      if (held && (linked ? removeFile(path) : clearOwn(path))) syncFolder(dirname(path), durability);
      if (finished || !begun) removeFile(marker);
    },
  };
}

/**
 * Runs something under a lock that a marker stands for which its caller has made; not where somebody holds it. Whoever calls waits for
 * the disk before it takes the marker away.
 */
export function lockedWith(marker: string, path: string, durability: Durability, work: () => void): void {
  if (!publishFile(marker, path, () => makeLockFolder({ path, durability }))) return;
  try {
    work();
  } finally {
    if (!clearOwn(path)) removeFile(path);
  }
}

/** Creates a file that a killed process may have left. */
function createAnew(path: string, content: string, durability: Durability): void {
  removeFile(path);
  createFile(path, content, durability);
}

/**
 * The lock where a name cannot be linked: a folder. It is made at once and whole, and Git finds it as much in its way as a file;
 * but no Git ever makes one there, so that whose it is can be seen at any moment, also where its maker was killed.
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

/** Removes a lock that is a folder: one of ours, or one that a killed ctx has left. Only under LOCK. @throws {CtxError} io */
export function clearOwn(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    // Something lies in it: a stranger's, whatever it is.
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error))) return false;
    throw ioError('remove', path, error);
  }
}

/** Waits until nobody holds one of Git's lock files. Only under LOCK. @throws {CtxError} busy */
export function waitForRefLock(options: Pick<RefLockOptions, 'path' | 'root' | 'wait'>): void {
  waitUntil(() => !exists(options.path) || clearOwn(options.path), options);
}

function waitUntil(done: () => boolean, { path, root, wait }: Pick<RefLockOptions, 'path' | 'root' | 'wait'>): void {
  const started = monotonicTime();
  for (let next = 1; !done(); next = Math.min(next * 2, LONGEST_PAUSE)) {
    if (monotonicTime() - started > wait) throw held(path, root);
    pause(next);
  }
}

/** Paths of all files below a folder: refs and their locks, such locks too that are folders. */
export function* everyFile(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = below(folder, entry.name);
    if (entry.isDirectory() && !entry.name.endsWith('.lock')) yield* everyFile(path);
    else yield path;
  }
}

/** Names of the locks of refs that lie in the store's root: HEAD, STAGE, and whatever Git keeps beside them. */
export const rootLocks = (root: string): string[] =>
  entriesOf(root)
    .map(({ name }) => name)
    .filter((name) => /^(?!LOCK\.)[A-Z_]+\.lock$/.test(name));

/** What tells whether two names are of one file; empty where there is none. */
export function inodeOf(path: string): string {
  // As big integers: the numbers of some file systems are beyond what a double tells apart.
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev}:${found.ino}` : '';
}

function held(path: string, root: string): CtxError {
  const name = path.slice(root.length + 1);
  return new CtxError('busy', `${name} is held by another process, probably Git.`, {
    hint: `Run the command again. If no Git is running on the store: rm ${quoted(path)}; or, once it is over an hour old: ctx fsck --break-lock`,
  });
}

/** Runs a repair of one thing; what somebody holds is left for the next time, and does not stop the others. Gives what is to be said. */
export function unlessHeld(name: string, repair: () => string | null): string | null {
  try {
    return repair();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    return `Left ${name} as it is: ${error.message} ${error.hint ?? ''}`.trimEnd();
  }
}
