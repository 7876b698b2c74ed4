/** Searches the catalog: finds the sessions of a query, and the passages of each that say why. */

import { distance } from 'fastest-levenshtein';
import { stemmer } from 'stemmer';
import { CtxError } from '../../core/errors.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Catalog } from '../catalog.ts';
import { type Role, roleCode, roleNamed, roleOf } from '../feed/passages.ts';
import { KINDS, type PassageKind } from '../segment/kinds.ts';
import type { PathEntry, SessionEntry } from '../segment/rows.ts';
import type { Segment } from '../segment/segment.ts';
import { beginningsOf, isLoneCharacter } from '../words/tokens.ts';
import { type Query, type RankedTerm, rankedTerms, type SearchFilters, wordsOf } from './query.ts';
import { type Field, type Ranked, type Ranking, rank, sessionsWith, termsFrom } from './rank.ts';
import { PassageReader, type Snippet, snippetOf } from './snippet.ts';

/** Shortest word that is corrected: a shorter one is near too many. */
const SHORTEST = 4;

/** Letters at the beginning that a mistyped word has in common with a stem if its ending is compared, too. */
const BEGINNING = 3;

/** A term that may have been meant. */
export interface Candidate {
  term: string;
  /** In how many passages it is. */
  documents: number;
}

/** Endings that stemming takes away from English words, by which a mistyped word is compared with whole words. */
const ENDINGS =
  'e s es ed er ers ing ings y ly al able ible ance ence ation ations ator ion ions ity ities ive ment ments ness'.split(
    ' ',
  );

/** Returns the fewest edits from a word to a term, or to a word of which that is the stem. */
function editsTo(word: string, stem: string, term: string, alike: number): number {
  let least = isTransposed(stem, term) ? 1 : distance(stem, term);
  if (alike < BEGINNING || word.length <= term.length) return least;
  for (const ending of ENDINGS) {
    const form = term + ending;
    if (Math.abs(form.length - word.length) >= least) continue;
    const edits = isTransposed(word, form) ? 1 : distance(word, form);
    if (edits < least && stemmer(form) === term) least = edits;
  }
  return least;
}

/**
 * Returns the nearest of some terms: of those as near, the one that begins alike for longest, then the one in the most passages; null
 * if none is near.
 * @param word the whole word of which `term` is the stem
 */
export function nearestTerm(term: string, vocabulary: Iterable<Candidate>, word: string = term): string | null {
  if (term.length < SHORTEST || /\d/.test(term)) return null;
  const most = term.length < 6 ? 1 : 2;
  let best: { term: string; far: number; alike: number; documents: number } | null = null;
  for (const { term: other, documents } of vocabulary) {
    if (other.length < SHORTEST - 1 || other.length > term.length + most) continue;
    const alike = beginningAlike(term, other);
    if (other.length < term.length - most && alike < BEGINNING) continue;
    const edits = editsTo(word, term, other, alike);
    if (edits > most) continue;
    // People rarely mistype the first letter.
    const far = edits + (alike > 0 ? 0 : 0.5);
    if (best && (best.far - far || alike - best.alike || documents - best.documents) <= 0) continue;
    best = { term: other, far, alike, documents };
  }
  return best?.term ?? null;
}

/** Returns how many letters two words have in common at their beginning: a word that was mistyped at its end keeps its stem. */
function beginningAlike(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Returns whether two words differ by two neighbouring letters that have changed places. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = beginningAlike(a, b);
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

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
  corrected: { word: string; instead: string }[];
  /** Number of sessions that were found in all. */
  total: number;
}

export interface SearchOptions {
  filters: Filters;
  /** Most sessions. */
  limit: number;
  /** Most passages of each. */
  passages: number;
}

/** Searches. A query without words finds every session that its filters leave, the newest first. @throws {CtxError} not_found, ambiguous, if `in:` names no session, or several */
export function search(repository: Repository, catalog: Catalog, query: Query, options: SearchOptions): Found {
  const { filters } = options;
  const field = fieldOf(catalog, searchedIn(catalog, filters), filters);
  const { terms, corrected } = termsOf(catalog.segments, query.words);
  const { sessions: ranked, passages } =
    terms.length > 0 ? rank(field, terms) : { sessions: everySession(field), passages: [] };
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
function searchedIn(catalog: Catalog, filters: Filters): ((place: number) => boolean) | null {
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
      (!state || sameName(state, row.state, list.about(place).isOpen ? 'open' : 'ended')) &&
      (!ending || sameName(ending, list.about(place).ending))
    );
  };
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
): { terms: RankedTerm[]; corrected: Found['corrected'] } {
  const isKnown = (term: string): boolean => segments.some(({ dictionary }) => dictionary.find(term) !== null);
  const corrected: Found['corrected'] = [];
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
function asSaid(
  { word, instead }: { word: string; instead: string },
  texts: readonly string[],
): Found['corrected'][number] {
  for (const text of texts)
    for (const said of wordsOf(text))
      if (rankedTerms(said).some(({ term }) => term === instead)) return { word, instead: said.toLowerCase() };
  return { word, instead };
}

/** A passage by its segment and its number there. */
interface Place {
  segment: Segment;
  passage: number;
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
    ...snippetOf(read.text, counts, pattern),
  };
}
