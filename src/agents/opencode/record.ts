/** A line of an export of opencode: the session, a message with its parts, or a line after the messages. */
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';
import { isKnownKind, isSecond, isSurelySecond } from './second-message.ts';

const ROLES: readonly unknown[] = ['user', 'assistant'];

/** Returns whether a record is a message of an export. */
export function isMessage(record: JsonObject): boolean {
  const info = objectOf(record['info']);
  return typeof info?.['id'] === 'string' && ROLES.includes(info['role']) && Array.isArray(record['parts']);
}

/** Returns whether a record is the session itself. */
export function isSession(record: JsonObject): boolean {
  const info = objectOf(record['info']);
  if (typeof info?.['id'] !== 'string' || 'role' in info || 'parts' in record) return false;
  return info['id'].startsWith('ses_') || typeof info['projectID'] === 'string';
}

/** Returns whether a record is a line of a compact transcript, which other programs write of opencode, one message a line. */
export function isCompact(record: JsonObject): boolean {
  const isMarked = record['agent'] === 'opencode' && typeof record['v'] === 'number';
  return isMarked && ROLES.includes(record['type']) && Array.isArray(record['content']);
}

/** Returns whether only opencode writes such a record. */
export function isOurs(record: JsonObject): boolean {
  return isMessage(record) || isSession(record) || isCompact(record) || isSurelySecond(record);
}

/** Returns whether a record says which messages were reverted. */
export function isRevert(record: JsonObject): boolean {
  return isObject(record['revert']) && typeof record['revert']['messageID'] === 'string';
}

const SHAPE: RecordShape = { beginnings: /\{"(info|v|id)":/g, isWhole: isOurs };

/** Returns the problem with messages of unknown kinds; null if there are none. */
function unknownIn(records: readonly JsonObject[]): string | null {
  const kinds = records.filter(isSecond).map(({ type }) => String(type));
  const [unknown] = kinds.filter((kind) => !isKnownKind(kind));
  return unknown === undefined
    ? null
    : `has a message of the kind ${unknown}, which this ctx does not know: it is kept as it is`;
}

/** Reads a line. Never throws; a blank line has no records. */
export function readRecords(line: string): LineRead {
  const read = readLine(line, SHAPE);
  return read.problem === null ? { ...read, problem: unknownIn(read.records) } : read;
}
