/** Keeps forgotten content from coming back: every redacted text also passes this filter. */

import {
  beginningHash,
  contentHash,
  type ForgottenList,
  type ForgottenSource,
  forgottenFinder,
  type KeyedHash,
  type ReplaceForgotten,
  replaceForgotten,
  sourceHash,
} from '../../core/forgotten.ts';
import type { JsonValue } from '../../core/json.ts';
import { mapTexts } from '../../core/session/map-texts.ts';
import { type Finder, replacePieces } from '../../core/stretches.ts';
import { checkForgottenThere, forgottenStamp, hashOf, readForgotten } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

/** A filter that replaces forgotten content in texts, values and streams. */
export interface ForgottenFilter {
  text: ReplaceForgotten;
  value: <T>(value: T) => T;
  pieces: (pieces: Iterable<Buffer>) => Iterable<Buffer>;
  /** Returns whether a content was forgotten as a whole; null if none ever was. */
  isForgotten: ((sha256: string) => boolean) | null;
}

/** The list of what each store has forgotten, with the stamp of the file that it was read from. */
const known = new WeakMap<object, { stamp: string; list: ForgottenList; filter: ForgottenFilter | null }>();

function cachedList(store: Store): { list: ForgottenList; filter: ForgottenFilter | null } | null {
  const stamp = forgottenStamp(store);
  if (stamp === '') {
    checkForgottenThere(store);
    return null;
  }
  const before = known.get(store.layout);
  if (before?.stamp === stamp) return before;
  const list = readForgotten(store);
  const made = { stamp, list, filter: compileFilter(store, list) };
  known.set(store.layout, made);
  return made;
}

/** Returns the filter of a store; null if nothing was forgotten. @throws {CtxError} damaged */
export const forgottenFilterOf = (store: Store): ForgottenFilter | null => cachedList(store)?.filter ?? null;

/**
 * Returns when a conversation of an agent was forgotten, and as which session; null if it was not.
 * @throws {CtxError} damaged
 */
export const forgottenSource = (store: Store, agent: string, session: string): ForgottenSource | null =>
  sourceOf(store, (hash) => sourceHash(agent, session, hash));

/**
 * Returns the same for a conversation that no id distinguishes from others.
 * @param firstLine what represents the first line of its file
 * @param session the store's name for the conversation; null for any name
 */
export const forgottenBeginning = (store: Store, agent: string, firstLine: string, session: string | null) =>
  sourceOf(store, (hash) => beginningHash(agent, firstLine, session, hash));

function sourceOf(store: Store, hashBy: (hash: KeyedHash) => string): ForgottenSource | null {
  const sources = cachedList(store)?.list.sources ?? [];
  if (sources.length === 0) return null;
  const hash = hashBy(hashOf(store));
  return sources.find((source) => source.hash === hash) ?? null;
}

/** Returns whether any conversation was forgotten. */
export const hasForgottenSources = (store: Store): boolean => (cachedList(store)?.list.sources ?? []).length > 0;

function compileFilter(store: Store, list: ForgottenList): ForgottenFilter | null {
  const hash = hashOf(store);
  const finder = forgottenFinder(list, hash);
  const contents = new Set(list.contents);
  const text = replaceForgotten(list, hash);
  // Math.max(...) would fail on more values than a call takes.
  const longest = list.wholes.reduce((most, { length }) => Math.max(most, length), 0);
  return {
    text,
    value: <T>(value: T): T => mapTexts(value as JsonValue, text) as T,
    pieces: (pieces) => wholeOrPieces(pieces, longest, text, finder),
    isForgotten: contents.size === 0 ? null : (sha256) => contents.has(contentHash(sha256, hash)),
  };
}

/** Filters a text that comes in pieces; a text short enough to be a forgotten whole is compared as a whole. */
function* wholeOrPieces(
  pieces: Iterable<Buffer>,
  longest: number,
  text: ReplaceForgotten,
  finder: Finder | null,
): Generator<Buffer> {
  const iterator = pieces[Symbol.iterator]();
  const held: Buffer[] = [];
  let bytes = 0;
  // A code unit takes at most three bytes; there may be some white space around the text.
  while (bytes <= longest * 3 + 1024) {
    const next = iterator.next();
    if (next.done) {
      const whole = Buffer.concat(held);
      const given = whole.toString('utf8');
      const clean = text(given);
      if (clean !== given) yield Buffer.from(clean);
      else yield* finder ? replacePieces([whole], finder) : [whole];
      return;
    }
    held.push(Buffer.from(next.value));
    bytes += next.value.length;
  }
  const all = function* (): Generator<Buffer> {
    yield* held;
    for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value;
  };
  // Two passes: what was forgotten later may have contained the marker of what was forgotten before.
  yield* finder ? replacePieces(replacePieces(all(), finder), finder) : all();
}
