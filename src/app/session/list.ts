/** `ctx stage list` and `ctx stage switch`: list the open sessions, and choose the current one. */
import { CtxError } from '../../core/errors.ts';
import { openRow, type SessionRow } from '../../core/listing/row.ts';
import type { Staleness } from '../../core/stale.ts';
import type { SessionState } from '../../core/state.ts';
import { SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { movesOf } from '../../history/operations/operation-files.ts';
import { type Candidate, candidatesHint, shortIdsOf } from '../../history/pointers/candidates.ts';
import { resolveSession } from '../../history/pointers/current.ts';
import { checkPlace } from '../../history/pointers/places.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { parentOf } from '../transcript/source.ts';
import { checkNoneActive, danglingStage, openSession } from './active.ts';
import { activated } from './pause.ts';
import { type ActiveStatus, describe } from './status.ts';

/** An open session, with what `ctx stage list` shows of it. */
export interface ListedSession extends SessionRow {
  session_state: SessionState;
  step: number;
  pending_observations: number;
  idle_secs: number;
  staleness: Staleness;
  /** True if STAGE names it. */
  current: boolean;
}

/** A pointer that cannot be read, and why: a session's, or STAGE if the current session is unknown. */
export interface DamagedPointer {
  ref: string;
  damaged: string;
  hint: string | null;
}

/**
 * Lists the open sessions, the one with the latest activity first, then the damaged pointers.
 * @param short the short ids of all sessions, if the caller has them
 */
export function listSessions(
  repository: Repository,
  short: ReadonlyMap<string, string> = shortIdsOf(repository),
): (ListedSession | DamagedPointer)[] {
  const damaged: DamagedPointer[] = [];
  const tried = <T>(ref: string, look: () => T): T | null => {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
      damaged.push({ ref, damaged: error.message, hint: error.hint ?? null });
      return null;
    }
  };
  const stage = tried('STAGE', () => {
    const named = repository.refs.stage();
    if (named === null) checkNoneActive(repository);
    return named;
  });
  const refs = repository.refs.names(SESSIONS);
  // If the current session's pointer is gone, the others may be, too.
  if (stage !== null && !refs.includes(stage) && repository.refs.stage() === stage)
    tried(stage, () => {
      throw danglingStage(repository, stage);
    });
  const sessions: ListedSession[] = [];
  for (const ref of refs) {
    const listed = tried(ref, () => listSession(repository, ref, stage, short));
    if (listed) sessions.push(listed);
  }
  sessions.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
  return [...sessions, ...damaged];
}

/** Describes one open session; null if it has ended meanwhile. @throws {CtxError} damaged */
function listSession(
  repository: Repository,
  ref: string,
  stage: string | null,
  short: ReadonlyMap<string, string>,
): ListedSession | null {
  const head = repository.refs.read(ref);
  if (head === null) return null;
  checkPlace(repository, ref);
  const active = openSession(repository, ref, head);
  const status = describe(repository, active);
  const { session_id, task_description, session_state, step, pending_observations, last_activity } = status;
  const { idle_secs, staleness } = status;
  return {
    ...openRow(active.session, parentOf(repository, active.session), status.status, short),
    ...{ session_id, task_description, session_state, step, pending_observations, last_activity, idle_secs, staleness },
    current: ref === stage,
  };
}

export type { Candidate };

export interface SwitchResult {
  /** The session that was current before, or null. */
  previous: string | null;
  status: ActiveStatus;
}

/**
 * Makes an open session the current one.
 * @param given its id or a piece of it, a piece of its title, or `-` for the session that was current before
 * @throws {CtxError} not_found, ambiguous, busy
 */
export function switchSession(repository: Repository, given: string): SwitchResult {
  return transact(repository, { command: 'stage switch', message: 'switch', pauses: true }, (transaction) => {
    const ref = given === '-' ? previousRef(repository) : refNamed(repository, given);
    const stage = transaction.stage();
    const head = transaction.read(ref) as string;
    transaction.move('STAGE', stage, ref);
    const now = activated(repository, transaction, openSession(repository, ref, head), 'switch');
    const status = describe(repository, openSession(repository, ref, now));
    return { previous: stage === null ? null : stage.slice(SESSIONS.length), status };
  });
}

/** Returns the ref of the session that was current before, by the operation log. @throws {CtxError} not_found */
function previousRef(repository: Repository): string {
  const stage = repository.refs.stage();
  for (const { old, new: now } of movesOf(repository.layout, 'STAGE')) {
    for (const ref of [now, old]) {
      if (ref !== null && ref !== stage && repository.refs.read(ref) !== null) return ref;
    }
  }
  throw new CtxError('not_found', 'No other open session was current before.', {
    hint: 'See the open sessions with: ctx list --open',
  });
}

/** Returns the ref of an open session by a piece of its id, else of its title. @throws {CtxError} not_found, ambiguous, damaged */
function refNamed(repository: Repository, given: string): string {
  try {
    return resolveSession(repository, given);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'not_found') throw error;
    const found = sessionsTitled(repository, given);
    if (found.length === 0) throw error;
    if (found.length === 1) return sessionRef((found[0] as ListedSession).session_id);
    const candidates = found.map(({ session_id, short_id, title }) => ({ session_id, short_id, title }));
    throw new CtxError('ambiguous', `"${given}" is in the titles of ${found.length} open sessions.`, {
      hint: candidatesHint(candidates),
      data: { candidates: candidates.map(({ session_id }) => session_id), sessions: candidates },
    });
  }
}

/** Returns the open sessions that have a text in their title, in any case; if there are none, those that have it in their task. */
function sessionsTitled(repository: Repository, text: string): ListedSession[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const open = listSessions(repository).filter((one): one is ListedSession => !('damaged' in one));
  const titled = open.filter(({ title }) => title.toLowerCase().includes(wanted));
  return titled.length > 0 ? titled : open.filter((one) => one.task_description.toLowerCase().includes(wanted));
}
