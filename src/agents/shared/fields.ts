/** Values of a record's fields: ids, times, and a number that identifies a text. */
import { type JsonObject, type JsonValue, objectOf, parseJson } from '../../core/json.ts';
import { readTime } from '../../core/time.ts';

/** Longest text that is taken for an id. */
const ID_LIMIT = 256;

/** Returns a value that is an id, or undefined. */
export function idOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= ID_LIMIT ? value : undefined;
}

/** Returns the ids in a list, without elements that are no ids. */
export function idsOf(value: JsonValue | undefined): string[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => idOf(item) ?? []);
}

/** Parses a line that is a JSON object; undefined if it is none. */
export function parseRecord(line: string): JsonObject | undefined {
  try {
    return objectOf(parseJson(line));
  } catch {
    return undefined;
  }
}

/** Reads pairs of texts from a cursor, without elements that are no pairs. */
export function readPairs(value: JsonValue | undefined): [string, string][] {
  return (Array.isArray(value) ? value : []).flatMap((pair): [string, string][] => {
    const [key, print] = Array.isArray(pair) ? pair : [];
    return typeof key === 'string' && typeof print === 'string' ? [[key, print]] : [];
  });
}

/** Returns when a record was written, in Unix seconds; undefined if it has no time. */
export function timeOf(record: JsonObject): number | undefined {
  return secondsOf(record['timestamp']);
}

/** Returns a time as an agent writes it, in Unix seconds; undefined if it is none. */
export function secondsOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'string') return readTime(value);
  // A number is milliseconds, as JavaScript counts.
  if (typeof value === 'number' && value >= 1e11 && value < 1e15) return Math.floor(value / 1000);
  return undefined;
}

/** Returns a short number that identifies a text among many (53 bits, cyrb53). */
export function fingerprint(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
