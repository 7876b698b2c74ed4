/** Runs a change of the store under LOCK: completes interrupted work first, then objects, then pointers, then clean-up. */
import { CtxError } from '../core/errors.ts';
import { plural } from '../core/text.ts';
import { errorAfterAll, errorHalfway, isObstruction, thenRelease } from '../git/interruption-errors.ts';
import { holdsPacking, takePacking } from '../git/packing.ts';
import type { PointerMove } from '../git/refs/pointer.ts';
import { syncStore } from '../git/sync-store.ts';
import { timeLimit } from '../platform/clock.ts';
import { exists } from '../platform/files.ts';
import { takeLock } from '../platform/lock.ts';
import { checkPinned, whilePinned } from '../platform/pinned-folders.ts';
import { pauseIdle } from './auto-pause.ts';
import { relieveBacklog } from './flush.ts';
import { finishForgetting, isForgetting, listForgotten } from './forget/execute-plan.ts';
import { finishGrowth, isGrowthPlanned } from './growth.ts';
import { flushLate, isLate } from './late-records.ts';
import { SESSIONS } from './names/layout.ts';
import { sessionsWithChoice, settleChoice, wasAnswered } from './pending/choices.ts';
import { sessionsWithPending } from './pending/pending.ts';
import { finishBegun, hasBegun, nextOperationId, publish } from './pointers/oplog.ts';
import { checkPlaces } from './pointers/places.ts';
import { settleDeadRuns } from './settle-run.ts';
import type { Repository } from './store/repository.ts';
import { keepUp } from './upkeep.ts';

/** The plan of a change: pointers to move, and tasks for afterwards. */
export interface Transaction {
  /** Returns the planned value of a ref, or its present one. */
  read: (ref: string) => string | null;
  /** Returns the ref that STAGE will name, or names now. */
  stage: () => string | null;
  /** Plans a move; a later plan for the same pointer replaces the target of the first one. */
  move: (pointer: string, old: string | null, next: string | null) => void;
  /** Records which operations this one undoes, newest first. */
  undoes: (operations: readonly string[]) => void;
  /** Runs a task after the pointers have moved; it must be harmless if a kill prevents it. */
  afterwards: (task: () => void) => void;
  /** Sentences about interrupted work that this transaction has completed. */
  finished: string[];
}

export interface Change {
  /** The command, such as `stage compact`. */
  command: string;
  /** The message for the reflog. */
  message: string;
  /** Leaves interrupted work as it is: for repairs, which come before anything can be completed. */
  untidied?: boolean;
  /** Runs before anything else under LOCK: a repair that everything else depends on. */
  first?: () => void;
  /** Records the change in the operation log even if a ref only advances, so that it can be undone. */
  logged?: boolean;
  /** Records that the current session is paused if it is idle and the change does not work in it. */
  pauses?: boolean;
  /** Shared by the changes of one command if it makes several; they are logged then. */
  run?: string | undefined;
}

/**
 * Runs a change under LOCK. Its objects are durable before the first pointer moves; one pointer moves by compare-and-swap,
 * several through the operation log.
 * @throws {CtxError} busy, if LOCK was not free in time, or an interrupted forgetting cannot be completed while others pack;
 * damaged, if the change moves a session that is open and archived at once
 */
export function transact<T>(repository: Repository, change: Change, body: (transaction: Transaction) => T): T {
  return whilePinned(repository.layout.root, () => transacted(repository, change, body));
}

function transacted<T>(repository: Repository, change: Change, body: (transaction: Transaction) => T): T {
  const { layout, ids, durability, lockWait } = repository;
  const left = timeLimit(lockWait);
  const finished: string[] = [];
  const beforeBreak = (): void => {
    syncStore(layout, durability);
    finished.push('Removed LOCK, which a process that is gone had left.');
  };
  const underLock = <Made>(work: () => Made): Made => {
    const release = takeLock({ path: layout.lock, wait: left(), ids, durability, beforeBreak });
    return thenRelease(change.command, release, () => {
      checkPinned(layout.root);
      return work();
    });
  };
  const work = (): T => {
    const made = changed(repository, change, body, finished);
    repository.secondNames.restoreLost();
    repository.secondNames.dropOld();
    return made;
  };
  // Nobody begins a forgetting under LOCK, so this check is final.
  const done = underLock(() => {
    if (!waitsToForget(repository)) return { made: work() };
    listForgotten(repository);
    return null;
  });
  if (done) return done.made;
  return thenRelease(change.command, packingToForget(repository, left), () => underLock(work));
}

/** Returns whether a begun forgetting must be completed first while others may pack. */
const waitsToForget = (repository: Repository): boolean =>
  exists(repository.layout.forgettingPlan) && !holdsPacking(repository);

/** Takes the packing lock: a Git that has read the forgotten objects would bring them back with its pack. Never after LOCK. */
function packingToForget(repository: Repository, left: () => number): () => void {
  try {
    return takePacking(repository, left);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    const message = `A forgetting that was cut off must be finished first, and has to wait. ${error.message}`;
    // Without a pointer in its data, so that the caller does not plan again and wait once more.
    throw new CtxError('busy', message, { hint: error.hint, cause: error });
  }
}

/** Completes interrupted work, lets the change plan, and carries out its plan. Only under LOCK. */
function changed<T>(
  repository: Repository,
  change: Change,
  body: (transaction: Transaction) => T,
  finished: string[],
): T {
  change.first?.();
  repository.refs.clearLeftovers();
  if (!change.untidied) finished.push(...tidyUp(repository));
  const moves = new Map<string, PointerMove>();
  const tasks: (() => void)[] = [];
  let undone: readonly string[] | undefined;
  const planned = (pointer: string, now: () => string | null): string | null => {
    const move = moves.get(pointer);
    return move ? move.new : now();
  };
  const result = body({
    read: (ref) => planned(ref, () => repository.refs.read(ref)),
    stage: () => planned('STAGE', () => repository.refs.stage()),
    move: (pointer, old, next) => {
      const first = moves.get(pointer);
      moves.set(pointer, { pointer, old: first ? first.old : old, new: next });
    },
    undoes: (operations) => {
      undone = operations;
    },
    afterwards: (task) => tasks.push(task),
    finished,
  });
  if (change.pauses) pauseOther(repository, moves);
  const isLogged = makeMoves(repository, change, [...moves.values()], undone);
  try {
    for (const task of tasks) task();
  } catch (error) {
    throw isObstruction(error) ? errorHalfway(change.command, error) : error;
  }
  if (isLogged) keepUp(repository);
  return result;
}

/** Records the pause of the current session if it is idle, and the change does not work in it. */
function pauseOther(repository: Repository, moves: ReadonlyMap<string, PointerMove>): void {
  try {
    const stage = repository.refs.stage();
    const notice = stage === null || moves.has(stage) ? null : pauseIdle(repository, stage);
    if (notice !== null) repository.notices.push(notice);
  } catch (error) {
    // The commands that work in that session report what is damaged.
    if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
  }
}

/** Makes the moves. @returns whether they are in the operation log */
function makeMoves(
  repository: Repository,
  change: Change,
  moves: PointerMove[],
  undone: readonly string[] | undefined,
): boolean {
  checkPinned(repository.layout.root);
  const real = moves.filter((move) => move.old !== move.new).sort((a, b) => rank(a) - rank(b));
  checkPlaces(repository, real);
  if (real.length > 0) repository.secondNames.sync();
  const [only] = real;
  const at = repository.clock();
  if (real.length === 0) return false;
  if (real.length === 1 && only && !isDecision(only) && !change.logged) {
    moveAlone(repository, change, only, at);
    return false;
  }
  publish(repository, {
    version: 1,
    id: nextOperationId(repository),
    at,
    command: change.command,
    message: change.message,
    ...(change.run === undefined ? {} : { run: change.run }),
    ...(undone === undefined ? {} : { undone }),
    moves: real,
  });
  return true;
}

/** Moves the only pointer of a change. The disk may fail after the move, when it is synced. */
function moveAlone({ refs }: Repository, { command, message }: Change, move: PointerMove, at: number): void {
  try {
    refs.move(move, { at, message });
  } catch (error) {
    if (!isObstruction(error)) throw error;
    let now: string | null;
    try {
      now = refs.read(move.pointer);
    } catch {
      throw errorHalfway(command, error);
    }
    throw now === move.new ? errorAfterAll(command, error) : error;
  }
}

/** Returns whether a move alone can be undone: a session begins, ends or becomes active. */
const isDecision = ({ pointer, old, new: next }: PointerMove): boolean =>
  pointer === 'STAGE' || (pointer.startsWith(SESSIONS) && (old === null || next === null));

/** Creations come first, then STAGE, then deletions: STAGE never names an absent session. */
function rank(move: PointerMove): number {
  if (move.pointer === 'STAGE') return 1;
  return move.new === null ? 2 : 0;
}

/** Returns whether a killed process has left anything that a transaction would complete. */
export function hasLeftovers(repository: Repository): boolean {
  const { layout } = repository;
  if (hasBegun(repository) || isForgetting(layout)) return true;
  if (isGrowthPlanned(repository) || exists(layout.refMarker) || exists(layout.packedMarker)) return true;
  if (sessionsWithChoice(repository).some((id) => wasAnswered(repository, id))) return true;
  return sessionsWithPending(repository).some((id) => isLate(repository, id));
}

/** Settles a question; a torn one of one session must not block another session, and fsck reports it. */
function settled(repository: Repository, id: string): string[] {
  try {
    settleChoice(repository, id);
    return [];
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
    return [`The question of the session ${id} cannot be read: ${error.message}`];
  }
}

/** Saves what killed runs have left; a failure blocks no other session, and the log stays. */
function settledRuns(repository: Repository): string[] {
  try {
    return [...settleDeadRuns(repository)];
  } catch (error) {
    if (!(error instanceof CtxError) || error.code === 'busy') throw error;
    return [`What a run had brought could not be saved yet: ${error.message}`];
  }
}

/** Completes what a killed process has left: a begun operation, more records than one step can hold, late records. */
function tidyUp(repository: Repository): string[] {
  const finished: string[] = [];
  if (isForgetting(repository.layout)) {
    const whole = 'Finished a forgetting, which had been cut off.';
    const begun = 'Took away what a forgetting had staged, which was cut off before it began.';
    finished.push(finishForgetting(repository) ? whole : begun);
  }
  const settledBegun = finishBegun(repository);
  if (settledBegun !== null) finished.push(settledBegun);
  // Before anything else moves the pointer of its session.
  const grown = finishGrowth(repository);
  if (grown !== null) finished.push(grown);
  for (const id of sessionsWithChoice(repository)) finished.push(...settled(repository, id));
  if (exists(repository.layout.runs)) finished.push(...settledRuns(repository));
  for (const id of sessionsWithPending(repository)) {
    try {
      finished.push(...relieveBacklog(repository, id));
      const late = flushLate(repository, id);
      if (late > 0) finished.push(`Kept ${plural(late, 'late record')} of the session ${id}, which has ended.`);
    } catch (error) {
      // Pending records of one session must not block another one; fsck reports the error.
      if (!(error instanceof CtxError) || error.code === 'busy') throw error;
      finished.push(`What waits for the session ${id} could not be kept yet: ${error.message}`);
    }
  }
  return finished;
}
