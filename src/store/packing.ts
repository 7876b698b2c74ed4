/** The lock of those who pack the store, and of those who take something out of it for good: neither may work beside the other. */
import { statSync } from 'node:fs';
import { takeLock } from '../platform/lock.ts';
import type { Layout } from './layout.ts';
import type { Repository } from './repository.ts';

/**
 * Takes it; LOCK may be taken behind it, never before. Whoever packs reads for minutes what stands in the store, and writes it
 * anew: what was taken out meanwhile would be back.
 * @returns a function that lets it go
 * @throws {CtxError} busy
 */
export function takePacking({ layout, lockWait, ids, durability }: Repository): () => void {
  return takeLock({ path: layout.packing, wait: lockWait, ids, durability });
}

/** Age from which Git itself passes over a gc.pid, in milliseconds: twelve hours. */
const LONGEST_GC = 43_200_000;

/** Whether a `git gc` of anybody's is at work, or was killed at it not long ago. */
export function isGitPacking({ gcPid }: Layout): boolean {
  const stat = statSync(gcPid, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs <= LONGEST_GC;
}
