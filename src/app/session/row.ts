/** One session in a list, open or ended. */
import { shownType } from '../../core/commit-types/table.ts';
import { shortIds } from '../../core/listing/short-id.ts';
import { endedStatus, openStatus, type SessionStatus } from '../../core/listing/status.ts';
import { titleOf } from '../../core/listing/title.ts';
import { whereStopped } from '../../core/listing/where-stopped.ts';
import { isEphemeral, type Session } from '../../core/session/session.ts';
import type { StateKind } from '../../core/state.ts';

export interface SessionRow {
  session_id: string;
  /** The shortest end of the id that no other session of the store has. */
  short_id: string;
  title: string;
  /** What kind of work it was said to be; null if nothing was said. */
  type: string | null;
  agent: string | null;
  /** The agent's own id of the conversation; null if no transcript was read. */
  agent_session_id: string | null;
  open: boolean;
  state: StateKind;
  status: SessionStatus;
  /** Name of the commit type by which it ended; null while it is open. */
  ending: string | null;
  /** Unix seconds. */
  started_at: number;
  last_activity: number;
  steps: number;
  /** The session that started this one as a sub-agent, or of which it is a copy. */
  parent_session_id: string | null;
  /** The message with which the copy of that session's conversation ends; null if this is no branch. */
  parent_message_id: string | null;
  /** Whether it is a branch that stays out of lists. */
  ephemeral: boolean;
  continues: string | null;
  /** Where it stopped, in a sentence; null if its state says nothing of that. */
  summary: string | null;
}

type Ids = ReadonlyMap<string, string>;

function rowOf(session: Session, parent: string | null, short: Ids): Omit<SessionRow, 'open' | 'status' | 'ending'> {
  const { session_id, sources, session_state } = session;
  return {
    session_id,
    short_id: short.get(session_id) ?? shortIds([session_id]).get(session_id) ?? session_id,
    title: titleOf(session),
    type: typeof session['type'] === 'string' ? session['type'] : null,
    agent: session.agent,
    agent_session_id: sources.at(-1)?.agent_session_id ?? null,
    state: session_state.kind,
    started_at: session.started_at,
    last_activity: session.last_activity,
    steps: session.step,
    parent_session_id: parent,
    parent_message_id: session.parent_message_id ?? null,
    ephemeral: isEphemeral(session),
    continues: session.continues ?? null,
    summary: whereStopped(session_state),
  };
}

/** Returns the row of an open session. @param idle seconds since its last activity, waiting records included */
export function openRow(session: Session, parent: string | null, idle: number, short: Ids): SessionRow {
  return { ...rowOf(session, parent, short), open: true, status: openStatus(idle), ending: null };
}

/** Returns the row of an ended session, by the session.json of its canonical commit. */
export function endedRow(session: Session, short: Ids): SessionRow {
  const type = session.ended ? shownType(session.ended.type) : null;
  const ending = type && 'type' in type ? String(type.type) : (type?.kind ?? null);
  const row = rowOf(session, session.parent_session_id ?? null, short);
  return { ...row, open: false, status: endedStatus(session.session_state), ending };
}
