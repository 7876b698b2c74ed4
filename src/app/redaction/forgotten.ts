/** The door that what was forgotten does not come back through: whatever is redacted is put through it too. */

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

/** What was forgotten, ready to be looked for. */
export interface Door {
  text: ReplaceForgotten;
  value: <T>(value: T) => T;
  pieces: (pieces: Iterable<Buffer>) => Iterable<Buffer>;
  /** Whether a content was forgotten as a whole; null where none ever was. */
  isForgotten: ((sha256: string) => boolean) | null;
}

/** What a store was found to have forgotten, and the state of the file that told it. */
const known = new WeakMap<object, { stamp: string; list: ForgottenList; door: Door | null }>();

function knownOf(store: Store): { list: ForgottenList; door: Door | null } | null {
  const stamp = forgottenStamp(store);
  if (stamp === '') {
    checkForgottenThere(store);
    return null;
  }
  const before = known.get(store.layout);
  if (before?.stamp === stamp) return before;
  const list = readForgotten(store);
  const made = { stamp, list, door: doorOf(store, list) };
  known.set(store.layout, made);
  return made;
}

/** The door of a store; null where nothing was forgotten. @throws {CtxError} damaged */
export const doorTo = (store: Store): Door | null => knownOf(store)?.door ?? null;

/** When a conversation of an agent was forgotten, and as which session; null where it was not. @throws {CtxError} damaged */
export const forgottenSource = (store: Store, agent: string, session: string): ForgottenSource | null =>
  sourceOf(store, (hash) => sourceHash(agent, session, hash));

/**
 * The same for a conversation that no id tells from others.
 * @param firstLine what stands for the first line of its file
 * @param session what the store calls it; null for whatever it is called
 */
export const forgottenBeginning = (store: Store, agent: string, firstLine: string, session: string | null) =>
  sourceOf(store, (hash) => beginningHash(agent, firstLine, session, hash));

function sourceOf(store: Store, hashBy: (hash: KeyedHash) => string): ForgottenSource | null {
  const sources = knownOf(store)?.list.sources ?? [];
  if (sources.length === 0) return null;
  const hash = hashBy(hashOf(store));
  return sources.find((source) => source.hash === hash) ?? null;
}

/** Whether any conversation was forgotten. */
export const hasForgottenSources = (store: Store): boolean => (knownOf(store)?.list.sources ?? []).length > 0;

function doorOf(store: Store, list: ForgottenList): Door | null {
  const hash = hashOf(store);
  const finder = forgottenFinder(list, hash);
  const contents = new Set(list.contents);
  const text = replaceForgotten(list, hash);
  // Not by Math.max(...): there may be more than a call takes.
  const longest = list.wholes.reduce((most, { length }) => Math.max(most, length), 0);
  return {
    text,
    value: <T>(value: T): T => mapTexts(value as JsonValue, text) as T,
    pieces: (pieces) => wholeOrPieces(pieces, longest, text, finder),
    isForgotten: contents.size === 0 ? null : (sha256) => contents.has(contentHash(sha256, hash)),
  };
}

/** A text that comes in pieces: one short enough to be known as a whole is looked at as that. */
function* wholeOrPieces(
  pieces: Iterable<Buffer>,
  longest: number,
  text: ReplaceForgotten,
  finder: Finder | null,
): Generator<Buffer> {
  const iterator = pieces[Symbol.iterator]();
  const held: Buffer[] = [];
  let bytes = 0;
  // A code unit takes at most three bytes; some blanks may stand around.
  while (bytes <= longest * 3 + 1024) {
    const next = iterator.next();
    if (next.done) {
      const whole = Buffer.concat(held);
      const told = whole.toString('utf8');
      const clean = text(told);
      if (clean !== told) yield Buffer.from(clean);
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
  // Twice: what was forgotten later may have held the marker of what was forgotten before.
  yield* finder ? replacePieces(replacePieces(all(), finder), finder) : all();
}
