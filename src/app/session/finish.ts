/** Finishes what a killed process had begun, for commands that change nothing under LOCK themselves. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';

/**
 * Finishes an interrupted operation; if the store is busy, the owner of the lock does.
 * @throws {CtxError} damaged, io
 */
export function finishInterrupted(repository: Repository): void {
  try {
    transact(repository, { command: 'finish', message: 'finish' }, () => undefined);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
  }
}
