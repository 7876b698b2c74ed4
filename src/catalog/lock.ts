/** The lock of the catalog: who holds it may write there, or remove something from it for good. */
import type { Repository } from '../history/store/repository.ts';
import { takeLock } from '../platform/lock.ts';

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
