/** `ctx stage list` and `ctx stage switch`: the open sessions, and which of them is the current one. */
import type { Staleness } from '../core/stale.ts';
import type { SessionState } from '../core/state.ts';
import { SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { resolveSession, transact } from '../store/transaction.ts';
import { openSession } from './active.ts';
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
  /** Whether STAGE names it. */
  current: boolean;
}

/** Every open session, the one with the latest activity first. */
export function listSessions(repository: Repository): ListedSession[] {
  const stage = repository.refs.stage();
  const listed: ListedSession[] = [];
  for (const [ref, head] of repository.refs.list(SESSIONS)) {
    const status = describe(repository, openSession(repository, ref, head));
    listed.push({
      session_id: status.session_id,
      task_description: status.task_description,
      session_state: status.session_state,
      step: status.step,
      pending_observations: status.pending_observations,
      last_activity: status.last_activity,
      idle_secs: status.idle_secs,
      staleness: status.staleness,
      agent: status.agent,
      current: ref === stage,
    });
  }
  return listed.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
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
