/** The lock of the catalog: who holds it may write there, or remove something from it for good. */
import { accessSync, constants } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { errorCode, exists } from '../../platform/files.ts';
import { takeLock } from '../../platform/lock.ts';

/**
 * Takes the lock of the catalog. LOCK may be taken after it, never before.
 * @throws {CtxError} busy, io
 */
export const lockCatalog = (repository: Repository, wait = repository.lockWait): (() => void) =>
  takeLock({
    path: repository.layout.catalogLock,
    wait,
    ids: repository.ids,
    durability: { fsync: false },
  });

/** Takes the lock; returns null if another process holds it for as long, nothing can be written, or something is being forgotten. */
export function lockIfPossible(repository: Repository, wait: number): (() => void) | null {
  const { layout } = repository;
  try {
    accessSync(layout.root, constants.W_OK);
    const release = lockCatalog(repository, Math.min(wait, repository.lockWait));
    // Text that a forgetting that was cut off removes must not come back.
    if (!exists(layout.forgettingPlan)) return release;
    release();
    return null;
  } catch {
    return null;
  }
}

/** Checks if an error says that a file or folder of the catalog cannot be written: a full disk, no right to, something in its place. */
export function isWriteFailure(error: unknown): boolean {
  if (error instanceof CtxError) return error.code === 'io' || error.code === 'damaged';
  return /^E[A-Z]+$/.test(errorCode(error));
}
