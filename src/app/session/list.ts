/** `ctx stage list` and `ctx stage switch`: list the open sessions, and choose the current one. */
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
import { type ActiveStatus, describe } from './status.ts';

export interface ListedSession {
  session_id: string;
  task_description: string;
  session_state: SessionState;
  step: number;
  pending_observations: number;
  last_activity: number;
  idle_secs: number;
  staleness: Staleness;
  agent: string | null;
  /** The session that started this one as a sub-agent, or that it is a copy of. */
  parent_session_id: string | null;
  /** Whether STAGE names it. */
  current: boolean;
}

/** A pointer that cannot be read, and why: a session's, or STAGE if the current session is unknown. */
export interface DamagedPointer {
  ref: string;
  damaged: string;
  hint: string | null;
}

/** Lists the open sessions, the one with the latest activity first, then the damaged pointers. */
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
  // If the current session's pointer is gone, the others may be, too.
  if (stage !== null && !refs.includes(stage) && repository.refs.stage() === stage)
    tried(stage, () => {
      throw danglingStage(repository, stage);
    });
  const sessions: ListedSession[] = [];
  for (const ref of refs) {
    const listed = tried(ref, () => listSession(repository, ref, stage));
    if (listed) sessions.push(listed);
  }
  sessions.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
  return [...sessions, ...damaged];
}

/** Describes one open session; null if it has ended meanwhile. @throws {CtxError} damaged */
function listSession(repository: Repository, ref: string, stage: string | null): ListedSession | null {
  const head = repository.refs.read(ref);
  if (head === null) return null;
  checkPlace(repository, ref);
  const session = openSession(repository, ref, head);
  const status = describe(repository, session);
  return {
    session_id: status.session_id,
    task_description: status.task_description,
    session_state: status.session_state,
    step: status.step,
    pending_observations: status.pending_observations,
    last_activity: status.last_activity,
    idle_secs: status.idle_secs,
    staleness: status.staleness,
    agent: status.agent,
    parent_session_id: parentOf(repository, session.session),
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
