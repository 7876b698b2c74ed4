/** `ctx list`: every session, open and ended, the one with the newest work first. */
import { readSession } from '../history/chain/session-document.ts';
import { shortIdsOf } from '../history/pointers/candidates.ts';
import type { Repository } from '../history/store/repository.ts';
import { canonicalSessions } from './log.ts';
import { type DamagedPointer, type ListedSession, listSessions } from './session/list.ts';
import { endedRow, type SessionRow } from './session/row.ts';

/** Which sessions are listed; all without any of these. */
export interface ListOptions {
  open?: boolean | undefined;
  ended?: boolean | undefined;
  /** Names of states, and of commit types. */
  states?: readonly string[] | undefined;
  agent?: string | undefined;
  /** Unix seconds of the last work, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Whether a session that another one started is left out. */
  topOnly?: boolean | undefined;
  /** Whether ephemeral branches are listed; the current session always is. */
  ephemeral?: boolean | undefined;
  limit?: number | undefined;
}

export interface SessionList {
  sessions: SessionRow[];
  /** Pointers of sessions that cannot be read. */
  damaged: DamagedPointer[];
  /** How many sessions are left out because another one started them. */
  folded: number;
}

/** Returns the ended sessions, by the canonical commits of the main line; the newest commit of a session counts. */
function endedRows(repository: Repository, open: ReadonlySet<string>): SessionRow[] {
  const short = shortIdsOf(repository);
  const rows = new Map<string, SessionRow>();
  for (const [oid, commit] of canonicalSessions(repository)) {
    const session = readSession(repository.objects, commit.tree, `commit ${oid}`);
    if (!open.has(session.session_id) && !rows.has(session.session_id))
      rows.set(session.session_id, endedRow(session, short));
  }
  return [...rows.values()];
}

function matches(row: SessionRow, options: ListOptions): boolean {
  if (options.open && !row.open) return false;
  if (options.ended && row.open) return false;
  if (row.ephemeral && !options.ephemeral && !('current' in row && row.current)) return false;
  if (options.agent !== undefined && row.agent !== options.agent) return false;
  if (options.since !== undefined && row.last_activity < options.since) return false;
  if (options.until !== undefined && row.last_activity > options.until) return false;
  return !options.states || options.states.includes(row.state) || options.states.includes(row.ending ?? '');
}

/**
 * Lists sessions by their last work, newest first.
 * @throws {CtxError} damaged, if a commit of the main line cannot be read
 */
export function listAllSessions(repository: Repository, options: ListOptions = {}): SessionList {
  const listed = listSessions(repository);
  const open = listed.filter((one): one is ListedSession => !('damaged' in one));
  const damaged = listed.filter((one): one is DamagedPointer => 'damaged' in one);
  const ids = new Set(open.map((row) => row.session_id));
  const all: SessionRow[] = [...open, ...(options.open ? [] : endedRows(repository, ids))];
  all.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
  const wanted = all.filter((row) => matches(row, options));
  for (const row of all) ids.add(row.session_id);
  const isTop = ({ parent_session_id: parent }: SessionRow): boolean => parent === null || !ids.has(parent);
  const kept = options.topOnly ? wanted.filter(isTop) : wanted;
  return { sessions: kept.slice(0, options.limit), damaged, folded: wanted.length - kept.length };
}
