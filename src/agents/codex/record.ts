/** What a record of a rollout looks like on its line: `{timestamp, type, payload}`, or without an envelope. */
import { isObject, type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';
import { bareTypeOf } from './bare.ts';

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
  if (bareTypeOf(record) !== null) return true;
  return TYPES.includes(record['type']) && isObject(record['payload']) && typeof record['timestamp'] === 'string';
}

const SHAPE: RecordShape = { beginnings: /\{"timestamp":\s?"/g, isWhole: isOurs };

/** Reads a line of a rollout. Never throws; a blank line gives nothing. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}

/** Where an event has a piece of what another one tells whole. */
const PIECES = ['delta', 'chunk'];

/**
 * A record as it is kept: an event that tells a piece of a text is kept without that. Piece by piece nobody would know a secret in it;
 * the whole is told when it is said, and of a turn that is cut off before that Codex has kept no piece either.
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

/** What is in a record. */
export interface Content {
  /** Undefined where it has none that means anything. */
  type: string | undefined;
  payload: JsonObject;
  /** What stands beside the two. */
  around: JsonObject;
  /** Whether it has no envelope, and so no time: the same text may come again. */
  isBare: boolean;
}

export function contentOf(record: JsonObject): Content {
  const bare = bareTypeOf(record);
  if (bare !== null) return { type: bare, payload: record, around: {}, isBare: true };
  const { type, payload, ...around } = record;
  const told = isObject(payload) ? textOf(type) : undefined;
  return { type: told, payload: objectOf(payload) ?? {}, around, isBare: false };
}

/** One record on its way into what is kept. */
export interface Entry extends Content {
  record: JsonObject;
  /** Stands for the record: the same text has the same key, wherever it stands. */
  key: string;
  /** The id of a message that it begins. */
  id: string;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
}

/** What a record tells beside the keys of its payload that are told elsewhere: its key, its exact time, ids, and whatever comes. */
export function lineOf(entry: Entry, ...told: string[]): JsonObject {
  const item = Object.entries(entry.payload).filter(([key, value]) => !told.includes(key) && value !== undefined);
  return { key: entry.key, ...entry.around, item: Object.fromEntries(item) };
}

/** `response_item/message`: the type of a record with that of its payload. */
export function typeOf(record: JsonObject): string {
  const { type = textOf(record['type']) ?? 'unknown', payload } = contentOf(record);
  const inner = textOf(payload['type']);
  return inner === undefined ? type : `${type}/${inner}`;
}
