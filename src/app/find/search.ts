/** `ctx search`: finds sessions by what was said and done in them. */
import { askCatalog, type CatalogOptions } from '../../catalog/catalog.ts';
import type { Role } from '../../catalog/feed/passages.ts';
import { parseQuery, type SearchFilters } from '../../catalog/find/query.ts';
import { type Corrected, type Filters, type FoundSession, search } from '../../catalog/find/search.ts';
import {
  asksStatus,
  ENDING_NAMES,
  endingNamed,
  namesMeant,
  SPEAKERS,
  STATE_NAMES,
  speakerNamed,
  stateNamed,
} from '../../core/listing/filter-names.ts';
import type { StateKind } from '../../core/state.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import { pendingNames } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { listSessions } from '../session/list.ts';

export type { CatalogOptions, Filters };
export { parseQuery, type SearchFilters };

/** A piece of what was said or done, with the words that were found. */
export interface SearchSnippet {
  /** The id of the message, or of a record that is no message. */
  message_id: string;
  step: number;
  role: Role;
  /** Kind of text: `prompt`, `answer`, `command`, `output`, `decision` … */
  kind: string;
  /** Unix seconds. */
  at: number;
  text: string;
  /** Positions of the words in the text: from and behind, in UTF-16 code units. */
  hits: [start: number, end: number][];
}

export interface SearchHit {
  session_id: string;
  short_id: string;
  title: string;
  agent: string | null;
  agent_session_id: string | null;
  open: boolean;
  state: StateKind;
  ending: string | null;
  last_activity: number;
  score: number;
  /** Absent if only sessions were asked for. */
  snippets?: SearchSnippet[];
}

export interface SearchResult {
  hits: SearchHit[];
  /** Words that nobody has said, each with the one that was searched instead. */
  corrected: Corrected[];
  /** Words that nobody has said, if nothing was found, each with what may have been meant. */
  meant: Corrected[];
  /** True if the query has nothing to search for: neither a word nor a filter. */
  isVoid: boolean;
  /** Number of sessions that were found in all. */
  total: number;
  /** Number of records of open sessions that are in no step yet: they are not searched. */
  waiting: number;
}

export interface SearchSettings extends CatalogOptions {
  /** Filters beside those of the query. */
  filters?: Filters | undefined;
  limit?: number | undefined;
  /** Names of agents that may be asked for though no session is of them. */
  agents?: readonly string[] | undefined;
  /** True if only the sessions are wanted. */
  sessionsOnly?: boolean | undefined;
}

/** Most sessions, and most snippets of each, if nothing else is asked for. */
const LIMIT = 10;
const SNIPPETS = 3;

/** Searches the sessions of a store. @throws {CtxError} not_found, ambiguous, if a filter names no session, or several; usage, if its value is none */
export function searchSessions(repository: Repository, query: string, settings: SearchSettings = {}): SearchResult {
  const { filters = {}, limit = LIMIT, sessionsOnly = false } = settings;
  const parsed = parseQuery(query);
  const { since: _since, until: _until, ...said } = parsed.filters;
  const all: Filters = { ...filters };
  for (const [name, values] of Object.entries(said) as [keyof typeof said, readonly string[]][])
    all[name] = [...(all[name] ?? []), ...values];
  const named = withNames(all);
  const options = {
    filters: named,
    limit,
    passages: sessionsOnly ? 0 : SNIPPETS,
    status: named.state && statusesOf(repository, named.state),
    agents: settings.agents,
  };
  const found = askCatalog(
    repository,
    { sessions: true, commits: true },
    (catalog) => search(repository, catalog, parsed, options),
    settings,
  );
  const open = repository.refs.names(SESSIONS).map((ref) => ref.slice(SESSIONS.length));
  return {
    hits: found.sessions.map((one) => hitOf(one, sessionsOnly)),
    corrected: found.corrected,
    meant: found.meant,
    isVoid: parsed.isVoid,
    total: found.total,
    waiting: open.reduce((sum, id) => sum + pendingNames(repository, id).length, 0),
  };
}

/** Returns filters with the names that lists show. @throws {CtxError} usage */
function withNames({ state, ending, role, ...others }: Filters): Filters {
  return {
    ...others,
    ...(state && { state: namesMeant('state', state, stateNamed, STATE_NAMES) }),
    ...(ending && { ending: namesMeant('ending', ending, endingNamed, ENDING_NAMES) }),
    ...(role && { role: namesMeant('role', role, speakerNamed, SPEAKERS) }),
  };
}

/** Returns what gives open sessions their status, if a filter asks for one. */
function statusesOf(repository: Repository, states: readonly string[]): ((id: string) => string | null) | undefined {
  if (!asksStatus(states)) return undefined;
  const known = new Map<string, string>();
  for (const one of listSessions(repository)) if (!('damaged' in one)) known.set(one.session_id, one.status);
  return (id) => known.get(id) ?? null;
}

function hitOf({ row, isOpen, ending, short_id, score, passages }: FoundSession, sessionsOnly: boolean): SearchHit {
  return {
    session_id: row.id,
    short_id,
    title: row.title,
    agent: row.agent,
    agent_session_id: row.agent_session_id,
    open: isOpen,
    state: row.state,
    ending,
    last_activity: row.last_activity,
    score: Math.round(score * 1000) / 1000,
    ...(sessionsOnly
      ? {}
      : {
          snippets: passages.map(({ message_id, step, role, kind, at, text, hits }) => {
            return { message_id: message_id as string, step, role, kind, at, text, hits };
          }),
        }),
  };
}
