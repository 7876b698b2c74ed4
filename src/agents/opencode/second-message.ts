/** A message of opencode 2: it contains its kind, and a turn of the agent has a message for each step. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import type { Meaning, VersionMessage, VersionPart } from '../shared/versions/dialect.ts';
import { answerParts, promptParts, shellPart, wordsPart } from './second-parts.ts';
import { countsOf } from './usage.ts';

/** The part of a message that depends on its kind. */
type Kind = Pick<VersionMessage, 'role' | 'parts'> & Partial<VersionMessage>;

/** Returns the user's words in the parts of a prompt; null if there are none. */
function promptIn(parts: readonly VersionPart[]): string | null {
  const words = parts.flatMap(({ part }) => {
    if (part.type === 'text') return String(part['text']);
    return part.type === 'file' && String(part['mediaType']).startsWith('image/') ? '[image]' : [];
  });
  return words.join('\n').trim() || null;
}

function user(message: JsonObject): Kind {
  const parts = promptParts(message);
  const prompt = promptIn(parts);
  return { role: 'user', parts, prompt, metadata: prompt === null ? { is_meta: true } : {}, continues: true };
}

/** Returns a message that opencode writes for the model by itself. */
const program = (role: VersionMessage['role'], message: JsonObject): Kind => {
  const text = textOf(message['text']) ?? '';
  return { role, parts: text === '' ? [] : [wordsPart(text)], metadata: { is_meta: true }, continues: true };
};

/** Returns the model of a message, and its provider. */
function modelOf(value: JsonValue | undefined): { model?: string; provider?: string } {
  const told = objectOf(value);
  const [model, provider] = [idOf(told?.['id']) ?? idOf(told?.['modelID']), idOf(told?.['providerID'])];
  return { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) };
}

function assistant(message: JsonObject): Kind {
  const isDone = objectOf(message['time'])?.['completed'] !== undefined && message['finish'] !== 'tool-calls';
  return {
    role: 'assistant',
    parts: answerParts(message['content']),
    metadata: modelOf(message['model']),
    isStopped: objectOf(message['error']) !== undefined,
    continues: !isDone,
  };
}

/** Returns whether a compaction is complete. The first versions write one only then, without a status. */
const isSummed = (message: JsonObject): boolean => (message['status'] ?? 'completed') === 'completed';

function compaction(message: JsonObject): Kind {
  const text = textOf(message['summary']) ?? '';
  return {
    role: 'assistant',
    parts: text === '' ? [] : [wordsPart(text)],
    metadata: { is_compact_summary: true, ...modelOf(message['model']) },
    isStopped: message['status'] === 'failed',
    continues: !isSummed(message),
  };
}

/** Returns a command that the user has run, perhaps between two turns: the agent does nothing by it. */
function shell(message: JsonObject, key: string): Kind {
  return { role: 'user', parts: [shellPart(message, key)], metadata: { is_meta: true }, continues: true };
}

/** Kinds that are messages of the conversation; each with the fields that its parts contain. */
const MESSAGES: Record<string, { fields: string[]; of: (message: JsonObject, key: string) => Kind }> = {
  user: { fields: ['text', 'files', 'agents', 'skills'], of: user },
  assistant: { fields: ['content', 'model'], of: assistant },
  synthetic: { fields: ['text'], of: (message) => program('user', message) },
  skill: { fields: ['text'], of: (message) => program('user', message) },
  system: { fields: ['text'], of: (message) => program('system', message) },
  shell: { fields: ['command', 'output', 'exit'], of: shell },
  compaction: { fields: ['summary', 'model'], of: compaction },
};

/** Kinds that describe the session. */
const NOTES: readonly string[] = ['agent-switched', 'model-switched', 'location-switched', 'idle', 'unreadable'];

/** Returns whether this ctx knows a kind of message. */
export const isKnownKind = (kind: string): boolean => Object.hasOwn(MESSAGES, kind) || NOTES.includes(kind);

/** Returns whether a record is a message in the form of opencode 2. */
export function isSecond(record: JsonObject): boolean {
  const created = objectOf(record['time'])?.['created'];
  return idOf(record['id']) !== undefined && textOf(record['type']) !== undefined && created !== undefined;
}

/** Returns whether such a message is opencode's, by its own fields alone. */
export const isSurelySecond = (record: JsonObject): boolean =>
  isSecond(record) && String(record['id']).startsWith('msg_');

/** Returns the meaning of such a message. */
export function secondMeaning(message: JsonObject, key: string): Meaning {
  const type = textOf(message['type']) ?? 'unknown';
  const time = objectOf(message['time']);
  const begunAt = secondsOf(time?.['created']);
  const at = secondsOf(time?.['completed']) ?? begunAt;
  const { model } = modelOf(message['model']);
  const about = model === undefined ? {} : { model };
  const kind = Object.hasOwn(MESSAGES, type) ? MESSAGES[type] : undefined;
  if (!kind) {
    const isStop = type === 'idle' && ['interrupted', 'failed'].includes(String(message['outcome']));
    return { at, about, line: message, type, ...(isStop ? { isStop } : {}) };
  }
  const id = idOf(message['id']) ?? key;
  const told: VersionMessage = {
    id,
    at: begunAt,
    prompt: null,
    metadata: {},
    isStopped: false,
    continues: true,
    // The tokens of a copied message are counted in the original session.
    usage: message['copied_from'] === undefined ? countsOf(message['tokens'], true) : undefined,
    ...kind.of(message, key),
  };
  const sumsUp = type === 'compaction' && isSummed(message);
  const line = without(message, 'id', ...kind.fields);
  return { at, about, message: told, line, type, ...(sumsUp ? { view: { type: 'compact', from: id } } : {}) };
}
