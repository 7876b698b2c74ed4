/** What a record of a chat of Gemini CLI looks like: a header, a message, a change of the header, a step back. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';

const text = (record: JsonObject, key: string): boolean => typeof record[key] === 'string';

/** Types of messages. */
const TYPES: readonly unknown[] = ['user', 'gemini', 'info', 'error', 'warning'];

/** Whether a record is a message; one of the user may look so in other programs, too. */
export function isMessage(record: JsonObject): boolean {
  return TYPES.includes(record['type']) && text(record, 'id') && text(record, 'timestamp') && 'content' in record;
}

/** Whether a record is the first of a file. */
export function isHeader(record: JsonObject): boolean {
  return text(record, 'sessionId') && text(record, 'projectHash');
}

/** Whether a record changes what the header says. */
export function isChange(record: JsonObject): boolean {
  return isObject(record['$set']);
}

/** Whether a record takes messages back. */
export function isRewind(record: JsonObject): boolean {
  return text(record, '$rewindTo');
}

/** Whether only Gemini CLI writes such a record. */
export function isOurs(record: JsonObject): boolean {
  const isAnswer = isMessage(record) && record['type'] === 'gemini';
  return isHeader(record) || isAnswer || isChange(record) || isRewind(record);
}

const SHAPE: RecordShape = {
  beginnings: /\{"(id|sessionId|\$set|\$rewindTo)":/g,
  isWhole: (record) => isOurs(record) || isMessage(record),
};

/** Reads a line of a chat. Never throws; a blank line gives nothing. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}
