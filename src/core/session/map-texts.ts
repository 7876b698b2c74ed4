/** Putting every text of a JSON value through a function: all but what is structure of ctx's own. */
import { isStub, type Stub } from '../externalise.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { ANYBODYS, keepsKey, keepsValue, type Place, placeAt } from '../structure.ts';
import { placeOf } from './places.ts';

/**
 * Puts every text of a value, keys too, through a function; returns the same value if nothing changes.
 * @param value a document of ctx's, or a text
 * @param stub what becomes of a stub; without it what looks like one is taken as any other object
 */
export const mapTexts = (
  value: JsonValue,
  text: (text: string) => string,
  stub: ((stub: Stub) => JsonValue) | null = null,
): JsonValue => mapAt(value, placeOf(value), text, stub);

/** The same for a value that is nobody's document: nothing in it is a name of ctx's. */
export const mapAnybodys = (value: JsonValue, text: (text: string) => string): JsonValue =>
  mapAt(value, ANYBODYS, text, null);

function mapAt(
  value: JsonValue,
  where: Place,
  text: (text: string) => string,
  stub: ((stub: Stub) => JsonValue) | null,
): JsonValue {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapAt(item, where, text, stub));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (stub && isStub(value)) return stub(value);
  let same = true;
  const entries = Object.entries(value as JsonObject).map(([key, item]): [string, JsonValue | undefined] => {
    const nextKey = keepsKey(where, key) ? key : text(key);
    const kept = item === undefined || keepsValue(where, key, item);
    const next = kept ? item : mapAt(item, placeAt(where, key), text, stub);
    same &&= nextKey === key && next === item;
    return [nextKey, next];
  });
  return same ? value : Object.fromEntries(entries);
}
