/** The fields of a Claude Code record: the session it was copied from, and the fields that changed since the line before. */
import { type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { fingerprint, idOf } from '../shared/fields.ts';
import { textIn } from './parts.ts';

/** Returns the session that a line was copied from, as `--fork-session` notes on each; undefined if it is its own session's. */
export function copiedFrom(record: JsonObject): string | undefined {
  const from = idOf(objectOf(record['forkedFrom'])?.['sessionId']);
  return from === idOf(record['sessionId']) ? undefined : from;
}

/** Keys that a message contains elsewhere: in its own fields, or in its metadata. */
const KEPT_ELSEWHERE = new Set([
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

/** Keys with the same value on nearly every line: they are kept when they change. */
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

/** The last values of the keys that hardly ever change. */
export type Surroundings = Map<string, string>;

/** Returns whether a sticky key has a new value, and notes the value. */
export function changes(around: Surroundings, key: string, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  const text = JSON.stringify(value);
  if (around.get(key) === text) return false;
  if (text.length <= 1024) around.set(key, text);
  return true;
}

/** Keys of the message in a line that the kept message contains. */
const KEPT_OF_MESSAGE = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']);

/** The number of keys whose last values a cursor holds: values of further keys are kept on each line. */
const MOST_AROUND = 48;

/** Returns the fields of the message in a line beside its content, if any has changed since the last line. */
export function besideContent(message: JsonObject, around: Surroundings): JsonObject | undefined {
  const told = Object.entries(message).filter(([key, value]) => {
    if (KEPT_OF_MESSAGE.has(key)) return false;
    const sticky = `message.${key}`;
    if (!around.has(sticky) && (value === null || around.size >= MOST_AROUND)) return value !== null;
    return changes(around, sticky, value);
  });
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

/** Returns the prompt of a sub-agent in its progress; undefined if the message contains it, or the progress before. */
export function promptBeside({ prompt }: JsonObject, message: JsonObject, around: Surroundings): JsonValue | undefined {
  // A prompt is long and comes with each record: only its hash is remembered.
  const print = typeof prompt === 'string' ? fingerprint(prompt) : prompt;
  return changes(around, 'progress.prompt', print) && textIn(message['content']) !== prompt ? prompt : undefined;
}

/**
 * Returns the fields of a line beside its message: its position in the tree, its exact time, and every other key.
 * Sticky keys with the value of the line before are left out.
 */
export function lineOf(record: JsonObject, around: Surroundings): JsonObject {
  const told: [string, JsonValue | undefined][] = [];
  for (const key of ['uuid', 'parentUuid', 'timestamp']) if (key in record) told.push([key, record[key]]);
  for (const [key, value] of Object.entries(record)) {
    if (KEPT_ELSEWHERE.has(key) || value === undefined) continue;
    if (STICKY.has(key) && !changes(around, key, value)) continue;
    told.push([key, value]);
  }
  return Object.fromEntries(told);
}
