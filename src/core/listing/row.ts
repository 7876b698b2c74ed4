/** One session in a list, open or ended. */
import { shownType } from '../commit-types/table.ts';
import { mapPath } from '../origin.ts';
import { isEphemeral, type Session } from '../session/session.ts';
import type { StateKind } from '../state.ts';
import { oneLine } from '../text.ts';
import { shortIds } from './short-id.ts';
import { endedStatus, type SessionStatus } from './status.ts';
import { titleOf } from './title.ts';
import { summaryOf } from './where-stopped.ts';

export interface SessionRow {
  session_id: string;
  /** The shortest end of the id that no other session of the store has. */
  short_id: string;
  title: string;
  /** The task, in the words in which it was given. */
  task_description: string;
  /** Kind of work, as it was named; null if it was not. */
  type: string | null;
  agent: string | null;
  /** The folder that it was worked on in, as the agent names it; null if nothing says so. */
  project: string | null;
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
  /** True if it is a branch that stays out of lists. */
  ephemeral: boolean;
  continues: string | null;
  /** The ended session that it was begun to resume. */
  resumes: string | null;
  /** The point at which it stopped, in a sentence; null if its state says nothing of that. */
  summary: string | null;
}

/** Fields of a row that a line of a list needs. */
export type BriefRow = Pick<
  SessionRow,
  | 'session_id'
  | 'short_id'
  | 'title'
  | 'agent'
  | 'open'
  | 'state'
  | 'status'
  | 'ending'
  | 'started_at'
  | 'last_activity'
  | 'parent_session_id'
  | 'ephemeral'
>;

type Ids = ReadonlyMap<string, string>;

function rowOf(session: Session, parent: string | null, short: Ids): Omit<SessionRow, 'open' | 'status' | 'ending'> {
  const { session_id, sources, session_state } = session;
  return {
    session_id,
    short_id: shortIdOf(session_id, short),
    title: titleOf(session),
    task_description: session.task_description,
    type: session.type ?? null,
    agent: session.agent,
    project: typeof session['cwd'] === 'string' ? mapPath(session['cwd'], session.origin?.mapped ?? []) : null,
    agent_session_id: sources.at(-1)?.agent_session_id ?? null,
    state: session_state.kind,
    started_at: session.started_at,
    last_activity: session.last_activity,
    steps: session.step,
    parent_session_id: parent,
    parent_message_id: session.parent_message_id ?? null,
    ephemeral: isEphemeral(session),
    continues: session.continues ?? null,
    resumes: session.resumes ?? null,
    summary: summaryOf(session),
  };
}

/** Returns the row of an open session. */
export function openRow(session: Session, parent: string | null, status: SessionStatus, short: Ids): SessionRow {
  return { ...rowOf(session, parent, short), open: true, status, ending: null };
}

/** Returns the row of an ended session, by the session.json of its canonical commit. */
export function endedRow(session: Session, short: Ids): SessionRow {
  const type = session.ended ? shownType(session.ended.type) : null;
  const ending = type && 'type' in type ? String(type.type) : (type?.kind ?? null);
  const row = rowOf(session, session.parent_session_id ?? null, short);
  const summary = row.summary ?? endedSummary(session);
  return { ...row, open: false, status: endedStatus(session.session_state), ending, summary };
}

/** Returns the first line of what was said when a session was saved; null if that is its task alone. */
function endedSummary({ ended, task_description }: Session): string | null {
  const [said = ''] = (ended?.message ?? '').trim().split('\n');
  return said === '' || task_description.trim().startsWith(said) ? null : oneLine(said, SUMMARY_LENGTH);
}

/** Longest summary of an ended session. */
const SUMMARY_LENGTH = 300;

/** Returns a row with the short id of its session, in the order of the other fields. */
export function withShortId(row: Omit<SessionRow, 'short_id'>, short: Ids): SessionRow {
  const { session_id } = row;
  // A rest of the other fields would take several times as long, for each of thousands of rows.
  return Object.assign({ session_id, short_id: shortIdOf(session_id, short) }, row);
}

const shortIdOf = (id: string, short: Ids): string => short.get(id) ?? shortIds([id]).get(id) ?? id;
