/** What was told of messages before: a number for what each of their parts said, so that only what is new is given again. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { fingerprint, idOf, readPairs } from '../fields.ts';
import { isToolPart, type ToolPart } from '../parts.ts';
import type { Tokens } from '../usage.ts';

/** A message as it was told last. */
export interface KnownMessage {
  /** What each part said, by its key. */
  prints: Map<string, string>;
  /** What it had used; null where that was not told. */
  usage: Tokens | null;
}

/** Before the number of a call that has no result yet. */
const OPEN = '?';
/** Of a call whose result stood in a record of its own. */
export const RETURNED = 'returned';

/** Stands for what a part says. */
export function printOf(part: Part | ToolPart): string {
  const print = fingerprint(JSON.stringify(part)).toString(36);
  return isToolPart(part) && part.state === 'input-available' ? `${OPEN}${print}` : print;
}

/** Whether a part was a call without a result when it was told. */
export function isOpenPrint(print: string | undefined): boolean {
  return print?.startsWith(OPEN) === true;
}

/** Prints as a record or a cursor holds them: pairs, since a key may be any text. */
export function printsAsJson(prints: Iterable<[string, string]>): JsonValue[] {
  return [...prints].map(([key, print]) => [key, print]);
}

/** Tokens as they came back; null where there are none. */
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

/** Messages that a cursor holds, the latest, and the parts of all of them. */
const MESSAGES_LIMIT = 8;
const PARTS_LIMIT = 64;

/** The latest messages as a cursor holds them. */
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

/** Messages as they came back in a cursor. */
export function readKnown(value: JsonValue | undefined): Map<string, KnownMessage> {
  const known = new Map<string, KnownMessage>();
  for (const item of Array.isArray(value) ? value : []) {
    const id = isObject(item) ? idOf(item['id']) : undefined;
    if (!isObject(item) || id === undefined) continue;
    known.set(id, { prints: new Map(readPairs(item['prints'])), usage: readTokens(item['usage']) });
  }
  return known;
}
