/** Small questions about the fields of a Claude Code record: its ids, its time, what changed since the line before. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { fingerprint, idOf } from '../shared/fields.ts';
import { textIn } from './parts.ts';

/** What stands for the key of an object that must be an object itself. */
export function inner(record: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = record?.[key];
  return isObject(value) ? value : undefined;
}

/** The session that a line was copied from, as `--fork-session` says on each; undefined where it is its own session's. */
export function copiedFrom(record: JsonObject): string | undefined {
  const from = idOf(inner(record, 'forkedFrom')?.['sessionId']);
  return from === idOf(record['sessionId']) ? undefined : from;
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

/** Keys of what a line carries that are told by the message it goes into. */
const TOLD_OF_MESSAGE = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']);

/** Most keys of which a cursor remembers what they said: of those beyond, each line is kept. */
const MOST_AROUND = 48;

/** What the message of a line says beside its content, where that is anything and not what the last one said. */
export function besideContent(message: JsonObject, around: Surroundings): JsonObject | undefined {
  const told = Object.entries(message).filter(([key, value]) => {
    if (TOLD_OF_MESSAGE.has(key)) return false;
    const sticky = `message.${key}`;
    if (!around.has(sticky) && (value === null || around.size >= MOST_AROUND)) return value !== null;
    return changes(around, sticky, value);
  });
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

/** The prompt of a sub-agent as its progress tells it; undefined where the message says it, or the progress before has. */
export function promptBeside({ prompt }: JsonObject, message: JsonObject, around: Surroundings): JsonValue | undefined {
  // A prompt is long, and it comes with each record: a number that stands for it is all that is remembered.
  const print = typeof prompt === 'string' ? fingerprint(prompt) : prompt;
  return changes(around, 'progress.prompt', print) && textIn(message['content']) !== prompt ? prompt : undefined;
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
