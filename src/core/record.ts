/** Records: everything observed is one JSON object `{version, id, kind, at, …}`. Types and small pure helpers. */
import type { infer as Infer } from 'zod/mini';
import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';
import type { BODIES, otherSchema } from './schema/record.ts';

/** The version of the record format that this ctx writes, and the newest it reads. */
export const RECORD_VERSION = 1;

type Bodies = { [Kind in keyof typeof BODIES]: Infer<(typeof BODIES)[Kind]> };

/** The fields of a record of a known kind, without its envelope. */
export type RecordBody = Bodies[keyof Bodies];
/** The fields of any record. */
export type AnyBody = RecordBody | Infer<typeof otherSchema>;

/** What every record has: format version, UUIDv7, kind, Unix seconds. */
export interface Envelope {
  version: number;
  id: string;
  kind: string;
  at: number;
}

/** A record of any kind, as it is stored. */
export type StoredRecord = Envelope & { [key: string]: unknown };
/** A record of one known kind. */
export type RecordOf<Kind extends keyof Bodies> = Envelope & Bodies[Kind];

/** Whether a record is of a kind; narrows it to the fields of that kind. */
export function isKind<Kind extends keyof Bodies>(
  record: StoredRecord,
  kind: Kind,
): record is StoredRecord & RecordOf<Kind> {
  return record.kind === kind;
}

/** Puts the envelope before the fields of a record; what the fields say of `version`, `id` and `at` does not count. */
export function makeRecord(id: string, at: number, body: AnyBody): StoredRecord {
  const { kind, version: _version, id: _id, at: _at, ...fields } = body as StoredRecord;
  return { version: RECORD_VERSION, id, kind, at, ...fields };
}

/** What is wrong with a stored record's envelope, or null. */
export function envelopeProblem(value: JsonValue): string | null {
  if (!isObject(value)) return 'it is not a JSON object';
  if (!Number.isSafeInteger(value.version)) return 'it has no version';
  if (typeof value.id !== 'string' || value.id === '') return 'it has no id';
  if (typeof value.kind !== 'string' || value.kind === '') return 'it has no kind';
  if (!Number.isSafeInteger(value.at) || (value.at as number) < 0) return 'it has no time';
  return null;
}
