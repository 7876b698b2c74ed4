/** What a message of opencode 2 tells: its kind stands in it, and a turn of the agent is as many messages as steps. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import type { Telling, ToldMessage, ToldPart } from '../shared/versions/dialect.ts';
import { answerParts, promptParts, shellPart, wordsPart } from './second-parts.ts';
import { countsOf } from './usage.ts';

/** What a message is beside what all of them are. */
type Kind = Pick<ToldMessage, 'role' | 'parts'> & Partial<ToldMessage>;

/** The user's words in the parts of a prompt; null where there are none. */
function promptIn(parts: readonly ToldPart[]): string | null {
  const words = parts.flatMap(({ part }) => {
    if (part.type === 'text') return String(part['text']);
    return part.type === 'file' && String(part['mediaType']).startsWith('image/') ? '[image]' : [];
  });
  return words.join('\n').trim() || null;
}

function user(message: JsonObject): Kind {
  const parts = promptParts(message);
  const prompt = promptIn(parts);
  return { role: 'user', parts, prompt, metadata: prompt === null ? { is_meta: true } : {}, goesOn: true };
}

/** Words that opencode puts in front of the model by itself. */
const program = (role: ToldMessage['role'], message: JsonObject): Kind => {
  const text = textOf(message['text']) ?? '';
  return { role, parts: text === '' ? [] : [wordsPart(text)], metadata: { is_meta: true }, goesOn: true };
};

/** The model of a message, and whose it is. */
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
    goesOn: !isDone,
  };
}

/** The first versions write one down only once it is complete, and do not say so. */
const isSummed = (message: JsonObject): boolean => (message['status'] ?? 'completed') === 'completed';

function compaction(message: JsonObject): Kind {
  const text = textOf(message['summary']) ?? '';
  return {
    role: 'assistant',
    parts: text === '' ? [] : [wordsPart(text)],
    metadata: { is_compact_summary: true, ...modelOf(message['model']) },
    isStopped: message['status'] === 'failed',
    goesOn: !isSummed(message),
  };
}

/** A command that the user has run, between two turns as well: the agent does nothing by it. */
function shell(message: JsonObject, key: string): Kind {
  return { role: 'user', parts: [shellPart(message, key)], metadata: { is_meta: true }, goesOn: true };
}

/** Kinds that are messages of the conversation; each with the fields that its parts hold. */
const MESSAGES: Record<string, { fields: string[]; of: (message: JsonObject, key: string) => Kind }> = {
  user: { fields: ['text', 'files', 'agents', 'skills'], of: user },
  assistant: { fields: ['content', 'model'], of: assistant },
  synthetic: { fields: ['text'], of: (message) => program('user', message) },
  skill: { fields: ['text'], of: (message) => program('user', message) },
  system: { fields: ['text'], of: (message) => program('system', message) },
  shell: { fields: ['command', 'output', 'exit'], of: shell },
  compaction: { fields: ['summary', 'model'], of: compaction },
};

/** Kinds that say what became of the session. */
const NOTES: readonly string[] = ['agent-switched', 'model-switched', 'location-switched', 'idle', 'unreadable'];

/** Whether this ctx knows what a message of a kind is. */
export const isKnownKind = (kind: string): boolean => Object.hasOwn(MESSAGES, kind) || NOTES.includes(kind);

/** Whether a record is a message as opencode 2 writes it. */
export function isSecond(record: JsonObject): boolean {
  const created = objectOf(record['time'])?.['created'];
  return idOf(record['id']) !== undefined && textOf(record['type']) !== undefined && created !== undefined;
}

/** Whether such a message is opencode's, told by nothing but itself. */
export const isSurelySecond = (record: JsonObject): boolean =>
  isSecond(record) && String(record['id']).startsWith('msg_');

/** What such a message tells. */
export function secondTelling(message: JsonObject, key: string): Telling {
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
  const told: ToldMessage = {
    id,
    at: begunAt,
    prompt: null,
    metadata: {},
    isStopped: false,
    goesOn: true,
    // What stands in a copy of a session counts where it was said.
    usage: message['copied_from'] === undefined ? countsOf(message['tokens'], true) : undefined,
    ...kind.of(message, key),
  };
  const sumsUp = type === 'compaction' && isSummed(message);
  const line = without(message, 'id', ...kind.fields);
  return { at, about, message: told, line, type, ...(sumsUp ? { view: { type: 'compact', from: id } } : {}) };
}
