/** Searches the catalog: finds the sessions of a query, and the passages of each that say why. */
import { CtxError } from '../../core/errors.ts';
import { isInState, knownAgent, type Stateful } from '../../core/listing/filter-names.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import { endedStatus } from '../../core/listing/status.ts';
import type { SessionState } from '../../core/state.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Catalog } from '../catalog.ts';
import { type Role, roleCode, roleNamed, roleOf } from '../feed/passages.ts';
import { KINDS, type PassageKind } from '../segment/kinds.ts';
import type { PathEntry, SessionEntry } from '../segment/rows.ts';
import type { Segment } from '../segment/segment.ts';
import { beginningsOf, isLoneCharacter } from '../words/tokens.ts';
import { type Query, type RankedTerm, rankedTerms, type SearchFilters, wordsOf } from './query.ts';
import { type Field, type Ranked, type Ranking, rank, sessionsWith, termsFrom } from './rank.ts';
import type { Located } from './replies.ts';
import { PassageReader, type Snippet, snippetOf } from './snippet.ts';
import { nearestTerm } from './spelling.ts';

/** Filters whose times are known. */
export interface Filters extends Omit<SearchFilters, 'since' | 'until'> {
  /** Unix seconds, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
}

/** A passage that was found. */
export interface FoundPassage extends Snippet {
  /** Null of a title. */
  message_id: string | null;
  step: number;
  role: Role;
  kind: PassageKind;
  /** Unix seconds. */
  at: number;
  score: number;
  /** The number of its turn in the session. */
  turn: number;
  /** The whole text. */
  whole: string;
  place: Located;
}

export interface FoundSession {
  row: SessionEntry;
  isOpen: boolean;
  ending: string | null;
  short_id: string;
  score: number;
  passages: FoundPassage[];
}

export interface Found {
  sessions: FoundSession[];
  /** Words that no session has, each with the one that was searched instead. */
  corrected: Corrected[];
  /** Words that no session has, of a search that has found nothing, each with what may have been meant: `+word` as it was typed. */
  meant: Corrected[];
  /** Number of sessions that were found in all. */
  total: number;
}

/** A word, and one that is searched, or could be, instead. */
export interface Corrected {
  word: string;
  instead: string;
}

export interface SearchOptions {
  filters: Filters;
  /** Most sessions. */
  limit: number;
  /** Most passages of each. */
  passages: number;
  /** Returns the status of an open session; null if it is not known. */
  status?: ((id: string) => string | null) | undefined;
  /** Names of agents that the store may have no session of. */
  agents?: readonly string[] | undefined;
}

/**
 * Searches. A query of nothing but filters finds every session that they leave, the newest first.
 * @throws {CtxError} not_found, ambiguous, if `in:` names no session, or several; usage, if `agent:` names no agent
 */
export function search(repository: Repository, catalog: Catalog, query: Query, options: SearchOptions): Found {
  const found = searched(repository, catalog, query, options);
  if (found.total > 0 || found.corrected.length === 0) return { ...found, meant: [] };
  // Nothing is shown of the words that were meant: they are named as some session has them.
  const anywhere = { words: query.words, required: [], musts: [], excluded: [], filters: {}, isVoid: false };
  const { corrected } = searched(repository, catalog, anywhere, { filters: {}, limit: 1, passages: PASSAGES });
  return { ...found, corrected: [], meant: corrected.map((one) => asTyped(one, query.musts)) };
}

/** Passages that are read to name a word as it was said. */
const PASSAGES = 3;

/** Puts the right word into what was typed of the wrong one: `+word`, `"a phrase"`. */
function asTyped({ word, instead }: Corrected, musts: readonly string[]): Corrected {
  const typed = musts.find((must) => wordsOf(must).includes(word));
  return { word, instead: typed?.replace(word, instead) ?? instead };
}

function searched(
  repository: Repository,
  catalog: Catalog,
  query: Query,
  options: SearchOptions,
): Omit<Found, 'meant'> {
  const filters = withAgents(catalog, options);
  const field = fieldOf(catalog, searchedIn(catalog, filters, options.status), filters);
  const { terms, corrected } = termsOf(catalog.segments, query.words);
  const { sessions: ranked, passages } =
    terms.length > 0
      ? rank(field, terms)
      : { sessions: query.words.length > 0 || query.isVoid ? [] : everySession(field), passages: [] };
  const required = query.required.map((clause) => sessionsWith(field, clause));
  const excluded = query.excluded.map((clause) => sessionsWith(field, clause));
  const found = ranked.filter(
    ({ session }) => required.every((set) => set.has(session)) && !excluded.some((set) => set.has(session)),
  );
  const top = found.slice(0, options.limit);
  const best = options.passages > 0 ? bestPassages(field, passages, top) : new Map<number, Place[]>();
  const counts = new Map<string, number>();
  for (const { term, share } of terms) counts.set(term, Math.max(counts.get(term) ?? 0, share));
  const reader = options.passages > 0 && top.length > 0 ? new PassageReader(repository) : null;
  const pattern = beginningsOf(counts.keys());
  const sessions = top.map(({ session, score }) => {
    const row = catalog.list.row(session);
    const places = best.get(session) ?? [];
    const read = reader ? readPassages(reader, places, { counts, pattern }, options.passages) : [];
    return { row, ...catalog.list.about(session), score, passages: read };
  });
  const said = sessions.flatMap(({ row, passages }) => [row.title, ...passages.map(({ text }) => text)]);
  return { sessions, corrected: corrected.map((one) => asSaid(one, said)), total: found.length };
}

const sameName = (wanted: readonly string[] | undefined, ...names: (string | null)[]): boolean =>
  wanted === undefined || wanted.some((one) => names.some((name) => name?.toLowerCase() === one.toLowerCase()));

/** Returns by its place whether each session is searched; null if every one is. */
function searchedIn(
  catalog: Catalog,
  filters: Filters,
  openStatus: SearchOptions['status'],
): ((place: number) => boolean) | null {
  const { agent, type, state, ending, path, in: within } = filters;
  if (!agent && !type && !state && !ending && !path && !within) return null;
  const named = within && new Set(within.map((given) => sessionNamed(catalog, given)));
  const touched = path && sessionsTouching(catalog, path);
  const { list } = catalog;
  return (place) => {
    const row = list.row(place);
    return (
      (!named || named.has(row.id)) &&
      (!touched || touched.has(row.id)) &&
      sameName(agent, row.agent) &&
      sameName(type, row.type) &&
      (!state || isInState(state, statesOf(row, list.about(place), openStatus))) &&
      (!ending || sameName(ending, list.about(place).ending))
    );
  };
}

const statesOf = (
  { id, state }: SessionEntry,
  { isOpen: open, ending }: { isOpen: boolean; ending: string | null },
  openStatus: SearchOptions['status'],
): Stateful => {
  const status = open ? (openStatus?.(id) ?? null) : endedStatus({ kind: state } as SessionState);
  return { open, state, ending, status };
};

/** Returns the filters with the agents that are meant by the beginnings of their names. @throws {CtxError} usage */
function withAgents({ sessions }: Catalog, { filters, agents = [] }: SearchOptions): Filters {
  if (!filters.agent) return filters;
  const own = new Set<string>();
  for (const { row } of sessions.values()) if (row.agent !== null) own.add(row.agent);
  return { ...filters, agent: filters.agent.map((given) => knownAgent(given, own, agents)) };
}

function sessionNamed({ sessions }: Catalog, given: string): string {
  const matching = idsMatching([...sessions.keys()], given);
  const [only] = matching;
  if (only === undefined)
    throw new CtxError('not_found', `There is no session ${given}.`, { hint: 'See the sessions with: ctx list' });
  if (matching.length === 1) return only;
  throw new CtxError('ambiguous', `${given} is a piece of the ids of ${matching.length} sessions.`, {
    hint: 'Give more of the id; see: ctx list',
    data: { candidates: matching },
  });
}

/** Returns whether a path is meant by a text: the path itself, what lies below it, or an end of it. */
export const isMeant = (path: string, wanted: string): boolean =>
  path === wanted || path.startsWith(`${wanted}/`) || path.endsWith(`/${wanted}`) || path.includes(`/${wanted}/`);

/** Returns the ids of the sessions that did something with one of some paths. */
function sessionsTouching(catalog: Catalog, paths: readonly string[]): Set<string> {
  const wanted = paths.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));
  const ids = new Set<string>();
  for (const segment of catalog.segments) {
    const rows = segment.sessionRows;
    for (const { session, path } of segment.rows('paths') as PathEntry[]) {
      const id = rows[session]?.id ?? '';
      if (catalog.counts(id, segment.number) && wanted.some((one) => isMeant(path, one))) ids.add(id);
    }
  }
  return ids;
}

function fieldOf(
  { segments, list }: Catalog,
  isSearched: ReturnType<typeof searchedIn>,
  { role, since, until }: Filters,
): Field {
  const roles = role?.map((name) => roleNamed(name.toLowerCase()));
  const isBounded = roles !== undefined || since !== undefined || until !== undefined;
  const wanted = isSearched && Uint8Array.from({ length: list.length }, (_, place) => Number(isSearched(place)));
  return {
    segments,
    places: wanted
      ? list.places.map((places) => places.map((place) => (place >= 0 && wanted[place] === 1 ? place : -1)))
      : list.places,
    gone: segments.map(({ number }) => replacedIn(segments, number)),
    turns: list.turns,
    times: list.times,
    admits: isBounded
      ? (segment, message) => {
          const at = segment.times.at(message);
          if ((since !== undefined && at < since) || (until !== undefined && at > until)) return false;
          return roles === undefined || roles.includes(roleCode(roleOf(segment.roles[message] as number)));
        }
      : undefined,
  };
}

function replacedIn(segments: readonly Segment[], number: number): Set<number> {
  const gone = new Set<number>();
  for (const segment of segments)
    if (segment.number > number)
      for (const [replaced, passages] of segment.replaced)
        if (replaced === number) for (const passage of passages) gone.add(passage);
  return gone;
}

/** Every session that has a message that may be found, the newest first. */
function everySession({ segments, places, times, admits }: Field): Ranked[] {
  const found = new Set<number>();
  for (const [index, segment] of segments.entries())
    for (let message = 0; message < segment.messageCount; message += 1) {
      const session = (places[index] as Int32Array)[segment.sessionOf(message)] as number;
      if (session >= 0 && admits?.(segment, message) !== false) found.add(session);
    }
  const sorted = [...found].sort((a, b) => (times[b] as number) - (times[a] as number) || a - b);
  return sorted.map((session) => ({ session, score: 0 }));
}

/** Returns the terms of the words, and the words that are replaced since nothing has them. */
function termsOf(
  segments: readonly Segment[],
  words: readonly string[],
): { terms: RankedTerm[]; corrected: Corrected[] } {
  const isKnown = (term: string): boolean => segments.some(({ dictionary }) => dictionary.find(term) !== null);
  const corrected: Corrected[] = [];
  const terms = words.flatMap((word) => {
    const own = rankedTerms(word).flatMap((one) => (isLoneCharacter(one.term) ? beginningWith(segments, one) : [one]));
    if (own.some(({ term }) => isKnown(term))) return own;
    const [only, ...others] = own;
    const instead =
      only && others.length === 0 ? nearestTerm(only.term, termsFrom(segments), word.toLowerCase()) : null;
    if (instead === null) return own;
    corrected.push({ word, instead });
    return [{ term: instead, share: 1, word }];
  });
  return { terms, corrected };
}

/** Returns the terms that begin with one character. */
const beginningWith = (segments: readonly Segment[], { term, word }: RankedTerm): RankedTerm[] =>
  [...termsFrom(segments, term)].map((one) => ({ term: one.term, share: 1, word }));

/** Names a corrected word as the texts have it: its term is a stem. */
function asSaid({ word, instead }: Corrected, texts: readonly string[]): Corrected {
  for (const text of texts)
    for (const said of wordsOf(text))
      if (rankedTerms(said).some(({ term }) => term === instead)) return { word, instead: said.toLowerCase() };
  return { word, instead };
}

/** A passage with its score. */
interface Place extends Located {
  score: number;
}

/** Returns the passages of each session that have any of the terms, the best first. */
function bestPassages(
  { segments, places, gone }: Field,
  ranked: Ranking['passages'],
  sessions: readonly Ranked[],
): Map<number, Place[]> {
  const best = new Map<number, Place[]>(sessions.map(({ session }) => [session, []]));
  for (const [index, { found, scores }] of ranked.entries()) {
    const segment = segments[index] as Segment;
    const placeOf = places[index] as Int32Array;
    const { exchanges } = segment;
    for (const passage of found) {
      if (gone[index]?.has(passage)) continue;
      best
        .get(placeOf[exchanges.session(exchanges.ofPassage(passage))] as number)
        ?.push({ segment, passage, score: scores[passage] as number });
    }
  }
  for (const all of best.values())
    all.sort((a, b) => b.score - a.score || b.segment.number - a.segment.number || a.passage - b.passage);
  return best;
}

/** Terms, each with what it counts, and a pattern that words with one of them have a piece of. */
interface Wanted {
  counts: ReadonlyMap<string, number>;
  pattern: RegExp;
}

/** Reads the best passages of a session; of those that say the same, one. */
function readPassages(reader: PassageReader, places: readonly Place[], wanted: Wanted, most: number): FoundPassage[] {
  const passages: FoundPassage[] = [];
  const seen = new Set<string>();
  for (const place of places.slice(0, most + 3)) {
    if (passages.length === most) break;
    const passage = foundPassage(reader, place, wanted);
    const begin = passage?.text.slice(0, 80);
    if (!passage || begin === undefined || seen.has(begin)) continue;
    seen.add(begin);
    passages.push(passage);
  }
  return passages;
}

function foundPassage(
  reader: PassageReader,
  { segment, passage, score }: Place,
  { counts, pattern }: Wanted,
): FoundPassage | null {
  const { id, role, at, step, turn } = segment.message(segment.messageOf.at(passage));
  // The title is shown with the session.
  if (id === 0) return null;
  const read = reader.read(segment, passage);
  if (read === null) return null;
  return {
    message_id: read.id,
    step: segment.step(step).step,
    role: roleOf(role),
    kind: KINDS[segment.kinds[passage] as number]?.[0] ?? 'answer',
    at,
    score,
    turn,
    whole: read.text,
    place: { segment, passage },
    ...snippetOf(read.text, counts, pattern),
  };
}
