/** Rows of the tables of a segment. Each is one JSON line; a number in `session` is the place of the row of that session. */
import type { SessionRow } from '../../core/listing/row.ts';
import type { StateKind } from '../../core/state.ts';
import type { Tokens } from './usage-table.ts';

/** The number of its own segment in the rows of a merged one. */
export const OWN = -1;

/** A session as of the last of its steps that the segment holds. The last row of a session counts. */
export interface SessionEntry {
  id: string;
  /** The commit of that step. */
  head: string;
  step: number;
  /** The number of the first segment that counts: of a session that was rewritten, older ones do not. */
  since: number;
  /** Number of turns that it has. */
  turns: number;
  title: string;
  type: string | null;
  agent: string | null;
  agent_session_id: string | null;
  model: string | null;
  state: StateKind;
  started_at: number;
  last_activity: number;
  parent: string | null;
  continues: string | null;
  /** The folder that its agent worked in; null if nothing says it. */
  project: string | null;
  /** Usage of its messages since an agent last said what a turn used. */
  unsettled: { tokens: Tokens; calls: number };
  /** The passage of its title, by its segment and its number there: a later title replaces it. */
  titled: [segment: number, passage: number] | null;
}

/** Deeds of a session at a path, in the steps of the segment. */
export interface PathEntry {
  session: number;
  path: string;
  /** Unix seconds of the last time. */
  at: number;
  /** Numbers of the steps that read, wrote and deleted it. */
  reads: number[];
  writes: number[];
  deletes: number[];
}

/** A command that a session ran. */
export interface CommandEntry {
  session: number;
  step: number;
  at: number;
  command: string;
  exit: number | null;
  /** The id of the record. */
  record: string;
}

/** A commit of the main line, with what lists and filters need of its session. */
export interface CommitEntry {
  oid: string;
  parents: string[];
  committed_at: number;
  last_activity: number;
  author: string;
  /** Its `Ctx-Type`; null if it has none. */
  type: string | null;
  /** The head of its session's chain as it ended (`Ctx-Work`); null if it names none. */
  work: string | null;
  /** The session that it holds, as a list shows it; null if it holds none. */
  row: Omit<SessionRow, 'short_id'> | null;
  /** Texts that `log --grep` searches; null if they are too long to be kept twice. */
  texts: string[] | null;
  /** The paths that changed; null if they are too many to be kept twice. */
  paths: string[] | null;
}
