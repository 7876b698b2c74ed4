/** The lock of those who pack the store, and of those who take something out of it for good: neither may work beside the other. */
import { timeLimit } from '../platform/clock.ts';
import { LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { parseHolder } from '../platform/holder.ts';
import { takeLock } from '../platform/lock.ts';
import { clearGcPidOf, isGcPidOurs, takeGcPid } from './gc-pid.ts';
import type { StoreFiles } from './store-files.ts';

/** Who has it in hand, of this process. */
const holders = new WeakSet<StoreFiles>();

/** Whether it was taken for this repository: whoever has it must not wait for itself. */
export const holdsPacking = (repository: StoreFiles): boolean => holders.has(repository);

/**
 * Takes it, and Git's own, by which no `git gc` begins meanwhile; LOCK may be taken behind it, never before. Whoever packs reads
 * for minutes what stands in the store, and writes it anew: what was taken out meanwhile would be back.
 * @param left how much of the time for both is left, in milliseconds
 * @returns a function that lets it go
 * @throws {CtxError} busy, while others pack or forget, or a `git gc` is at work
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
 * Takes Git's own anew where it is gone: a Git that has worked in our name takes it away when it ends, also where it has failed.
 * Only with the rest in hand, which lets it go as well.
 * @throws {CtxError} busy, where a `git gc` has begun meanwhile
 */
export function keepPacking(repository: StoreFiles): void {
  if (!isGcPidOurs(repository.layout)) takeGcPid(repository, repository.lockWait);
}
