/** What a record of a rollout looks like on its line: `{timestamp, type, payload}`. */
import { isObject, type JsonObject, textOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';

/** Types of records that only Codex writes. */
const TYPES: readonly unknown[] = [
  'session_meta',
  'turn_context',
  'world_state',
  'token_usage_record',
  'response_item',
  'event_msg',
  'compacted',
];

/** Whether a record is one of a rollout, by what is in it. */
export function isOurs(record: JsonObject): boolean {
  return TYPES.includes(record['type']) && isObject(record['payload']) && typeof record['timestamp'] === 'string';
}

const SHAPE: RecordShape = { beginnings: /\{"timestamp":"/g, isWhole: isOurs };

/** Reads a line of a rollout. Never throws; a blank line gives nothing. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}

/** One record on its way into what is kept. */
export interface Entry {
  record: JsonObject;
  payload: JsonObject;
  /** Stands for the record: the same text has the same key, wherever it stands. */
  key: string;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
}

/** What a record tells beside the keys of its payload that are told elsewhere: its key, its exact time, ids, and whatever comes. */
export function lineOf(entry: Entry, ...told: string[]): JsonObject {
  const { type: _type, payload: _payload, ...around } = entry.record;
  const item = Object.entries(entry.payload).filter(([key, value]) => !told.includes(key) && value !== undefined);
  return { key: entry.key, ...around, item: Object.fromEntries(item) };
}

/** `response_item/message`: the type of a record with that of its payload. */
export function typeOf(record: JsonObject): string {
  const type = textOf(record['type']) ?? 'unknown';
  const inner = isObject(record['payload']) ? textOf(record['payload']['type']) : undefined;
  return inner === undefined ? type : `${type}/${inner}`;
}
