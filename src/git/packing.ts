/** The lock for packing the store and for removing something from it for good: neither may run beside the other. */
import { timeLimit } from '../platform/clock.ts';
import { LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { parseHolder } from '../platform/holder.ts';
import { takeLock } from '../platform/lock.ts';
import { clearGcPidOf, isGcPidOurs, takeGcPid } from './gc-pid.ts';
import type { StoreFiles } from './store-files.ts';

/** The stores whose packing lock this process holds. */
const holders = new WeakSet<StoreFiles>();

/** Returns whether this repository holds the lock already: its holder must not wait for itself. */
export const holdsPacking = (repository: StoreFiles): boolean => holders.has(repository);

/**
 * Takes LOCK.packing and Git's gc.pid, which keeps any `git gc` from starting; LOCK may be taken after it, never before.
 * Packing reads the store for minutes and rewrites it: something removed meanwhile would come back.
 * @param left returns how much of the time for both locks is left, in milliseconds
 * @returns a function that releases both
 * @throws {CtxError} busy, while another process packs or forgets, or a `git gc` is running
 */
export function takePacking(repository: StoreFiles, left = timeLimit(repository.lockWait)): () => void {
  const { layout, ids, durability } = repository;
  const beforeBreak = (): void => {
    const holder = parseHolder(readIfThere(layout.packing, LINES_LIMIT)?.toString('utf8') ?? '');
    if (holder) clearGcPidOf(repository, holder);
  };
  const release = takeLock({ path: layout.packing, wait: left(), ids, durability, beforeBreak });
  try {
    const letGo = takeGcPid(repository, left());
    holders.add(repository);
    return () => {
      holders.delete(repository);
      letGo();
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Takes gc.pid again if it is gone: a Git that has worked in our name removes it when it ends, also if it fails. Only while
 * the packing lock is held, whose release releases it too.
 * @throws {CtxError} busy, if a `git gc` has started meanwhile
 */
export function keepPacking(repository: StoreFiles): void {
  if (!isGcPidOurs(repository.layout)) takeGcPid(repository, repository.lockWait);
}
