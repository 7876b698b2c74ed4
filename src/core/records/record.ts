/** Declares what a record is: one JSON object `{version, id, kind, at, …}` for each thing observed. Its kinds are in `table.ts`. */
import { isObject, type JsonValue } from '../json.ts';
import type { Envelope, StoredRecord } from './kind.ts';
import type { Bodies } from './table.ts';

/** The version of the record format that this ctx writes, and the newest it reads. */
export const RECORD_VERSION = 1;

/** The fields of a record of a known kind, without its envelope. */
export type RecordBody = Bodies[keyof Bodies];
/** The fields of any record. */
export type AnyBody = RecordBody | { kind: string; [key: string]: unknown };

export { kindOf, type StoredRecord } from './kind.ts';
/** A record of one known kind. */
export type RecordOf<Kind extends keyof Bodies> = Envelope & Bodies[Kind];

/** Checks if a record is of a kind; narrows it to the fields of that kind. */
export function isKind<Kind extends keyof Bodies>(
  record: StoredRecord,
  kind: Kind,
): record is StoredRecord & RecordOf<Kind> {
  return record.kind === kind;
}

/** Puts the envelope before the fields of a record; `version`, `id`, `at` and `redacted` among the fields do not count. */
export function makeRecord(id: string, at: number, body: AnyBody): StoredRecord {
  const { kind, version: _version, id: _id, at: _at, redacted: _redacted, ...fields } = body as StoredRecord;
  return { version: RECORD_VERSION, id, kind, at, ...fields };
}

/** Words what is wrong with a stored record's envelope; null if nothing is. */
export function envelopeProblem(value: JsonValue): string | null {
  if (!isObject(value)) return 'it is not a JSON object';
  if (!Number.isSafeInteger(value.version)) return 'it has no version';
  if (typeof value.id !== 'string' || value.id === '') return 'it has no id';
  if (typeof value.kind !== 'string' || value.kind === '') return 'it has no kind';
  if (!Number.isSafeInteger(value.at) || (value.at as number) < 0) return 'it has no time';
  return null;
}
