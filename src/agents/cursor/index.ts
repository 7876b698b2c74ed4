/** Cursor: how its transcript is recognised, and what a line of it says. It has no ids and no results. */
import { isObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import type { Agent } from '../agent.ts';
import { blockParts, textIn, without } from '../shared/blocks.ts';
import { readLine } from '../shared/lines.ts';
import type { Heard, PlainAgent, Saying } from '../shared/plain-agent.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { sentAt } from './sent.ts';
import { promptOf } from './user-words.ts';

const ROLES: readonly unknown[] = ['user', 'assistant'];
const BLOCKS = { call: 'tool_use', input: 'input' };

/** Whether a record may be one of Cursor's: a role beside its message, and nothing that others put there. */
function isMessage(record: JsonObject): boolean {
  const message = record['message'];
  if (!ROLES.includes(record['role']) || !isObject(message) || 'role' in message) return false;
  const isSaid = Array.isArray(message['content']) || typeof message['content'] === 'string';
  return isSaid && !('type' in record) && !('uuid' in record) && !('id' in record);
}

/** Whether a record can only be one of Cursor's: a bare text as its content is too little to tell. */
const isOurs = (record: JsonObject): boolean => isMessage(record) && Array.isArray(contentOf(record));

const contentOf = (record: JsonObject): JsonValue | undefined => objectOf(record['message'])?.['content'];

function says({ record, id }: Heard): Saying[] {
  const message = objectOf(record['message']);
  if (!isMessage(record) || !message) return [];
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
  shape: { beginnings: /\{"role":\s?"/g, isWhole: isMessage },
  typeOf: (record) => (typeof record['type'] === 'string' ? record['type'] : 'unknown'),
  timeOf: (record) =>
    record['timestamp'] ?? (record['role'] === 'user' ? sentAt(textIn(contentOf(record))) : undefined),
  isRepetitive: true,
  says,
};

export const cursor: Agent = {
  name: plain.name,
  tellsNoResults: true,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    if (lines.some((line) => readLine(line, plain.shape).records.some(isOurs))) return true;
    // A first line that is longer than the text given.
    return /^\ufeff?\s*\{"role":\s*"(user|assistant)",\s*"message":\s*\{"content":\s*\[\s*\{"type":/.test(beginning);
  },
  // A sub-agent's transcript lies in `<session>/subagents/`, and nothing in it tells whose it is.
  // Which folder a session took place in, the name of one further up tells.
  aboutPath: (path) => {
    const [, parent] = /\/([^/]+)\/subagents\/[^/]+$/.exec(path) ?? [];
    const [, folder] = /\/\.cursor\/projects\/([^/]+)\/agent-transcripts\//.exec(path) ?? [];
    return {
      ...(parent === undefined ? {} : { parent_agent_session_id: parent }),
      ...(folder === undefined ? {} : { cwd_name: folder }),
    };
  },
  isOurs,
  reader: (resume) => new PlainReader(plain, resume),
};
