/** Cursor: how its transcript is recognised, and what a line of it says. It has no ids, no times and no results. */
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import type { Agent } from '../agent.ts';
import { blockParts, textIn, without } from '../shared/blocks.ts';
import { readLine } from '../shared/lines.ts';
import type { Heard, PlainAgent, Saying } from '../shared/plain-agent.ts';
import { PlainReader } from '../shared/plain-reader.ts';

const ROLES: readonly unknown[] = ['user', 'assistant'];
const BLOCKS = { call: 'tool_use', input: 'input' };

/** Whether a record is one of Cursor's: a role beside its message, and nothing that others put there. */
function isOurs(record: JsonObject): boolean {
  const message = record['message'];
  if (!ROLES.includes(record['role']) || !isObject(message) || 'role' in message) return false;
  return Array.isArray(message['content']) && !('type' in record) && !('uuid' in record) && !('id' in record);
}

/** What Cursor puts around the user's own words, and beside them. */
const QUERY = /<user_query>\n?([\s\S]*?)\n?<\/user_query>/g;
const BESIDE = /<(\w+)(?: [^>]*)?>[\s\S]*?<\/\1>/g;

/** The user's words in a message; null where all of it is Cursor's own. */
function promptOf(text: string): string | null {
  const queries = [...text.matchAll(QUERY)].map(([, query]) => query ?? '');
  const words = queries.length > 0 ? queries.join('\n') : text.replaceAll(BESIDE, '');
  return words.trim() || null;
}

function says({ record, id }: Heard): Saying[] {
  const message = objectOf(record['message']);
  if (!isOurs(record) || !message) return [];
  const content = message['content'];
  const parts = blockParts(content, BLOCKS, id);
  const around = { ...without(record, 'role', 'message'), ...without(message, 'content') };
  const line = Object.keys(around).length > 0 ? { item: around } : {};
  if (record['role'] === 'assistant') return [{ what: 'message', role: 'assistant', parts, line }];
  const hasPicture = parts.some(({ type }) => type === 'file');
  const prompt = promptOf(textIn(content)) ?? (hasPicture ? '[image]' : null);
  if (prompt === null) return [{ what: 'message', role: 'user', parts, line, metadata: { is_meta: true } }];
  return [{ what: 'message', role: 'user', parts, line, prompt }];
}

const plain: PlainAgent = {
  name: 'cursor',
  shape: { beginnings: /\{"role":"/g, isWhole: isOurs },
  typeOf: (record) => (typeof record['type'] === 'string' ? record['type'] : 'unknown'),
  timeOf: (record) => record['timestamp'],
  isRepetitive: true,
  says,
};

export const cursor: Agent = {
  name: plain.name,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    if (lines.some((line) => readLine(line, plain.shape).records.some(isOurs))) return true;
    // A first line that is longer than the text given.
    return /^\ufeff?\s*\{"role":\s*"(user|assistant)",\s*"message":\s*\{"content":\s*\[\s*\{"type":/.test(beginning);
  },
  reader: (resume) => new PlainReader(plain, resume),
};
