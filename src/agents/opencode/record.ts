/** What opencode tells of a session on one line: the session, a message with its parts, or what stands behind them. */
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';
import { isKnownKind, isSecond, isSurelySecond } from './second-message.ts';

const ROLES: readonly unknown[] = ['user', 'assistant'];

/** Whether a record is a message, as an export has them. */
export function isMessage(record: JsonObject): boolean {
  const info = objectOf(record['info']);
  return typeof info?.['id'] === 'string' && ROLES.includes(info['role']) && Array.isArray(record['parts']);
}

/** Whether a record is the session itself. */
export function isSession(record: JsonObject): boolean {
  const info = objectOf(record['info']);
  if (typeof info?.['id'] !== 'string' || 'role' in info || 'parts' in record) return false;
  return info['id'].startsWith('ses_') || typeof info['projectID'] === 'string';
}

/** Whether a record is a line of a compact transcript: what others write of opencode, one message a line. */
export function isCompact(record: JsonObject): boolean {
  const isMarked = record['agent'] === 'opencode' && typeof record['v'] === 'number';
  return isMarked && ROLES.includes(record['type']) && Array.isArray(record['content']);
}

export function isOurs(record: JsonObject): boolean {
  return isMessage(record) || isSession(record) || isCompact(record) || isSurelySecond(record);
}

/** Whether a record says which messages were taken back, and may be brought again. */
export function isRevert(record: JsonObject): boolean {
  return isObject(record['revert']) && typeof record['revert']['messageID'] === 'string';
}

const SHAPE: RecordShape = { beginnings: /\{"(info|v|id)":/g, isWhole: isOurs };

/** What is said of messages of kinds that are not known; null where there are none. */
function unknownIn(records: readonly JsonObject[]): string | null {
  const kinds = records.filter(isSecond).map(({ type }) => String(type));
  const [unknown] = kinds.filter((kind) => !isKnownKind(kind));
  return unknown === undefined
    ? null
    : `has a message of the kind ${unknown}, which this ctx does not know: it is kept as it is`;
}

/** Reads a line. Never throws; a blank line gives nothing. */
export function readRecords(line: string): LineRead {
  const read = readLine(line, SHAPE);
  return read.problem === null ? { ...read, problem: unknownIn(read.records) } : read;
}
