/** Maintenance after a command that writes: keeps everything that grows with history away from the hot path. */
import { CtxError } from '../core/errors.ts';
import { foldOperations } from './operations/operation-fold.ts';
import { packArchive } from './store/pack-archive.ts';
import type { Repository } from './store/repository.ts';

/**
 * Folds the operation log and packs the refs of ended sessions, each when it is due and in bounded parts. An error does not
 * fail the command, whose work is done: the next command tries again, and fsck reports damage. Only under LOCK.
 */
export function keepUp(repository: Repository): void {
  doAll(
    () => foldOperations(repository),
    () => packArchive(repository),
  );
}

/** Does all of the maintenance at once. */
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
