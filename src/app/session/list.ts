/** `ctx stage list` and `ctx stage switch`: the open sessions, and which of them is the current one. */
import { CtxError } from '../../core/errors.ts';
import type { Staleness } from '../../core/stale.ts';
import type { SessionState } from '../../core/state.ts';
import { SESSIONS } from '../../git/layout.ts';
import { resolveSession } from '../../history/pointers/current.ts';
import { checkPlace } from '../../history/pointers/places.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { parentOf } from '../transcript/source.ts';
import { checkNoneActive, danglingStage, openSession } from './active.ts';
import { openRow, type SessionRow, shortIdsOf } from './row.ts';
import { type ActiveStatus, describe } from './status.ts';

/** An open session, with what `ctx stage list` shows of it. */
export interface ListedSession extends SessionRow {
  task_description: string;
  session_state: SessionState;
  step: number;
  pending_observations: number;
  idle_secs: number;
  staleness: Staleness;
  /** Whether STAGE names it. */
  current: boolean;
}

/** A pointer that cannot be read, and why: that of a session, or STAGE where nobody can tell which one is the current one. */
export interface DamagedPointer {
  ref: string;
  damaged: string;
  hint: string | null;
}

/** The open sessions, the one with the latest activity first, then the pointers that are damaged. */
export function listSessions(repository: Repository): (ListedSession | DamagedPointer)[] {
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
  // Where its own pointer is gone, the others may be, too.
  if (stage !== null && !refs.includes(stage) && repository.refs.stage() === stage)
    tried(stage, () => {
      throw danglingStage(repository, stage);
    });
  const short = shortIdsOf(repository);
  const sessions: ListedSession[] = [];
  for (const ref of refs) {
    const listed = tried(ref, () => listSession(repository, ref, stage, short));
    if (listed) sessions.push(listed);
  }
  sessions.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
  return [...sessions, ...damaged];
}

/** One open session; null where it has ended meanwhile. @throws {CtxError} damaged */
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
    ...openRow(active.session, parentOf(repository, active.session), idle_secs, short),
    ...{ session_id, task_description, session_state, step, pending_observations, last_activity, idle_secs, staleness },
    current: ref === stage,
  };
}

export interface SwitchResult {
  /** The session that was current before, or null. */
  previous: string | null;
  status: ActiveStatus;
}

/** Makes an open session the current one. @throws {CtxError} not_found, ambiguous, busy */
export function switchSession(repository: Repository, given: string): SwitchResult {
  return transact(repository, { command: 'stage switch', message: 'switch' }, (transaction) => {
    const ref = resolveSession(repository, given);
    const stage = transaction.stage();
    const head = transaction.read(ref) as string;
    transaction.move('STAGE', stage, ref);
    const status = describe(repository, openSession(repository, ref, head));
    return { previous: stage === null ? null : stage.slice(SESSIONS.length), status };
  });
}
