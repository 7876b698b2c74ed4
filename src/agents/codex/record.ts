/** The shape of a record of a rollout on its line: `{timestamp, type, payload}`, or without an envelope. */
import { isObject, type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';
import { typeWithoutEnvelope } from './old-rollout.ts';

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

/** Returns whether a record is one of a rollout, by its fields. */
export function isOurs(record: JsonObject): boolean {
  if (typeWithoutEnvelope(record) !== null) return true;
  return TYPES.includes(record['type']) && isObject(record['payload']) && typeof record['timestamp'] === 'string';
}

const SHAPE: RecordShape = { beginnings: /\{"timestamp":\s?"/g, isWhole: isOurs };

/** Reads a line of a rollout. Never throws; a blank line has no records. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}

/** The keys of an event with a piece of a text that another event has whole. */
const PIECES = ['delta', 'chunk'];

/**
 * Returns the kept form of a record: an event with a piece of a text is kept without that piece, in which a secret could not be
 * recognised. The whole text follows in another event; if the turn is cut off before that, Codex keeps no piece either.
 */
export function withoutPiece(record: JsonObject): JsonObject {
  const payload = objectOf(record['payload']);
  if (record['type'] !== 'event_msg' || !payload || !textOf(payload['type'])?.endsWith('_delta')) return record;
  const told = PIECES.filter((key) => typeof payload[key] === 'string');
  const cut = told.map((key) => [
    key,
    `[${Buffer.byteLength(payload[key] as string)} bytes, a piece of what is told whole]`,
  ]);
  return told.length === 0 ? record : { ...record, payload: { ...payload, ...Object.fromEntries(cut) } };
}

/** The content of a record. */
export interface Content {
  /** Undefined if the record has no type with a meaning. */
  type: string | undefined;
  payload: JsonObject;
  /** The other fields. */
  around: JsonObject;
  /** True if it has no envelope, and so no time: the same text may come again. */
  isBare: boolean;
}

/** Returns the content of a record, with or without an envelope. */
export function contentOf(record: JsonObject): Content {
  const bare = typeWithoutEnvelope(record);
  if (bare !== null) return { type: bare, payload: record, around: {}, isBare: true };
  const { type, payload, ...around } = record;
  const told = isObject(payload) ? textOf(type) : undefined;
  return { type: told, payload: objectOf(payload) ?? {}, around, isBare: false };
}

/** One record while it is handled. */
export interface Entry extends Content {
  record: JsonObject;
  /** Identifies the record: equal texts have equal keys. */
  key: string;
  /** The id of a message that it begins. */
  id: string;
  at: number;
  /** When the record before it was written, which is the end of a turn that this record ends. */
  before: number;
}

/** Returns the fields of a record without those of its payload that are kept elsewhere: its key, its exact time, ids, and any others. */
export function lineOf(entry: Entry, ...told: string[]): JsonObject {
  const item = Object.entries(entry.payload).filter(([key, value]) => !told.includes(key) && value !== undefined);
  return { key: entry.key, ...entry.around, item: Object.fromEntries(item) };
}

/** Returns the type of a record with that of its payload, such as `response_item/message`. */
export function typeOf(record: JsonObject): string {
  const { type = textOf(record['type']) ?? 'unknown', payload } = contentOf(record);
  const inner = textOf(payload['type']);
  return inner === undefined ? type : `${type}/${inner}`;
}
