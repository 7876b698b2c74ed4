/** `ctx list`: every session, open and ended, the one with the newest work first. */
import { type CatalogOptions, rowsOfMain } from '../catalog/catalog.ts';
import { newestFirst } from '../catalog/feed/commits.ts';
import { trailersOf } from '../core/commit.ts';
import { isInState } from '../core/listing/filter-names.ts';
import { endedRow, type SessionRow, withShortId } from '../core/listing/row.ts';
import { shortIds } from '../core/listing/short-id.ts';
import { readSession } from '../history/chain/session-document.ts';
import { ARCHIVE, archiveRef, SESSIONS } from '../history/names/layout.ts';
import { lateTitle } from '../history/pointers/late-titles.ts';
import type { Repository } from '../history/store/repository.ts';
import { canonicalSessions } from './log.ts';
import { type DamagedPointer, type ListedSession, listSessions } from './session/list.ts';

/** Selects the sessions that are listed; all without any of these. */
export interface ListOptions {
  open?: boolean | undefined;
  ended?: boolean | undefined;
  /** Names of states, and of commit types. */
  states?: readonly string[] | undefined;
  agent?: string | undefined;
  /** Unix seconds of the last work, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** True if a session that another one started is left out. */
  topOnly?: boolean | undefined;
  /** True if ephemeral branches are listed; the current session always is. */
  ephemeral?: boolean | undefined;
  limit?: number | undefined;
  catalog?: CatalogOptions | undefined;
}

export interface SessionList {
  sessions: SessionRow[];
  /** Pointers of sessions that cannot be read. */
  damaged: DamagedPointer[];
  /** Number of sessions that are left out because another one started them. */
  folded: number;
}

/** A row whose short id is added only if it is shown. */
type Row = Omit<SessionRow, 'short_id'>;

/** An ended session, with the head of its chain that its canonical commit names. */
interface Ended {
  row: Row;
  work: string | null;
}

/** Returns the ended sessions by id, as the canonical commits of the main line have them; the newest commit of a session counts. */
function endedSessions(
  repository: Repository,
  open: ReadonlySet<string>,
  catalog?: CatalogOptions,
): ReadonlyMap<string, Ended> {
  const found = new Map<string, Ended>();
  const take = (id: string, work: string | null, row: () => Row): void => {
    if (!open.has(id) && !found.has(id)) found.set(id, { row: row(), work });
  };
  const known = rowsOfMain(repository, catalog);
  if (known) for (const { row, work } of newestFirst(known)) if (row) take(row.session_id, work, () => row);
  if (!known)
    for (const [oid, commit] of canonicalSessions(repository)) {
      const session = readSession(repository.objects, commit.tree, `commit ${oid}`);
      const work = trailersOf(commit.message).get('Ctx-Work') ?? null;
      take(session.session_id, work, () => endedRow(session, new Map()));
    }
  return found;
}

function matches(row: Row, options: ListOptions): boolean {
  if (options.open && !row.open) return false;
  if (options.ended && row.open) return false;
  if (row.ephemeral && !options.ephemeral && !('current' in row && row.current)) return false;
  if (options.agent !== undefined && row.agent !== options.agent) return false;
  if (options.since !== undefined && row.last_activity < options.since) return false;
  if (options.until !== undefined && row.last_activity > options.until) return false;
  return !options.states || isInState(options.states, row);
}

/**
 * Lists sessions by their last work, newest first.
 * @throws {CtxError} damaged, if a commit of the main line cannot be read
 */
export function listAllSessions(repository: Repository, options: ListOptions = {}): SessionList {
  const heads = repository.refs.heads(ARCHIVE);
  const archived = [...heads.keys()].map((ref) => ref.slice(ARCHIVE.length));
  const openIds = repository.refs.names(SESSIONS).map((ref) => ref.slice(SESSIONS.length));
  const short = shortIds([...openIds, ...archived]);
  const listed = listSessions(repository, short);
  const open = listed.filter((one): one is ListedSession => !('damaged' in one));
  const damaged = listed.filter((one): one is DamagedPointer => 'damaged' in one);
  const ids = new Set(open.map((row) => row.session_id));
  const ended = options.open ? new Map<string, Ended>() : endedSessions(repository, ids, options.catalog);
  const all: Row[] = [...open, ...[...ended.values()].map(({ row }) => row)];
  all.sort((a, b) => b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1));
  const wanted = all.filter((row) => matches(row, options));
  for (const row of all) ids.add(row.session_id);
  const isTop = ({ parent_session_id: parent }: Row): boolean => parent === null || !ids.has(parent);
  const kept = options.topOnly ? wanted.filter(isTop) : wanted;
  /** Titles that were given late are read for the rows that are shown; most chains are as their commits name them. */
  const named = (row: Row): SessionRow => {
    const work = ended.get(row.session_id)?.work;
    const shown = withShortId(row, short);
    const isAsEnded = work !== null && work === heads.get(archiveRef(row.session_id));
    return work === undefined || isAsEnded
      ? shown
      : { ...shown, title: lateTitle(repository, row.session_id, work) ?? row.title };
  };
  return { sessions: kept.slice(0, options.limit).map(named), damaged, folded: wanted.length - kept.length };
}
