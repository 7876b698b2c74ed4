/** `ctx stage status`: what is active, at the cost of one ref, one commit and one small blob. */
import type { Session } from '../core/session.ts';
import type { Staleness } from '../core/stale.ts';
import { allowedVerbs, type SessionState } from '../core/state.ts';
import { newPathCount } from '../store/chain.ts';
import { SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { type ActiveSession, activeSession, idleness } from './active.ts';

export interface ActiveStatus {
  active: true;
  session_id: string;
  task_description: string;
  session_state: SessionState;
  base: string;
  staging_head: string;
  step: number;
  pending_observations: number;
  started_at: number;
  last_activity: number;
  idle_secs: number;
  staleness: Staleness;
  files_touched: number;
  allowed: string[];
  agent: string | null;
}

/** No session is active; others may be open, for `ctx stage switch`. */
export interface InactiveStatus {
  active: false;
  allowed: string[];
  open_sessions: number;
}

export type Status = ActiveStatus | InactiveStatus;

/** Tells what is active; never changes anything. */
export function sessionStatus(repository: Repository): Status {
  const active = activeSession(repository);
  if (active) return describe(repository, active);
  const open_sessions = repository.refs.names(SESSIONS).length;
  return { active: false, allowed: open_sessions > 0 ? ['start', 'switch'] : ['start'], open_sessions };
}

/** Describes an open session, what waits to be flushed counted in. */
export function describe(repository: Repository, active: ActiveSession): ActiveStatus {
  const { session, chain, pending } = active;
  return {
    active: true,
    session_id: session.session_id,
    task_description: session.task_description,
    session_state: session.session_state,
    base: session.base,
    staging_head: chain.head,
    step: session.step,
    pending_observations: pending.length,
    started_at: session.started_at,
    last_activity: active.last_activity,
    ...idleness(repository, active),
    files_touched: filesTouched(repository, active),
    allowed: allowedVerbs(session.session_state.kind),
    agent: session.agent,
  };
}

function filesTouched(repository: Repository, active: ActiveSession): number {
  const session: Session = active.session;
  return (
    session.counts.files +
    newPathCount(
      repository.objects,
      active.chain,
      active.pending.map((item) => item.record),
    )
  );
}
