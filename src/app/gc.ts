/** `ctx gc`: packs the store, and expires archived steps only when asked. */
import { CtxError } from '../core/errors.ts';
import { hasGit } from '../git/git.ts';
import { checkEverything } from '../git/guard.ts';
import { refuseOversized } from '../git/objects/oversized.ts';
import { checkPacks } from '../git/objects/pack-faults.ts';
import { keepPacking, takePacking } from '../git/packing.ts';
import { restartReflog } from '../git/refs/reflog.ts';
import { keepHeadsLoose, type ObjectCounts, repackWithoutGit, surveyObjects } from '../health/gc/gc.ts';
import { pruneWithGit, YOUNGEST } from '../health/gc/prune.ts';
import { repackWithGit } from '../health/gc/repack.ts';
import { removeAbandoned } from '../health/gc/temporaries.ts';
import { verifyStore } from '../health/verify/index.ts';
import { expiredChains, squashChain } from '../history/pointers/squash.ts';
import type { Repository } from '../history/store/repository.ts';
import { cleanMarks } from '../history/store/trust.ts';
import { transact } from '../history/transaction.ts';
import { keepUpWhole } from '../history/upkeep.ts';
import { type Clock, machineTime } from '../platform/clock.ts';

export interface GcOptions {
  dryRun?: boolean | undefined;
  /** Squash archived chains whose last activity is older than so many seconds. */
  expireSteps?: number | undefined;
  /** Do without Git even if it is installed. */
  withoutGit?: boolean | undefined;
  /** The clock for the age of steps; by default the machine's, since a clock for recorded times makes nothing older. */
  machineTime?: Clock | undefined;
}

export interface GcResult {
  dry_run: boolean;
  with: 'git' | 'isomorphic-git';
  /** Git's message if it failed: then the store was packed without it. */
  git_failed: string | null;
  /** Temporary files that killed processes had left more than a day ago, and that were removed. */
  temporaries: number;
  before: ObjectCounts;
  after: ObjectCounts;
  /** Sessions whose archived steps were squashed into one. Their objects are removed only if Git is installed. */
  expired: { session_id: string; steps: number }[];
}

/**
 * Packs the store.
 * @throws {CtxError} invalid_input, if steps are to expire too early; busy, damaged, io, unsupported_store
 */
export async function collectGarbage(repository: Repository, options: GcOptions = {}): Promise<GcResult> {
  const { expireSteps, dryRun = false } = options;
  if (expireSteps !== undefined && expireSteps < YOUNGEST) {
    throw new CtxError('invalid_input', 'Steps that are younger than two weeks are never squashed.', {
      hint: 'Give an age of 14d or more, as in: ctx gc --expire-steps 90d',
    });
  }
  checkEverything(repository.layout);
  if (!dryRun) cleanMarks();
  const git = !options.withoutGit && hasGit(repository);
  const { counts: before, heavy } = surveyObjects(repository);
  const release = dryRun ? null : takePacking(repository);
  try {
    if (!dryRun) checkPacks(repository.layout);
    if (!dryRun && git) refuseOversized(repository.layout, heavy);
    const expired =
      expireSteps === undefined ? [] : expire(repository, (options.machineTime ?? machineTime)() - expireSteps, dryRun);
    const { failed, temporaries } = dryRun ? UNTOUCHED : await pack(repository, git, expireSteps !== undefined);
    return {
      dry_run: dryRun,
      with: git && failed === null ? 'git' : 'isomorphic-git',
      git_failed: failed,
      temporaries,
      before,
      after: surveyObjects(repository).counts,
      expired,
    };
  } finally {
    release?.();
  }
}

/** Git's message if it failed, and how many files of killed processes were removed. */
type Packed = { failed: string | null; temporaries: number };
const UNTOUCHED: Packed = { failed: null, temporaries: 0 };

async function pack(repository: Repository, git: boolean, prune: boolean): Promise<Packed> {
  // A forgetting that was cut off is finished first: what it is about to remove must not be packed.
  transact(repository, { command: 'gc', message: 'tidy' }, () => undefined);
  const failed = git ? await packWithGit(repository) : null;
  if (failed !== null) keepPacking(repository);
  if (!git || failed !== null) await repackWithoutGit(repository);
  const temporaries = transact(repository, { command: 'gc', message: 'tidy' }, () => {
    if (git && failed === null && prune) pruneWithGit(repository);
    keepHeadsLoose(repository);
    keepUpWhole(repository);
    repository.secondNames.dropPacked();
    return removeAbandoned(repository);
  });
  return { failed, temporaries };
}

/**
 * Packs with Git.
 * @returns null, or Git's message if it failed: then the store is intact, and can be packed without it
 * @throws {CtxError} damaged; Git often does not say what is damaged: ctx's own check does
 */
async function packWithGit(repository: Repository): Promise<string | null> {
  try {
    await repackWithGit(repository);
    return null;
  } catch (cause) {
    if (!(cause instanceof CtxError) || cause.code !== 'io') throw cause;
    for (const { severity, where, message, hint } of verifyStore(repository, true))
      if (severity === 'damage')
        throw new CtxError('damaged', `Git cannot pack the store: ${where}: ${message}`, { hint, cause });
    return cause.message;
  }
}

/** Squashes chains that expired before a time: one step each, under one lock. */
function expire(repository: Repository, before: number, dryRun: boolean): GcResult['expired'] {
  const now = repository.clock();
  if (dryRun) {
    return [...expiredChains(repository, before)].map(({ chain: { session } }) => ({
      session_id: session.session_id,
      steps: session.step,
    }));
  }
  const expired: { session_id: string; steps: number; ref: string; head: string }[] = [];
  transact(repository, { command: 'gc', message: 'expire steps', logged: true }, (transaction) => {
    for (const found of expiredChains(repository, before)) {
      const { ref, chain } = found;
      const squashed = squashChain(repository.objects, found, now);
      transaction.move(ref, chain.head, squashed);
      expired.push({ session_id: chain.session.session_id, steps: chain.session.step, ref, head: squashed });
    }
    transaction.afterwards(() => {
      // The reflog would hold on to the steps for ever.
      for (const { ref, head } of expired) restartReflog(repository.layout.root, ref, head, now, repository.durability);
    });
  });
  return expired.map(({ session_id, steps }) => ({ session_id, steps }));
}
