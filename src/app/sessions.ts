/** `ctx list`: every session, open and ended, the one with the newest work first. */
import { askCatalog, type CatalogOptions } from '../catalog/catalog.ts';
import { newestFirst } from '../catalog/feed/commits.ts';
import type { CommitEntry } from '../catalog/segment/rows.ts';
import { askEndedList, type EndedList, endedListState, keepEndedList } from '../catalog/views/ended-list.ts';
import { trailersOf } from '../core/commit.ts';
import { isInState } from '../core/listing/filter-names.ts';
import { type BriefRow, endedRow, type SessionRow, withShortId } from '../core/listing/row.ts';
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

export interface SessionList<T = SessionRow> {
  sessions: T[];
  /** Pointers of sessions that cannot be read. */
  damaged: DamagedPointer[];
  /** Number of sessions that are left out because another one started them. */
  folded: number;
}

/** A row whose short id is added only if it is shown. */
type Row = Omit<SessionRow, 'short_id'>;

type Dated = Pick<Row, 'session_id' | 'last_activity'>;

/** An ended session, with the head of its chain that its canonical commit names. */
interface Ended {
  row: Row;
  work: string | null;
}

/** The open sessions, and the pointers that cannot be read. */
interface Open {
  rows: ListedSession[];
  damaged: DamagedPointer[];
}

function openSessions(repository: Repository, short: ReadonlyMap<string, string>): Open {
  const listed = listSessions(repository, short);
  return {
    rows: listed.filter((one): one is ListedSession => !('damaged' in one)),
    damaged: listed.filter((one): one is DamagedPointer => 'damaged' in one),
  };
}

/** Returns the ended sessions by id; the newest commit of a session counts. @param known the commits, if the catalog has them */
function endedSessions(
  repository: Repository,
  open: ReadonlySet<string>,
  known: readonly CommitEntry[] | null,
): ReadonlyMap<string, Ended> {
  const found = new Map<string, Ended>();
  const take = (id: string, work: string | null, row: () => Row): void => {
    if (!open.has(id) && !found.has(id)) found.set(id, { row: row(), work });
  };
  if (known) for (const { row, work } of newestFirst(known)) if (row) take(row.session_id, work, () => row);
  if (!known)
    for (const [oid, commit] of canonicalSessions(repository)) {
      const session = readSession(repository.objects, commit.tree, `commit ${oid}`);
      const work = trailersOf(commit.message).get('Ctx-Work') ?? null;
      take(session.session_id, work, () => endedRow(session, new Map()));
    }
  return found;
}

const newestWorkFirst = (a: Dated, b: Dated): number =>
  b.last_activity - a.last_activity || (a.session_id < b.session_id ? 1 : -1);

/** Makes the list of ended sessions. */
function endedListOf(
  repository: Repository,
  { rows: open }: Open,
  short: ReadonlyMap<string, string>,
  archived: ReadonlyMap<string, string>,
  known: readonly CommitEntry[] | null,
): EndedList {
  const ids = new Set(open.map(({ session_id }) => session_id));
  const ended = endedSessions(repository, ids, known);
  const rows = [...ended.values()].map(({ row }) => row).sort(newestWorkFirst);
  for (const id of ended.keys()) ids.add(id);
  /** Titles that were given late are read for the rows that are shown; most chains are as their commits name them. */
  const named = (row: Row): SessionRow => {
    const { session_id: id } = row;
    const work = ended.get(id)?.work ?? null;
    const shown = withShortId(row, short);
    const isAsEnded = work !== null && work === archived.get(archiveRef(id));
    return isAsEnded ? shown : { ...shown, title: lateTitle(repository, id, work) ?? row.title };
  };
  const at = (place: number): Row => rows[place] as Row;
  return {
    length: rows.length,
    short: new Map(open.map(({ session_id, short_id }) => [session_id, short_id])),
    times: Float64Array.from(rows, ({ last_activity }) => last_activity),
    isEphemeral: (place) => at(place).ephemeral,
    isBelow: (place) => ids.has(at(place).parent_session_id ?? ''),
    brief: (place) => named(at(place)),
    row: (place) => named(at(place)),
  };
}

const NONE_ENDED: EndedList = {
  length: 0,
  short: new Map(),
  times: new Float64Array(),
  isEphemeral: () => false,
  isBelow: () => false,
  brief: () => ({}) as never,
  row: () => ({}) as never,
};

/** Answers a question by the open sessions and the list of the ended ones, which is kept if nothing of it is damaged. */
function askSessions<T>(
  repository: Repository,
  { open: isOpenOnly, catalog }: ListOptions,
  question: (open: Open, ended: EndedList) => T,
): T {
  const kept = askEndedList(repository, (ended) => {
    const open = openSessions(repository, ended.short);
    // A session whose pointer is damaged may be among the ended ones, too.
    return open.damaged.length > 0 ? null : { answer: question(open, isOpenOnly ? NONE_ENDED : ended) };
  });
  if (kept) return kept.answer;
  const state = endedListState(repository);
  const archived = repository.refs.heads(ARCHIVE);
  const names = [...repository.refs.names(SESSIONS), ...archived.keys()];
  const short = shortIds(names.map((ref) => ref.slice(ref.lastIndexOf('/') + 1)));
  const open = openSessions(repository, short);
  if (isOpenOnly) return question(open, NONE_ENDED);
  const ended = askCatalog(
    repository,
    { commits: true },
    ({ commits, state: manifest }) => {
      const list = endedListOf(repository, open, short, archived, commits);
      const canBeKept = commits !== null && manifest !== null && open.damaged.length === 0;
      if (canBeKept) keepEndedList(repository, { manifest, state }, list);
      return list;
    },
    catalog,
  );
  return question(open, ended);
}

/** The fields of a row that filters ask for. */
type Filtered = Pick<BriefRow, 'agent' | 'last_activity' | 'open' | 'state' | 'status' | 'ending'>;

const hasFilters = ({ agent, since, until, states }: ListOptions): boolean =>
  agent !== undefined || since !== undefined || until !== undefined || states !== undefined;

function matches(row: Filtered, options: ListOptions): boolean {
  if (options.agent !== undefined && row.agent !== options.agent) return false;
  if (options.since !== undefined && row.last_activity < options.since) return false;
  if (options.until !== undefined && row.last_activity > options.until) return false;
  return !options.states || isInState(options.states, row);
}

/** Selects sessions, the newest work first; an ended one is a place in its list. */
function selected(
  { rows: open }: Open,
  ended: EndedList,
  options: ListOptions,
): { kept: (ListedSession | number)[]; folded: number } {
  const ids = new Set(open.map(({ session_id }) => session_id));
  const isOpenBelow = ({ parent_session_id: parent }: ListedSession): boolean =>
    parent !== null && (ids.has(parent) || placesOf().has(parent));
  let places: Set<string> | undefined;
  const placesOf = (): Set<string> => {
    places ??= new Set(Array.from({ length: ended.length }, (_, place) => ended.brief(place).session_id));
    return places;
  };
  const kept: (ListedSession | number)[] = [];
  let folded = 0;
  const take = (one: ListedSession | number, isBelow: boolean): void => {
    if (options.topOnly && isBelow) folded += 1;
    else kept.push(one);
  };
  const isFiltered = hasFilters(options);
  const left = options.ended
    ? []
    : open.filter((row) => (!row.ephemeral || options.ephemeral || row.current) && matches(row, options));
  for (let place = 0; place < ended.length; place += 1) {
    if (ended.isEphemeral(place) && !options.ephemeral) continue;
    if (isFiltered && !matches(ended.brief(place), options)) continue;
    while (left[0] && isNewer(left[0], ended, place)) {
      const [row] = left.splice(0, 1) as [ListedSession];
      take(row, options.topOnly === true && isOpenBelow(row));
    }
    take(place, options.topOnly === true && ended.isBelow(place));
  }
  for (const row of left) take(row, options.topOnly === true && isOpenBelow(row));
  return { kept, folded };
}

function isNewer(open: ListedSession, ended: EndedList, place: number): boolean {
  const at = ended.times[place] as number;
  return open.last_activity !== at ? open.last_activity > at : newestWorkFirst(open, ended.brief(place)) < 0;
}

function listed<T>(
  repository: Repository,
  options: ListOptions,
  shown: (ended: EndedList) => (one: ListedSession | number) => T,
): SessionList<T> {
  return askSessions(repository, options, (open, ended) => {
    const { kept, folded } = selected(open, ended, options);
    return { sessions: kept.slice(0, options.limit).map(shown(ended)), damaged: open.damaged, folded };
  });
}

/**
 * Lists sessions by their last work, newest first.
 * @throws {CtxError} damaged, if a commit of the main line cannot be read
 */
export const listAllSessions = (repository: Repository, options: ListOptions = {}): SessionList =>
  listed(repository, options, (ended) => (one) => (typeof one === 'number' ? ended.row(one) : one));

/** Lists them with what a line of a list needs of each. @throws {CtxError} damaged */
export const listBriefly = (repository: Repository, options: ListOptions = {}): SessionList<BriefRow> =>
  listed(repository, options, (ended) => (one) => (typeof one === 'number' ? ended.brief(one) : one));
