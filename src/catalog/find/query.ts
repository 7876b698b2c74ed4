/** Parses what is searched for: words that rank, `"phrases"` and `+words` that must be there, `-words` that must not, and filters such as `agent:codex`. */
import { analysed, eachWord } from '../words/tokens.ts';

/** The filters of a search, beside its words. Names are compared in any case. */
export interface SearchFilters {
  path?: readonly string[] | undefined;
  agent?: readonly string[] | undefined;
  state?: readonly string[] | undefined;
  ending?: readonly string[] | undefined;
  type?: readonly string[] | undefined;
  role?: readonly string[] | undefined;
  /** Sessions, by their ids, short ids or pieces of them. */
  in?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** One term of a clause, and its place in the clause. */
export interface ClauseTerm {
  term: string;
  offset: number;
}

/** Terms that must follow each other as they do in a phrase. */
export type Clause = readonly ClauseTerm[];

export interface Query {
  /** The words that rank, as they were typed, each once. */
  words: string[];
  required: Clause[];
  /** The same as they were typed: `+word`, `"a phrase"`. */
  musts: string[];
  excluded: Clause[];
  filters: SearchFilters;
  /** True if something was typed that is no filter, and it has no word. */
  isVoid: boolean;
}

/** Filters that may be given several times, each time for one more value. */
const MANY = ['path', 'agent', 'state', 'ending', 'type', 'role', 'in'] as const;
const ONCE = ['since', 'until'] as const;

/** A piece of a query: a mark, perhaps a prefix, and a quoted or plain text. */
const PIECE = /([+-]?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/giu;

/** Parses a query. What is no known prefix is a word. */
export function parseQuery(text: string): Query {
  const query: Query = { words: [], required: [], musts: [], excluded: [], filters: {}, isVoid: false };
  let isNothing = false;
  for (const [whole, sign = '', prefix, quoted, plain = ''] of text.matchAll(PIECE)) {
    const value = quoted ?? plain;
    const mark = isOption(sign, prefix, plain) ? '' : sign;
    if (prefix !== undefined && mark === '' && addFilter(query.filters, prefix.toLowerCase(), value)) continue;
    // Of an unknown prefix both sides are words.
    const said = prefix === undefined ? value : whole.slice(mark.length).replaceAll('"', ' ');
    const clause = clauseOf(said);
    if (clause.length === 0) {
      isNothing = true;
      continue;
    }
    if (mark === '-') query.excluded.push(clause);
    else if (mark === '+' || (quoted !== undefined && prefix === undefined)) {
      query.required.push(clause);
      query.musts.push(whole);
    }
    if (mark !== '-') for (const word of wordsOf(said)) if (!query.words.includes(word)) query.words.push(word);
  }
  query.isVoid = isNothing && query.words.length === 0 && query.excluded.length === 0;
  return query;
}

/** Checks if a piece is an option of some program, `--only` or `-c`, and so a word. */
const isOption = (sign: string, prefix: string | undefined, plain: string): boolean =>
  sign === '-' && prefix === undefined && /^(?:-|[!-~]$)/.test(plain);

function addFilter(filters: SearchFilters, name: string, value: string): boolean {
  if (value === '') return false;
  const many = MANY.find((known) => known === name);
  if (many) filters[many] = [...(filters[many] ?? []), value];
  const once = ONCE.find((known) => known === name);
  if (once) filters[once] = value;
  return many !== undefined || once !== undefined;
}

/** Returns the words of a text. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (_word, begin, end) => words.push(text.slice(begin, end)));
  return words;
}

/** Returns the terms of a text as a phrase has them. A name that is kept whole is looked for by its pieces. */
export function clauseOf(text: string): Clause {
  const clause: ClauseTerm[] = [];
  let place = 0;
  eachWord(text, ({ terms, width }) => {
    const pieces = new Map<number, string>();
    for (const { term, offset } of terms) if (!pieces.has(offset)) pieces.set(offset, term);
    const isPaired = [...pieces.values()].some((term) => [...term].length === 2 && /\P{ASCII}/u.test(term));
    for (const [offset, term] of pieces) {
      // The last character of a run begins another pair in a longer text.
      if (isPaired && pieces.size > 1 && [...term].length === 1 && /\P{ASCII}/u.test(term)) continue;
      clause.push({ term, offset: place + offset });
    }
    place += width;
  });
  return clause;
}

/** A term that ranks, with its share of the word that it is of. */
export interface RankedTerm {
  term: string;
  share: number;
  word: string;
}

/** Returns the terms by which a word ranks: those of its pieces share what one word counts, and the whole name counts as one. */
export function rankedTerms(word: string): RankedTerm[] {
  const { terms } = analysed(word);
  const pieces = clauseOf(word).map(({ term }) => term);
  const found = new Map<string, number>();
  for (const term of pieces) found.set(term, Math.max(found.get(term) ?? 0, 1 / Math.sqrt(pieces.length)));
  for (const { term } of terms)
    if (!pieces.includes(term) && terms.length > 1 && !/\P{ASCII}/u.test(term)) found.set(term, 1);
  return [...found].map(([term, share]) => ({ term, share, word }));
}
