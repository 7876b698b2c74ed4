/** The transcript of Cursor: its lines, and what each says. It has no ids and no results. */
import { isObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { blockParts, textIn, without } from '../shared/blocks.ts';
import { ownWords } from '../shared/own-words.ts';
import type { PlainAgent, RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { CURSOR_FOREIGN } from './foreign.ts';

const ROLES: readonly unknown[] = ['user', 'assistant'];
const BLOCKS = { call: 'tool_use', input: 'input' };

/** Returns whether a record may be one of Cursor's: a role beside its message, and no field that other agents put there. */
function isMessage(record: JsonObject): boolean {
  const message = record['message'];
  if (!ROLES.includes(record['role']) || !isObject(message) || 'role' in message) return false;
  const isSaid = Array.isArray(message['content']) || typeof message['content'] === 'string';
  return isSaid && !('type' in record) && !('uuid' in record) && !('id' in record);
}

/** Returns whether a record can only be one of Cursor's: a message that is a bare text may be another agent's. */
export const isOurs = (record: JsonObject): boolean => isMessage(record) && Array.isArray(contentOf(record));

const contentOf = (record: JsonObject): JsonValue | undefined => objectOf(record['message'])?.['content'];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The time that Cursor writes in front of the user's words: `<timestamp>Sunday, Aug 2, 2026, 3:51 AM (UTC-7)</timestamp>`. */
const SENT =
  /^\s*<timestamp>(?:\w+, )?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d{2})\s([AP])M \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\)<\/timestamp>/;

/** Returns the time that a text begins with, as an ISO text; undefined if there is none, or no offset, since no zone is guessed. */
export function sentAt(text: string): string | undefined {
  const [found, month = '', day, year, hour, minute, half, sign, hours = 0, minutes = 0] = SENT.exec(text) ?? [];
  if (found === undefined || !MONTHS.includes(month)) return undefined;
  const inDay = (Number(hour) % 12) + (half === 'P' ? 12 : 0);
  const local = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), inDay, Number(minute));
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return new Date(local - offset).toISOString();
}

function eventsOf({ record, id }: RecordContext): RecordEvent[] {
  const message = objectOf(record['message']);
  if (!isMessage(record) || !message) return [];
  const content = message['content'];
  const parts = blockParts(content, BLOCKS, id);
  const around = { ...without(record, 'role', 'message'), ...without(message, 'content') };
  const line = Object.keys(around).length > 0 ? { item: around } : {};
  if (record['role'] === 'assistant') return [{ what: 'message', role: 'assistant', parts, line }];
  const hasPicture = parts.some(({ type }) => type === 'file');
  const prompt = ownWords(textIn(content), CURSOR_FOREIGN) ?? (hasPicture ? '[image]' : null);
  if (prompt === null) return [{ what: 'message', role: 'user', parts, line, metadata: { is_meta: true } }];
  return [{ what: 'message', role: 'user', parts, line, prompt }];
}

export const cursorFormat: PlainAgent = {
  name: 'cursor',
  shape: { beginnings: /\{"role":\s?"/g, isWhole: isMessage },
  typeOf: (record) => (typeof record['type'] === 'string' ? record['type'] : 'unknown'),
  timeOf: (record) =>
    record['timestamp'] ?? (record['role'] === 'user' ? sentAt(textIn(contentOf(record))) : undefined),
  isRepetitive: true,
  eventsOf,
};
