/** A conversation as every provider takes it: calls with results, ids of the provider's alphabet, no empty texts, no foreign thoughts. */
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Message, Part } from '../message.ts';
import { CallIds } from './ids.ts';
import { type Output, outputOf, type SpokenFile } from './output.ts';

/** One part of a message. `own` is the part in the form of its agent, for a transcript of the same agent. */
export type SpokenPart =
  | { type: 'text'; text: string; own: JsonObject }
  | { type: 'reasoning'; text: string; own: JsonObject }
  | ({ type: 'file'; own: JsonObject } & SpokenFile)
  | { type: 'call'; id: string; name: string; input: JsonObject; output: Output; own: JsonObject }
  | { type: 'data'; own: JsonObject };

export type SpokenCall = SpokenPart & { type: 'call' };

/** One message. */
export interface SpokenMessage {
  id: string;
  role: 'user' | 'assistant' | 'system';
  /** Unix seconds. */
  at: number;
  parts: SpokenPart[];
  metadata: JsonObject;
  /** True if it sums up what came before it. */
  isSummary: boolean;
  /** True if it is not in the conversation: a provider takes no history that begins with the agent. */
  isAdded: boolean;
}

/** `isOwn`: whether the transcript is of the agent that the conversation is from; then its thoughts stay. */
export interface SpokenOptions extends Instructions {
  /** True if the provider takes a history that begins with the agent. */
  mayBeginWithAgent?: boolean | undefined;
}

/** The text in front of a history that begins with the agent. */
const BEGINNING = '[The conversation before this is not part of the history.]';

/** A message, and what of it cannot be carried if nothing else is left. */
const leftOut = (types: readonly string[]): string =>
  `[${[...new Set(types)].join(', ') || 'empty message'}: left out]`;

/** Texts by which the program of an agent instructs its model: another agent has its own. */
const INSTRUCTIONS =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|session_context|skills_instructions|apps_instructions|plugins_instructions|collaboration_mode|model_switch|personality_spec)\b|# AGENTS\.md instructions\b|This is the Gemini CLI\. We are setting up)/;

const textsOf = ({ parts }: Pick<Message, 'parts'>): string[] =>
  parts.flatMap((part) => (part.type === 'text' ? [String(part['text'])] : []));

/** Returns whether a message has instructions of its agent's program for the model. */
function isInstruction(message: Pick<Message, 'role' | 'parts' | 'metadata'>): boolean {
  if (message.role === 'system') return true;
  if (message.role !== 'user' || message.metadata?.['is_meta'] !== true) return false;
  const texts = textsOf(message).filter((text) => text.trim() !== '');
  return texts.length > 0 && texts.every((text) => INSTRUCTIONS.test(text));
}

/** Returns whether a message only marks where opencode was to sum up: the summary is in the message after it. */
export const isMark = ({ role, parts }: Pick<Message, 'role' | 'parts'>): boolean =>
  role === 'user' && parts.length > 0 && parts.every((part) => part.type === 'data-compaction' && !summaryIn(part));

const summaryIn = (part: Part): string | null => {
  const data = (part as unknown as JsonObject)['data'];
  return isObject(data) && typeof data['summary'] === 'string' ? data['summary'] : null;
};

/** Returns whether a message sums up what came before it. */
export const isSummaryMessage = ({ metadata }: Pick<Message, 'metadata'>): boolean =>
  metadata?.['is_compact_summary'] === true;

/** Whose instructions a transcript holds: of the same agent those in the user's name, and the system's if the agent reads them back. */
export interface Instructions {
  isOwn: boolean;
  keepsSystem: boolean;
}

/** Returns the messages that a transcript can carry: without marks, and without instructions that its agent gives itself. */
export const carried = (messages: readonly Message[], { isOwn, keepsSystem }: Instructions): Message[] =>
  messages.filter((message) => {
    if (isMark(message)) return false;
    return message.role === 'system' ? isOwn && keepsSystem : isOwn || !isInstruction(message);
  });

/** Returns the thoughts in messages as marked texts. */
export function withThoughtsAsText(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    const parts = message.parts.map((part): Part => {
      if (part.type !== 'reasoning' || String(part['text']).trim() === '') return part;
      return { type: 'text', text: `<thinking>\n${String(part['text']).trim()}\n</thinking>` };
    });
    return { ...message, parts };
  });
}

const callIdsIn = ({ parts }: Message): string[] =>
  parts.flatMap((part) => (part.type === 'dynamic-tool' ? [String(part['toolCallId'])] : []));

/** Returns the messages of a view as every provider takes them. */
export function spokenOf(messages: readonly Message[], options: SpokenOptions): SpokenMessage[] {
  const { isOwn, mayBeginWithAgent } = options;
  const ids = new CallIds(messages.flatMap(callIdsIn));
  const spoken = carried(messages, options).map((message, index): SpokenMessage => {
    // A record of a compaction would hide what is before it.
    const isSummary = isSummaryMessage(message) && index === 0;
    const metadata = (message.metadata ?? {}) as JsonObject;
    const at = typeof metadata['created_at'] === 'number' ? metadata['created_at'] : 0;
    const parts = message.parts.flatMap((part) => partsOf(part, message.role, ids, isOwn));
    if (parts.length === 0) parts.push(placeholder(message));
    return { id: message.id, role: message.role, at, parts, metadata, isSummary, isAdded: false };
  });
  const [first] = spoken;
  if (first === undefined || first.role === 'user' || first.isSummary || mayBeginWithAgent) return spoken;
  const parts: SpokenPart[] = [{ type: 'text', text: BEGINNING, own: { type: 'text', text: BEGINNING } }];
  return [{ ...first, id: 'beginning', role: 'user', parts, metadata: {}, isAdded: true }, ...spoken];
}

const placeholder = ({ parts }: Message): SpokenPart => {
  const text = leftOut(parts.map(({ type }) => type.replace(/^data-/, '')));
  return { type: 'text', text, own: { type: 'text', text } };
};

function partsOf(part: Part, role: Message['role'], ids: CallIds, isOwn: boolean): SpokenPart[] {
  const own = part as unknown as JsonObject;
  if (part.type === 'text') {
    const text = String(own['text']);
    return text.trim() === '' ? [] : [{ type: 'text', text, own }];
  }
  if (part.type === 'reasoning') return isOwn ? [{ type: 'reasoning', text: String(own['text']), own }] : [];
  if (part.type === 'file') {
    const { mediaType, url, filename } = own as unknown as SpokenFile;
    return [{ type: 'file', mediaType, url, filename, own }];
  }
  if (part.type === 'dynamic-tool') return [callOf(part, own, role, ids)];
  const summary = part.type === 'data-compaction' ? summaryIn(part) : null;
  if (summary !== null) return [{ type: 'text', text: summary, own: { type: 'text', text: summary } }];
  return isOwn ? [{ type: 'data', own }] : [];
}

function callOf(part: Part, own: JsonObject, role: Message['role'], ids: CallIds): SpokenPart {
  const output = outputOf(part);
  const name = String(own['toolName']);
  // No provider takes a result without its call, nor a call of the user.
  if (role !== 'assistant' || own['is_orphan'] === true) {
    const asked =
      own['is_orphan'] === true
        ? 'result of a call that is not in the history'
        : `${name} ${JSON.stringify(own['input'] ?? null)}`;
    const text = `[${asked}]\n${output.text}`;
    return { type: 'text', text, own: { type: 'text', text } };
  }
  return {
    type: 'call',
    id: ids.take(String(own['toolCallId'])),
    name: plainName(name),
    input: inputOf(own['input']),
    output,
    own,
  };
}

/** Returns the name of a tool in the alphabet of every provider. */
const plainName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';

/** Returns the input of a call as an object. */
const inputOf = (input: JsonValue | undefined): JsonObject => (isObject(input) ? input : { input: input ?? null });

/** Keys of a call that every agent has, or that ctx has added. */
const OF_CALLS: readonly string[] = [
  ...['type', 'toolName', 'toolCallId', 'state', 'input', 'output', 'errorText', 'result'],
  ...['completed_at', 'exit_code', 'agent_id'],
];

/** Returns what the agent of a call notes beside it. */
export const besideCall = ({ own }: SpokenCall): JsonObject =>
  Object.fromEntries(Object.entries(own).filter(([key]) => !OF_CALLS.includes(key)));
