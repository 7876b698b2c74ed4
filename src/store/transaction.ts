/** A change of the store: under LOCK, what was cut off is finished first, then objects, then pointers, then clean-up. */
import { CtxError } from '../core/errors.ts';
import { plural } from '../core/text.ts';
import { exists } from '../platform/files.ts';
import { takeLock } from '../platform/lock.ts';
import { type Chain, readChain, readRecords, type StepRecord, writeStep } from './chain.ts';
import { archiveRef, SESSIONS, sessionRef } from './layout.ts';
import { finishBegun, hasBegun, publish } from './oplog.ts';
import { adoptObjects, readPending, removePending, sessionsWithPending } from './pending.ts';
import type { PointerMove } from './pointer.ts';
import type { Repository } from './repository.ts';

/** What a change has decided: pointers to move, and what to do once they have moved. */
export interface Transaction {
  /** What a ref names: as it is planned to, else as it stands. */
  read: (ref: string) => string | null;
  /** The ref that STAGE names: as it is planned to, else as it stands. */
  stage: () => string | null;
  /** Plans a move; the last plan for a pointer counts, from the value the first one saw. */
  move: (pointer: string, old: string | null, next: string | null) => void;
  /** Runs after the pointers have moved; what it leaves undone after a kill must be harmless. */
  afterwards: (task: () => void) => void;
  /** What this transaction found half-done and finished, in words. */
  finished: string[];
}

export interface Change {
  /** The command, as in `stage compact`. */
  command: string;
  /** What it does, for the reflog. */
  message: string;
  /** Leave what was cut off as it is: for repairs, which must come before anything can be finished. */
  untidied?: boolean;
  /** Stand in the operation log even where one pointer moves, so that it can be undone. */
  logged?: boolean;
}

/**
 * Runs a change under LOCK. Its objects are durable before the first pointer moves; one pointer moves by compare-and-swap,
 * several through the operation log.
 * @throws {CtxError} busy, when LOCK was not free in time
 */
export function transact<T>(repository: Repository, change: Change, body: (transaction: Transaction) => T): T {
  const { layout, ids, durability } = repository;
  const release = takeLock({ path: layout.lock, wait: repository.lockWait, ids, durability });
  try {
    repository.refs.clearLeftovers();
    const finished = change.untidied ? [] : tidyUp(repository);
    const moves = new Map<string, PointerMove>();
    const tasks: (() => void)[] = [];
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
      afterwards: (task) => tasks.push(task),
      finished,
    });
    makeMoves(repository, change, [...moves.values()]);
    for (const task of tasks) task();
    return result;
  } finally {
    release();
  }
}

function makeMoves(repository: Repository, change: Change, moves: PointerMove[]): void {
  const real = moves.filter((move) => move.old !== move.new).sort((a, b) => rank(a) - rank(b));
  const [only] = real;
  const at = repository.clock();
  if (real.length === 1 && only && only.pointer !== 'STAGE' && !change.logged)
    repository.refs.move(only, { at, message: change.message });
  else if (real.length > 0)
    publish(repository, {
      version: 1,
      id: repository.ids(),
      at,
      command: change.command,
      message: change.message,
      moves: real,
    });
}

/** What is made comes first, then STAGE, then what goes: STAGE never names a session that is not there. */
function rank(move: PointerMove): number {
  if (move.pointer === 'STAGE') return 1;
  return move.new === null ? 2 : 0;
}

/** Whether a killed process has left anything that a transaction would finish. */
export function hasLeftovers(repository: Repository): boolean {
  const { refs, layout } = repository;
  if (hasBegun(repository) || exists(layout.refMarker) || exists(layout.packedMarker)) return true;
  return sessionsWithPending(repository).some((id) => refs.read(sessionRef(id)) === null);
}

/** Finishes what a killed process has left: a half-done operation, and records that came too late for their session. */
function tidyUp(repository: Repository): string[] {
  const finished: string[] = [];
  const operation = finishBegun(repository);
  if (operation) finished.push(`Finished "${operation.command}", which had been cut off.`);
  for (const id of sessionsWithPending(repository)) {
    try {
      const late = settleLate(repository, id);
      if (late > 0) finished.push(`Kept ${plural(late, 'late record')} of the compacted session ${id}.`);
    } catch (error) {
      // What waits for a session that has ended must not stop the one that is at work; fsck tells more of it.
      if (!(error instanceof CtxError) || error.code === 'busy') throw error;
      finished.push(`Late records of the compacted session ${id} are still waiting: ${error.message}`);
    }
  }
  return finished;
}

/** Puts records that reached a compacted session into a late step on its archive; the canonical commit stays as it is. */
function settleLate(repository: Repository, id: string): number {
  const { refs, objects } = repository;
  if (refs.read(sessionRef(id)) !== null) return 0;
  const archive = archiveRef(id);
  const head = refs.read(archive);
  if (head === null) return 0;
  const chain = readChain(objects, head);
  const next = flushInto(repository, chain, repository.clock());
  if (next.chain !== chain)
    refs.move({ pointer: archive, old: head, new: next.chain.head }, { at: repository.clock(), message: 'late step' });
  next.clean();
  return next.count;
}

/** What a flush has written, before any pointer moves. */
export interface Flushed {
  chain: Chain;
  /** How many waiting records are in the new step. */
  count: number;
  /** Removes the files of the waiting records; for when the pointer has moved. */
  clean: () => void;
}

/**
 * Writes what waits for a session, and the records of a command behind it, into one more step; none where there is nothing
 * to write, unless `always`.
 */
export function flushInto(
  repository: Repository,
  chain: Chain,
  at: number,
  own: readonly StepRecord[] = [],
  always = false,
): Flushed {
  const pending = unflushed(repository, chain);
  const waiting = pending.fresh;
  if (pending.all.length > waiting.length) {
    // Those are in the head's step; once there is another step nobody could tell.
    removePending(
      repository,
      chain.session.session_id,
      pending.all.filter((item) => !waiting.includes(item)),
    );
  }
  const clean = (): void => removePending(repository, chain.session.session_id, waiting);
  if (waiting.length + own.length === 0 && !always) return { chain, count: 0, clean };
  adoptObjects(repository, chain.session.session_id, waiting);
  const next = writeStep(repository.objects, { chain, session: chain.session, records: [...waiting, ...own], at });
  return { chain: next, count: waiting.length, clean };
}

/**
 * What waits for a session. A flush that was killed before it removed its files has left some that are in the head's step:
 * they are in `all`, to be removed, and not in `fresh`.
 */
export function unflushed(
  repository: Repository,
  chain: Chain,
): { all: ReturnType<typeof readPending>; fresh: ReturnType<typeof readPending> } {
  const all = readPending(repository, chain.session.session_id);
  if (all.length === 0) return { all, fresh: all };
  const known = idsOfHead(repository, chain);
  return { all, fresh: all.filter((item) => !known.has(item.record.id)) };
}

/** Ids of the records in the head's step: enough, since every flush removes its files before the next one begins. */
function idsOfHead(repository: Repository, chain: Chain): Set<string> {
  return new Set(readRecords(repository.objects, chain.tree, `step ${chain.head}`, false).map((record) => record.id));
}

/** The ref and chain of the session to work on. @throws {CtxError} no_active_session, not_found, ambiguous, damaged */
export function currentRef(repository: Repository): string | null {
  return repository.session === null ? repository.refs.stage() : resolveSession(repository, repository.session);
}

/** The ref of an open session, by its id or the beginning of one. @throws {CtxError} not_found, ambiguous */
export function resolveSession(repository: Repository, given: string): string {
  const open = [...repository.refs.list(SESSIONS).keys()];
  const exact = open.find((ref) => ref === sessionRef(given));
  const matching = exact ? [exact] : given.length >= 8 ? open.filter((ref) => ref.startsWith(sessionRef(given))) : [];
  const [only] = matching;
  if (matching.length === 1 && only) return only;
  if (matching.length > 1) {
    throw new CtxError('ambiguous', `${given} is the beginning of ${matching.length} sessions.`, {
      hint: `Give more of it: ${matching.map((ref) => ref.slice(SESSIONS.length)).join(', ')}`,
    });
  }
  throw new CtxError('not_found', `There is no open session ${given}.`, {
    hint: 'See the open sessions with: ctx stage list',
  });
}
