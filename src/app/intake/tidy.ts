/** Tidies a store after an ingest: everything at once, since an ingest takes long anyway. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';

/**
 * Removes every old second name; other commands remove a few each. A failure is no failure of the ingest, which is
 * done.
 */
export function tidyAfterIngest(repository: Repository): void {
  const { secondNames } = repository;
  if (!secondNames.hasOld()) return;
  try {
    transact(repository, { command: 'ingest', message: 'tidy' }, () => secondNames.dropOld(Number.POSITIVE_INFINITY));
  } catch (error) {
    if (!(error instanceof CtxError) || error.code === 'bug') throw error;
  }
}
