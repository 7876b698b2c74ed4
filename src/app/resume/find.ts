/** Finds the session that somebody means: by its number in the list, its id or a piece of it, its name, `-`, or words. */
import { execFile } from 'node:child_process';
import { distance } from 'fastest-levenshtein';
import { CtxError } from '../../core/errors.ts';
import { objectOf, parseJson, textOf } from '../../core/json.ts';
import { idsMatching, SHORTEST_PIECE } from '../../core/listing/short-id.ts';
import { SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { movesOf } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';
import { searchSessions } from '../find/search.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import type { ResumableRow, Resumables } from './resumable.ts';

/** Returns the ids of the sessions in which words were said, the likeliest first. */
export type SearchSaid = (words: string) => readonly string[];

/** Most sessions that are found by what was said. */
const SAID_LIMIT = 50;

/**
 * Returns a search through everything that was said and done in the sessions of a store: all words must be in a session, as they are
 * typed.
 */
const saidIn =
  (repository: Repository): SearchSaid =>
  (words) => {
    const found = searchSessions(repository, queryOf(words), { sessionsOnly: true, limit: SAID_LIMIT });
    return found.hits.map(({ session_id }) => session_id);
  };

const queryOf = (words: string): string => (words.match(/[^\s"]+/g) ?? []).map((word) => `+"${word}"`).join(' ');

/**
 * Returns the same search in a process of its own, for which no key of its user waits; it finds nothing once it is aborted, or if it fails.
 * @param ctx the words behind the program that runs ctx
 */
export const saidApart =
  (ctx: readonly string[], { directory, environment }: Surroundings) =>
  (words: string, signal: AbortSignal): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const search = ['--json', 'search', '--sessions', '--limit', String(SAID_LIMIT), queryOf(words)];
      const options = { cwd: directory, env: environment as NodeJS.ProcessEnv, signal, maxBuffer: 16 * 1024 * 1024 };
      execFile(process.execPath, [...ctx, ...search], options, (error, stdout) => {
        resolve(error ? [] : idsIn(stdout));
      });
    });

/** Returns the ids of the sessions in an answer of `ctx search`; none if it is not one. */
function idsIn(answer: string): string[] {
  try {
    const hits = objectOf(parseJson(answer))?.['result'];
    return (Array.isArray(hits) ? hits : []).flatMap((hit) => textOf(objectOf(hit)?.['session_id']) ?? []);
  } catch {
    return [];
  }
}

/** Meaning of a text: one session, several of them, or none, with those whose titles are nearest to it. */
export type Found =
  | { kind: 'one'; row: ResumableRow }
  | { kind: 'several'; rows: ResumableRow[] }
  | { kind: 'none'; nearest: ResumableRow[] };

/** Most sessions that are suggested for words that match none. */
const SUGGESTED = 3;

const foundOf = (rows: ResumableRow[]): Found | null => {
  const [only] = rows;
  if (only === undefined) return null;
  return rows.length === 1 ? { kind: 'one', row: only } : { kind: 'several', rows };
};

const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Returns the sessions of which some text has all the words, in any order. */
function withWords(
  rows: readonly ResumableRow[],
  words: readonly string[],
  textsOf: (row: ResumableRow) => readonly (string | null)[],
): ResumableRow[] {
  return rows.filter((row) => {
    const text = folded(
      textsOf(row)
        .filter((one) => one !== null)
        .join('\n'),
    );
    return words.every((word) => text.includes(word));
  });
}

/** Returns how far a title is from words, by the nearest of its words to each of theirs. */
function farness(title: string, words: readonly string[]): number {
  const own = folded(title).split(' ');
  return words.reduce(
    (sum, word) => sum + Math.min(...own.map((one) => distance(one, word) / Math.max(one.length, 1))),
    0,
  );
}

/** Returns the session that was active before, open or ended, by the operation log. @throws {CtxError} not_found */
function previousOf({ refs, layout }: Repository, { rows, heirs }: Pick<Resumables, 'rows' | 'heirs'>): ResumableRow {
  const stage = refs.stage();
  for (const { old, new: now } of movesOf(layout, 'STAGE')) {
    for (const ref of [now, old]) {
      const id = ref?.slice(SESSIONS.length);
      const row = rows.find(({ session_id }) => session_id === id) ?? heirs.get(id ?? '');
      if (row && sessionRef(row.session_id) !== stage) return row;
    }
  }
  throw new CtxError('not_found', 'No other session was active before.', { hint: 'See: ctx resume --list' });
}

/**
 * Finds what a text means among the sessions that can be resumed.
 * @throws {CtxError} not_found, for `-` if no other session was active before
 */
export function findResumable(
  repository: Repository,
  { rows, heirs }: Pick<Resumables, 'rows' | 'heirs'>,
  given: string,
  said: SearchSaid = saidIn(repository),
): Found {
  const text = given.trim();
  if (text === '-') return { kind: 'one', row: previousOf(repository, { rows, heirs }) };
  const byNumber = /^\d{1,6}$/.test(text) ? rows.find(({ number }) => number === Number(text)) : undefined;
  if (byNumber) return { kind: 'one', row: byNumber };
  if (text.length >= SHORTEST_PIECE && /^[0-9a-f-]+$/i.test(text)) {
    const ids = idsMatching([...rows.map(({ session_id }) => session_id), ...heirs.keys()], text);
    const named = ids.flatMap((id) => rows.find(({ session_id }) => session_id === id) ?? heirs.get(id) ?? []);
    const byId = foundOf([...new Set(named)]);
    if (byId) return byId;
  }
  const byName = foundOf(rows.filter(({ name }) => name === text.toLowerCase()));
  if (byName) return byName;
  const words = folded(text)
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return { kind: 'none', nearest: [] };
  const byTitle = foundOf(withWords(rows, words, ({ title, summary }) => [title, summary]));
  if (byTitle) return byTitle;
  const byTask = foundOf(
    withWords(rows, words, ({ title, summary, type, task_description: task }) => [title, summary, type, task]),
  );
  if (byTask) return byTask;
  const ids = said(text);
  const bySaid = foundOf(ids.flatMap((id) => rows.find(({ session_id }) => session_id === id) ?? []));
  if (bySaid) return bySaid;
  const nearest = rows
    .map((row) => ({ row, far: farness(row.title, words) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, SUGGESTED)
    .map(({ row }) => row);
  return { kind: 'none', nearest };
}
