/** What a command that writes does for those to come, once its own work is done: nothing that grows with the past is left to a hot path. */
import { CtxError } from '../core/errors.ts';
import { foldOperations } from './operations/operation-fold.ts';
import { packArchive } from './store/pack-archive.ts';
import type { Repository } from './store/repository.ts';

/**
 * Folds the operation log and packs the refs of ended sessions, each where it is due and a bounded part at a time. What fails is
 * no failure of the command, which has done its work: the next one tries again, and the check tells what is damaged. Only under LOCK.
 */
export function keepUp(repository: Repository): void {
  doAll(
    () => foldOperations(repository),
    () => packArchive(repository),
  );
}

/** The same with all that there is. */
export function keepUpWhole(repository: Repository): void {
  const all = Number.POSITIVE_INFINITY;
  doAll(
    () => foldOperations(repository, all),
    () => packArchive(repository, 1, all),
    () => repository.secondNames.dropOld(all),
  );
}

function doAll(...steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof CtxError) || error.code === 'bug') throw error;
    }
  }
}
