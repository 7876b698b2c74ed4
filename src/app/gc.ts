/** `ctx gc`: packs the store, and expires archived steps only when asked. */
import { CtxError } from '../core/errors.ts';
import {
  countObjects,
  hasGit,
  keepHeadsLoose,
  type ObjectCounts,
  repackWithGit,
  repackWithoutGit,
  runQuietly,
} from '../store/gc.ts';
import { checkEverything } from '../store/guard.ts';
import { restartReflog } from '../store/reflog.ts';
import type { Repository } from '../store/repository.ts';
import { expiredChains, squashChain } from '../store/squash.ts';
import { transact } from '../store/transaction.ts';
import { verifyStore } from '../store/verify/index.ts';

/** Nothing younger than this is ever removed, in seconds: two weeks. */
const YOUNGEST = 1_209_600;

export interface GcOptions {
  dryRun?: boolean | undefined;
  /** Squash archived chains whose last activity is older than so many seconds. */
  expireSteps?: number | undefined;
  /** Do without Git even where it is installed. */
  withoutGit?: boolean | undefined;
}

export interface GcResult {
  dry_run: boolean;
  with: 'git' | 'isomorphic-git';
  before: ObjectCounts;
  after: ObjectCounts;
  /** Sessions whose archived steps were squashed into one. What they held is removed only where Git is installed. */
  expired: { session_id: string; steps: number }[];
}

/** Packs the store. @throws {CtxError} busy, damaged, io, unsupported_store */
export async function collectGarbage(repository: Repository, options: GcOptions = {}): Promise<GcResult> {
  checkEverything(repository.layout);
  const git = !options.withoutGit && hasGit(repository);
  const before = countObjects(repository);
  const expired =
    options.expireSteps === undefined ? [] : expire(repository, options.expireSteps, options.dryRun === true);
  if (!options.dryRun) {
    if (git) pack(repository);
    else await repackWithoutGit(repository);
    // Removes what nothing names any more, if it is older than two weeks; under LOCK, beside no write of ours.
    if (git && expired.length > 0) prune(repository);
    keepHeadsLoose(repository);
  }
  return {
    dry_run: options.dryRun === true,
    with: git ? 'git' : 'isomorphic-git',
    before,
    after: countObjects(repository),
    expired,
  };
}

/** Packs with Git. Where it fails for damage, Git often does not say what is damaged: our own check does. */
function pack(repository: Repository): void {
  try {
    repackWithGit(repository);
  } catch (cause) {
    for (const { severity, where, message, hint } of verifyStore(repository, true))
      if (severity === 'damage')
        throw new CtxError('damaged', `Git cannot pack the store: ${where}: ${message}`, { hint, cause });
    throw cause;
  }
}

/** Squashes expired chains: one step each, under one lock. */
function expire(repository: Repository, age: number, dryRun: boolean): GcResult['expired'] {
  const now = repository.clock();
  const before = now - Math.max(age, YOUNGEST);
  if (dryRun) {
    return [...expiredChains(repository, before)].map(({ chain: { session } }) => ({
      session_id: session.session_id,
      steps: session.step,
    }));
  }
  const expired: { session_id: string; steps: number; ref: string; head: string }[] = [];
  transact(repository, { command: 'gc', message: 'expire steps' }, (transaction) => {
    for (const { ref, head, chain } of expiredChains(repository, before)) {
      const squashed = squashChain(repository.objects, head, chain, now);
      transaction.move(ref, head, squashed);
      expired.push({ session_id: chain.session.session_id, steps: chain.session.step, ref, head: squashed });
    }
    transaction.afterwards(() => {
      // The reflog would hold on to the steps for ever.
      if (!dryRun)
        for (const { ref, head } of expired)
          restartReflog(repository.layout.root, ref, head, now, repository.durability);
    });
  });
  return expired.map(({ session_id, steps }) => ({ session_id, steps }));
}

function prune(repository: Repository): void {
  transact(repository, { command: 'gc', message: 'prune' }, () =>
    runQuietly(repository, ['prune', '--expire=2.weeks.ago']),
  );
}
