/** `ctx forget`: removes something from the whole store, for good, and keeps it from coming back. */
import { lockCatalog } from '../../catalog/store/lock.ts';
import { CtxError } from '../../core/errors.ts';
import type { ForgottenList } from '../../core/forgotten.ts';
import { plural } from '../../core/text.ts';
import { checkEverything } from '../../git/guard.ts';
import { thenRelease } from '../../git/interruption-errors.ts';
import { type BulkStore, inBulk } from '../../git/objects/bulk.ts';
import { takePacking } from '../../git/packing.ts';
import { dryStore } from '../../history/forget/dry-store.ts';
import { executePlan } from '../../history/forget/execute-plan.ts';
import { isEmpty, planForgetting } from '../../history/forget/plan.ts';
import type { Counts, Planned } from '../../history/forget/planned.ts';
import { pendingNames, sessionsWithPending } from '../../history/pending/pending.ts';
import { checkNoRun, liveRuns } from '../../history/runs/run-status.ts';
import { forgottenStamp, readForgotten } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { exists } from '../../platform/files.ts';
import { withSmallHeap } from '../../platform/memory.ts';
import { refreshMirrors } from '../mirror/refresh.ts';
import { nothingToForget } from './nothing-to-forget.ts';
import { outOfReach } from './out-of-reach.ts';
import { type Aim, aimAt, type ForgetTarget, type What } from './target.ts';

export type { ForgetTarget } from './target.ts';

export interface ForgetOptions {
  /** Only report what would be done; nothing is written. */
  dryRun?: boolean | undefined;
}

export interface ForgetResult extends Counts {
  dry_run: boolean;
  /** Kind of thing that was forgotten. */
  what: What;
  /** That thing in words: its kind, its id, whose and when; never a text. */
  victim: string;
  /** Unix seconds: what the tombstones say. */
  forgotten_at: number;
  /** Folders of the project, below it, in which a mirrored session was written again. */
  mirrored: string[];
  /** Places that this cannot reach, a sentence each. */
  unreachable: string[];
}

/**
 * Forgets a session, a record, a content or a text. All or nothing, and it cannot be undone.
 * @throws {CtxError} not_found, ambiguous, invalid_input, invalid_settings, busy, damaged; unsupported_store, if
 * anything in it is not a plain file or folder
 */
export const forget = (repository: Repository, target: ForgetTarget, options: ForgetOptions = {}): ForgetResult =>
  withSmallHeap(() => {
    const result = planOrForget(repository, target, options);
    if (result.dry_run) return result;
    const { folders, problems } = refreshMirrors(repository);
    return { ...result, mirrored: folders, unreachable: [...problems, ...result.unreachable] };
  });

/** Returns a function that says how far a forgetting has come since. */
export function forgettingSoFar(repository: Repository): () => 'none' | 'begun' | 'done' {
  const before = forgottenStamp(repository);
  return () => {
    if (exists(repository.layout.forgettingPlan)) return 'begun';
    return forgottenStamp(repository) === before ? 'none' : 'done';
  };
}

function planOrForget(repository: Repository, target: ForgetTarget, options: ForgetOptions): ForgetResult {
  if (options.dryRun) {
    checkEverything(repository.layout);
    const aim = aimAt(repository, target, true);
    const planned = planFor(repository, aim, dryStore(repository.objects));
    return described(repository, aim, planned, true);
  }
  checkNoRuns(repository);
  return thenRelease('forget', takeBoth(repository), () =>
    transact(repository, { command: 'forget', message: 'forget' }, ({ finished }) => {
      try {
        return forgetNow(repository, target);
      } catch (error) {
        throw error instanceof CtxError && error.code === 'not_found' ? afterFinishing(error, finished) : error;
      }
    }),
  );
}

/** A run writes what it brings to a log of its own, which nothing else may change. @throws {CtxError} no_such_move */
function checkNoRuns(repository: Repository): void {
  for (const { session_id } of liveRuns(repository)) checkNoRun(repository, session_id);
}

/** Takes the lock for packing and that of the catalog: who feeds the catalog would bring back what is forgotten. */
function takeBoth(repository: Repository): () => void {
  const release = takePacking(repository);
  try {
    const releaseCatalog = lockCatalog(repository);
    return () => {
      releaseCatalog();
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** An interrupted `forget` that was just finished may have removed the target. */
const afterFinishing = (error: CtxError, finished: readonly string[]): CtxError =>
  finished.length === 0
    ? error
    : new CtxError(error.code, error.message, {
        hint: `${finished.join(' ')} What it had to forget is gone.`,
        cause: error,
      });

function forgetNow(repository: Repository, target: ForgetTarget): ForgetResult {
  checkEverything(repository.layout);
  const aim = aimAt(repository, target, false);
  const waiting = waitingFiles(repository);
  const { planned, result } = inQuarantine(repository, (objects) => {
    const all = planFor(repository, aim, objects);
    // A place that cannot be reached is described by the present store.
    return { planned: all, result: described(repository, aim, all, false) };
  });
  executePlan(repository, planned);
  forgetLatecomers(repository, aim, waiting);
  return result;
}

/**
 * If a kill comes before anything has begun, what was written lies beside the staged files, and is removed with them.
 */
const inQuarantine = <T>(repository: Repository, work: (objects: BulkStore) => T): T =>
  inBulk(repository, work, { quarantine: repository.layout.forgetting });

const waitingFiles = (repository: Repository): Set<string> =>
  new Set(sessionsWithPending(repository).flatMap((id) => pendingNames(repository, id)));

/** Observing takes no lock: an observer that began earlier may have recorded the target since. */
function forgetLatecomers(repository: Repository, aim: Aim, waiting: ReadonlySet<string>): void {
  if ([...waitingFiles(repository)].every((name) => waiting.has(name))) return;
  try {
    const planned = inQuarantine(repository, (objects) => planFor(repository, aim, objects));
    executePlan(repository, planned);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'not_found') throw error;
  }
}

function planFor(repository: Repository, aim: Aim, store: Parameters<typeof planForgetting>[1]): Planned {
  const list = merged(readForgotten(repository), aim.list);
  const message = (counts: Counts): string =>
    `forget a ${aim.what}: ${plural(counts.steps, 'step')}, ${plural(counts.canonical_commits, 'canonical commit')}, ${plural(counts.objects, 'object')}`;
  const planned = planForgetting(repository, store, { forgetting: aim.forgetting, list, message });
  if (isEmpty(planned)) throw nothingToForget(aim.what, planned.counts);
  return planned;
}

function described(repository: Repository, aim: Aim, { counts }: Planned, dry_run: boolean): ForgetResult {
  return {
    dry_run,
    what: aim.what,
    victim: aim.victim,
    forgotten_at: aim.forgetting.at,
    ...counts,
    mirrored: [],
    unreachable: outOfReach(repository, aim, counts),
  };
}

/** Merges the lists of what was forgotten before and now, without duplicates. */
function merged(before: ForgottenList, more: ForgottenList): ForgottenList {
  const both = <T>(one: readonly T[], other: readonly T[], key: (item: T) => string): T[] => [
    ...new Map([...one, ...other].map((item) => [key(item), item])).values(),
  ];
  return {
    ...more,
    texts: both(before.texts, more.texts, (text) => text.hash),
    wholes: both(before.wholes, more.wholes, (whole) => whole.hash),
    sources: both(before.sources, more.sources, (source) => source.hash),
    contents: both(before.contents, more.contents, (content) => content),
  };
}
