/** Reads the session that a command works on: its chain, and its pending records. */
import { CtxError, damaged } from '../../core/errors.ts';
import { distinctReports } from '../../core/intake/backlog.ts';
import { isStopped } from '../../core/listing/status.ts';
import { isActivity } from '../../core/records/table.ts';
import type { Session } from '../../core/session/session.ts';
import { idleSeconds, type Staleness, staleness } from '../../core/stale.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, isStep, readChain, readCommit } from '../../history/chain/chain.ts';
import { readWaiting, type Waiting } from '../../history/chain/unflushed.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import type { Pending } from '../../history/pending/pending.ts';
import { currentRef } from '../../history/pointers/current.ts';
import { lostStage, stageWasLeft } from '../../history/pointers/lost-stage.ts';
import { hasBegun } from '../../history/pointers/oplog.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Transaction } from '../../history/transaction.ts';

/** An open session. */
export interface ActiveSession {
  ref: string;
  chain: Chain;
  session: Session;
  /** Records that are in no step yet, each event once. */
  pending: Pending[];
  /** The same with all reports of an event, for the flush that takes them. */
  waiting: Waiting;
  /** Unix seconds of the last record, in the chain or pending. Reading never changes it. */
  last_activity: number;
}

/** Opens the session that a ref names. */
export function openSession(repository: Repository, ref: string, head: string): ActiveSession {
  const chain = readChain(repository.objects, head, ref);
  const waiting = readWaiting(repository, chain);
  const pending = distinctReports(waiting.records);
  // A question of ctx's own is no activity: one that was interrupted while it was put is put again.
  const done = pending.filter(({ record }) => isActivity(record));
  const last_activity = done.reduce((last, item) => Math.max(last, item.record.at), chain.session.last_activity);
  return { ref, chain, session: chain.session, pending, waiting, last_activity };
}

/** Number of times that a reader retries if a session ends while it is read. */
const LOOKS = 5;

/**
 * Returns the session that STAGE names, or the requested one; null if no session is active.
 * @throws {CtxError} damaged, not_found, ambiguous
 */
export function activeSession(repository: Repository): ActiveSession | null {
  for (let look = 1; ; look += 1) {
    const ref = currentRef(repository);
    if (ref === null) return null;
    const head = repository.refs.read(ref);
    if (head !== null) {
      const active = openSession(repository, ref, head);
      // A flush between the two reads would leave its records in neither.
      if (look === LOOKS || repository.refs.read(ref) === head) return active;
      continue;
    }
    // The session was compacted between the two reads, or an operation is half-done: STAGE moves first, so a retry
    // decides.
    if (look < LOOKS && repository.refs.stage() !== ref) continue;
    throw danglingStage(repository, ref);
  }
}

export function danglingStage(repository: Repository, ref: string): CtxError {
  const cutOff = hasBegun(repository);
  return damaged('STAGE', `it names ${ref}, which does not exist`, {
    hint: cutOff ? 'An operation was cut off. Finish it with: ctx recover' : 'Repair it with: ctx fsck --repair',
  });
}

/** Makes the error that no session is active: none was begun, or STAGE is lost. */
export function noActiveSession(repository: Repository): CtxError {
  return (
    lostStageError(repository) ??
    new CtxError('no_active_session', 'No session is active.', { hint: 'Begin one with: ctx start "<task>"' })
  );
}

/** Returns what is wrong if STAGE is gone although a session is, or may be, active; else null. */
function lostStageError(repository: Repository): CtxError | null {
  if (stageWasLeft(repository)) return null;
  const lost = lostStage(repository);
  // A repair that set aside unreadable entries has already said that the last value is unknown.
  if (lost === null || (lost.kind === 'untold' && !lost.isTorn)) return null;
  const cause =
    lost.kind === 'untold'
      ? 'what moved it last may be what is torn in oplog/'
      : `was last set to ${lost.last}${lost.kind === 'gone' ? ', which is gone too' : ''}`;
  return damaged('STAGE', `it is gone, and ${cause}`, { hint: 'Repair it with: ctx fsck --repair' });
}

/** Throws if STAGE is lost. @throws {CtxError} damaged, if STAGE is gone although a session is active, or may be */
export function checkNoneActive(repository: Repository): void {
  const lost = lostStageError(repository);
  if (lost !== null) throw lost;
}

/**
 * Makes a session the active one, if none is.
 * @param onTrouble called if it is unknown whether one is active: then the session stays open beside it, since what an
 * agent's hook reports must not be lost
 * @returns whether STAGE names the session afterwards
 * @throws {CtxError} damaged, if STAGE is torn, or gone although a session is active, or may be
 */
export function becomeActive(
  repository: Repository,
  transaction: Transaction,
  ref: string,
  onTrouble?: (problem: CtxError) => void,
): boolean {
  try {
    const stage = transaction.stage();
    if (stage !== null) return stage === ref;
    checkNoneActive(repository);
  } catch (error) {
    if (!onTrouble || !(error instanceof CtxError) || error.code !== 'damaged') throw error;
    onTrouble(error);
    return false;
  }
  // Records that still come in after its user has stopped a session do not make it the current one again.
  const head = transaction.read(ref);
  if (head !== null && isStopped(readChain(repository.objects, head).session)) return false;
  transaction.move('STAGE', null, ref);
  return true;
}

/** Returns the active session; null if none was begun. @throws {CtxError} damaged, also if STAGE is lost */
export function activeOrNone(repository: Repository): ActiveSession | null {
  const active = activeSession(repository);
  if (!active) checkNoneActive(repository);
  return active;
}

/** Returns the active session. @throws {CtxError} no_active_session */
export function requireActive(repository: Repository): ActiveSession {
  const active = activeSession(repository);
  if (!active) throw noActiveSession(repository);
  return active;
}

/** The session that a change works on, as its transaction sees it. */
interface Current {
  ref: string;
  head: string;
  chain: Chain;
}

/**
 * Returns the current session within a transaction.
 * @throws {CtxError} no_active_session, not_found, ambiguous, damaged
 */
export function requireCurrent(repository: Repository, transaction: Transaction): Current {
  const ref = currentRef(repository);
  if (ref === null) throw noActiveSession(repository);
  const head = transaction.read(ref);
  if (head === null) throw danglingStage(repository, ref);
  return { ref, head, chain: readChain(repository.objects, head, ref) };
}

/**
 * Returns the head of the main line, which every store has.
 * @throws {CtxError} damaged, if it is lost or names a step
 */
export function requireMain(objects: ObjectStore, read: (ref: string) => string | null): string {
  const main = read(MAIN);
  const hint = 'Nothing was changed. Restore it with: ctx fsck --repair';
  if (main === null) throw damaged(MAIN, 'it is missing', { hint });
  if (isStep(readCommit(objects, main).message)) throw damaged(MAIN, `it names ${main}, a step of a session`, { hint });
  return main;
}

/** Returns the seconds without activity, and what they mean. */
export function idleness(repository: Repository, active: ActiveSession): { idle_secs: number; staleness: Staleness } {
  const idle_secs = idleSeconds(active.last_activity, repository.clock());
  return { idle_secs, staleness: staleness(idle_secs, repository.settings) };
}

export const sessionIdOf = (ref: string): string => ref.slice(SESSIONS.length);
