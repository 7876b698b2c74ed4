/** A record of a chat of Gemini CLI: a header, a message, a change of the header, or a rewind. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';

const text = (record: JsonObject, key: string): boolean => typeof record[key] === 'string';

/** Types of messages. */
const TYPES: readonly unknown[] = ['user', 'gemini', 'info', 'error', 'warning'];

/** Returns whether a record is a message; a user's message may look the same in other programs. */
export function isMessage(record: JsonObject): boolean {
  return TYPES.includes(record['type']) && text(record, 'id') && text(record, 'timestamp') && 'content' in record;
}

/** Returns whether a record is the first of a file. */
export function isHeader(record: JsonObject): boolean {
  return text(record, 'sessionId') && text(record, 'projectHash');
}

/** Returns whether a record changes the header. */
export function isChange(record: JsonObject): boolean {
  return isObject(record['$set']);
}

/** Returns whether a record removes messages. */
export function isRewind(record: JsonObject): boolean {
  return text(record, '$rewindTo');
}

/** Returns whether only Gemini CLI writes such a record. */
export function isOurs(record: JsonObject): boolean {
  const isAnswer = isMessage(record) && record['type'] === 'gemini';
  return isHeader(record) || isAnswer || isChange(record) || isRewind(record);
}

const SHAPE: RecordShape = {
  beginnings: /\{"(id|sessionId|\$set|\$rewindTo)":/g,
  isWhole: (record) => isOurs(record) || isMessage(record),
};

/** Reads a line of a chat. Never throws; a blank line has no records. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}
