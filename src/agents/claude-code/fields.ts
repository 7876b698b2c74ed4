/** Small questions about the fields of a Claude Code record: its ids, its time, what changed since the line before. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { readTime } from '../../core/time.ts';

/** Longest text that is taken for an id. */
const ID_LIMIT = 256;

/** A value that serves as an id, or undefined. */
export function idOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= ID_LIMIT ? value : undefined;
}

/** When a record was written, in Unix seconds; undefined where it does not tell. */
export function timeOf(record: JsonObject): number | undefined {
  const value = record['timestamp'];
  if (typeof value === 'string') return readTime(value);
  // A number is milliseconds, as JavaScript counts.
  if (typeof value === 'number' && value >= 1e11 && value < 1e15) return Math.floor(value / 1000);
  return undefined;
}

/** What stands for the key of an object that must be an object itself. */
export function inner(record: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = record?.[key];
  return isObject(value) ? value : undefined;
}

export function isTrue(value: JsonValue | undefined): boolean {
  return value === true;
}

/** Keys that are told elsewhere in a message: by its own fields, or by its metadata. */
const TOLD = new Set([
  'type',
  'message',
  'uuid',
  'parentUuid',
  'timestamp',
  'toolUseResult',
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'requestId',
  'agentId',
  'cwd',
  'gitBranch',
]);

/** Keys that say the same on nearly every line: kept where they change. */
const STICKY = new Set([
  'sessionId',
  'session_id',
  'version',
  'userType',
  'entrypoint',
  'slug',
  'cwd',
  'gitBranch',
  'effort',
  'perTurnEffort',
  'madeBy',
  'requestedModel',
  'promptCacheRequested',
]);

/** What the last line said under the keys that hardly ever change. */
export type Surroundings = Map<string, string>;

/** Whether a sticky key says something new; notes what it says. */
export function changes(around: Surroundings, key: string, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  const text = JSON.stringify(value);
  if (around.get(key) === text) return false;
  if (text.length <= 1024) around.set(key, text);
  return true;
}

/**
 * What a line says beside its message: its place in the tree, its exact time, and every key that nothing else tells.
 * Keys that say what they said on the line before are left out.
 */
export function lineOf(record: JsonObject, around: Surroundings): JsonObject {
  const told: [string, JsonValue | undefined][] = [];
  for (const key of ['uuid', 'parentUuid', 'timestamp']) if (key in record) told.push([key, record[key]]);
  for (const [key, value] of Object.entries(record)) {
    if (TOLD.has(key) || value === undefined) continue;
    if (STICKY.has(key) && !changes(around, key, value)) continue;
    told.push([key, value]);
  }
  return Object.fromEntries(told);
}

/** A short number for a text, to find it again among many (53 bits, cyrb53). */
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
