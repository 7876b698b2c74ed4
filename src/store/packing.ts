/** The lock of those who pack the store, and of those who take something out of it for good: neither may work beside the other. */
import { LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { parseHolder } from '../platform/holder.ts';
import { takeLock } from '../platform/lock.ts';
import { clearGcPidOf, isGcPidOurs, takeGcPid } from './gc-pid.ts';
import type { Repository } from './repository.ts';

/**
 * Takes it, and Git's own, by which no `git gc` begins meanwhile; LOCK may be taken behind it, never before. Whoever packs reads
 * for minutes what stands in the store, and writes it anew: what was taken out meanwhile would be back.
 * @returns a function that lets it go
 * @throws {CtxError} busy, while others pack or forget, or a `git gc` is at work
 */
export function takePacking(repository: Repository): () => void {
  const { layout, lockWait, ids, durability } = repository;
  const beforeBreak = (): void => {
    const holder = parseHolder(readIfThere(layout.packing, LINES_LIMIT)?.toString('utf8') ?? '');
    if (holder) clearGcPidOf(repository, holder);
  };
  const release = takeLock({ path: layout.packing, wait: lockWait, ids, durability, beforeBreak });
  try {
    const letGo = takeGcPid(repository, lockWait);
    return () => {
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
export function keepPacking(repository: Repository): void {
  if (!isGcPidOurs(repository.layout)) takeGcPid(repository, repository.lockWait);
}
