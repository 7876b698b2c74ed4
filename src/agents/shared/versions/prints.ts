/** Hashes the parts of messages, so that a later version of a message only adds what is new. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { fingerprint, idOf, readPairs } from '../fields.ts';
import { isToolPart, type ToolPart } from '../parts.ts';
import type { Tokens } from '../usage.ts';

/** The last version of a message, without its text. */
export interface KnownMessage {
  /** The hash of each part, by the key of the part. */
  prints: Map<string, string>;
  /** The tokens that the message used, or null if no version said so. */
  usage: Tokens | null;
}

/** The prefix of the hash of a call that has no result yet. */
const OPEN = '?';
/** The mark in place of the hash of a call whose result was in a separate record. */
export const RETURNED = 'returned';

/** Returns the hash of a part. */
export function printOf(part: Part | ToolPart): string {
  const print = fingerprint(JSON.stringify(part)).toString(36);
  return isToolPart(part) && part.state === 'input-available' ? `${OPEN}${print}` : print;
}

/** Returns whether a hash is that of a call without a result. */
export function isOpenPrint(print: string | undefined): boolean {
  return print?.startsWith(OPEN) === true;
}

/** Returns hashes by key as a record or a cursor holds them: pairs, since a key may be any text. */
export function printsAsJson(prints: Iterable<[string, string]>): JsonValue[] {
  return [...prints].map(([key, print]) => [key, print]);
}

/** Reads tokens back from JSON, or returns null if the value is no object. */
export function readTokens(value: JsonValue | undefined): Tokens | null {
  const fields = objectOf(value);
  if (!fields) return null;
  const tokens: Tokens = {};
  for (const key of ['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const) {
    const count = numberOf(fields[key]);
    if (count !== undefined) tokens[key] = count;
  }
  return tokens;
}

/** The number of messages that a cursor holds, and of parts in all of them. */
const MESSAGES_LIMIT = 8;
const PARTS_LIMIT = 64;

/** Returns the latest messages as a cursor holds them. */
export function knownForCursor(known: ReadonlyMap<string, KnownMessage>): JsonValue[] {
  let room = PARTS_LIMIT;
  const latest = [...known].slice(-MESSAGES_LIMIT).reverse();
  const held = latest.filter(([, { prints }]) => {
    room -= prints.size;
    return room >= 0;
  });
  return held.reverse().map(([id, { prints, usage }]): JsonObject => {
    return { id, prints: printsAsJson(prints), ...(usage ? { usage: { ...usage } } : {}) };
  });
}

/** Reads the messages of a cursor back. */
export function readKnown(value: JsonValue | undefined): Map<string, KnownMessage> {
  const known = new Map<string, KnownMessage>();
  for (const item of Array.isArray(value) ? value : []) {
    const id = isObject(item) ? idOf(item['id']) : undefined;
    if (!isObject(item) || id === undefined) continue;
    known.set(id, { prints: new Map(readPairs(item['prints'])), usage: readTokens(item['usage']) });
  }
  return known;
}
