/** Finds the searchable passages of messages and records, each with its kind. The same passages are made to be indexed and to be shown. */
import type { Conversation, EarlyParts, FoldedPart } from '../../core/conversation/conversation.ts';
import { type FetchPayload, isStub } from '../../core/externalise.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import type { ToolPart } from '../../core/message.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { PassageKind } from '../segment/kinds.ts';

/** One text that can be found. */
export interface Passage {
  kind: PassageKind;
  /** Distinguishes the passage from others of its message; a later one with the same key replaces it. */
  key: string;
  text: string;
}

/** Authors of words, in the order of the index. `early`: of parts whose message has not come yet, which is the assistant's. */
const ROLES = ['user', 'assistant', 'system', 'session', 'early'] as const;
export type Role = Exclude<(typeof ROLES)[number], 'early'>;

export const roleCode = (role: (typeof ROLES)[number]): number => ROLES.indexOf(role);
export const roleNamed = (name: string): number => (ROLES as readonly string[]).indexOf(name);
/** Checks if the message itself was in the catalog, and not only parts of it. */
export const isWholeMessage = (role: number): boolean => role !== roleCode('early');

/** Returns who said something, by its number in the index. */
export function roleOf(code: number): Role {
  const role = ROLES[code] ?? 'assistant';
  return role === 'early' ? 'assistant' : role;
}

/** Longest text of a call's input, and longest beginning and end of an output, that can be found; in UTF-16 code units. */
const INPUT_LIMIT = 20_000;
const OUTPUT_HEAD = 1_500;
const OUTPUT_TAIL = 500;
/** Bytes that are read of a text that is stored in chunks: what follows cannot be found. */
export const TEXT_LIMIT = 16 * 1024 * 1024;
/** Largest payload in a call's input that is fetched, in bytes. */
const FETCHED_INPUT = 8 * 1024 * 1024;
/** Largest payload of an output that is fetched, in bytes: of a larger one the beginning can be found that its line has. */
const FETCHED_OUTPUT = 64 * 1024;

/** Yields the passages of a message, or of parts of one. */
export function* passagesOfMessage({ parts }: EarlyParts, role: Role, fetch: FetchPayload): Generator<Passage> {
  // Text that a program says to the model is the same in every session.
  if (role === 'system') return;
  const kind = role === 'user' ? 'prompt' : 'answer';
  for (const [index, folded] of parts.entries()) yield* passagesOfPart(folded, index, kind, fetch);
}

function* passagesOfPart(
  { part, key }: FoldedPart,
  index: number,
  kind: PassageKind,
  fetch: FetchPayload,
): Generator<Passage> {
  const name = key ?? `#${index}`;
  if (part.type === 'text' || part.type === 'reasoning') {
    const text = textOf(part['text'], fetch);
    if (text.trim() !== '') yield { kind: part.type === 'text' ? kind : 'reasoning', key: name, text };
  } else if (part.type === 'dynamic-tool') yield* passagesOfCall(part as ToolPart, name, fetch);
  else if (part.type === 'file' && typeof part['filename'] === 'string')
    yield { kind: 'path', key: name, text: part['filename'] };
}

function* passagesOfCall(part: ToolPart, name: string, fetch: FetchPayload): Generator<Passage> {
  const input = textsIn(part.input, (stub) => (stub.bytes > FETCHED_INPUT ? null : fetch(stub)), INPUT_LIMIT);
  if (input !== '')
    yield { kind: commandIn(part.input) === null ? 'input' : 'command', key: `${name} input`, text: input };
  if (part.state === 'input-available') return;
  const result = part.state === 'output-error' ? part['errorText'] : part['output'];
  const output = outputOf(result, fetch);
  if (output !== '') yield { kind: 'output', key: `${name} output`, text: output };
}

/** Returns the command that a call runs in a shell; null if it runs none. */
function commandIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null;
  for (const key of ['command', 'cmd']) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'))
      return value.join(' ');
  }
  return null;
}

/** Returns the beginning of an output, and its end, which has the errors. */
function outputOf(value: unknown, fetch: FetchPayload): string {
  const limit = OUTPUT_HEAD + OUTPUT_TAIL;
  const bounded: FetchPayload = (stub) => (stub.bytes > FETCHED_OUTPUT ? Buffer.from(stub.preview) : fetch(stub));
  const text = textsIn(value, bounded, FETCHED_OUTPUT);
  return text.length <= limit ? text : `${text.slice(0, OUTPUT_HEAD)}\n${text.slice(-OUTPUT_TAIL)}`;
}

/** Returns a text, fetched if it is in a payload; empty if the value is no text. */
function textOf(value: unknown, fetch: FetchPayload): string {
  if (typeof value === 'string') return value;
  if (!isStub(value)) return '';
  const content = fetch(value);
  return content === null || value.encoding === 'bytes' ? value.preview : content.toString('utf8');
}

/** Returns every text in a value, one a line, up to a length. */
function textsIn(value: unknown, fetch: FetchPayload, limit: number): string {
  const found: string[] = [];
  let length = 0;
  const visit = (node: unknown): void => {
    if (length >= limit) return;
    if (typeof node === 'string' || isStub(node)) {
      const text = textOf(node, fetch).slice(0, limit - length);
      // A picture is no text.
      if (text === '' || /^data:[\w/+-]+;base64,/.test(text)) return;
      found.push(text);
      length += text.length + 1;
    } else if (typeof node === 'object' && node !== null) for (const item of Object.values(node)) visit(item);
  };
  visit(value);
  return found.join('\n').trim();
}

/** Yields the passages of a record that is no part of the conversation. The call of a command is in the conversation. */
export function* passagesOfRecord(record: StoredRecord, fetch: FetchPayload): Generator<Passage> {
  const text = (name: string): string => textOf(record[name], fetch);
  const isOfCall = typeof record['tool_call_id'] === 'string';
  switch (record.kind) {
    case 'task':
      yield { kind: 'prompt', key: 'task', text: text('content') };
      break;
    case 'note': {
      const content = text('content');
      const kind = /^decision\b/i.test(content) ? 'decision' : record['role'] === 'question' ? 'question' : 'note';
      yield { kind, key: 'note', text: content };
      break;
    }
    case 'plan':
      yield { kind: 'plan', key: 'plan', text: text('content') };
      break;
    case 'command':
      if (isOfCall) return;
      yield { kind: 'command', key: 'command', text: text('command') };
      if (record['output'] !== undefined)
        yield { kind: 'output', key: 'output', text: outputOf(record['output'], fetch) };
      break;
    case 'relation': {
      const nodes = [text('from'), text('to')];
      const decision = nodes.find((node) => node.startsWith('decision:'));
      if (decision !== undefined) yield { kind: 'decision', key: 'relation', text: decision.slice('decision:'.length) };
      break;
    }
    case 'transition': {
      const to = objectOf(record['to'] as JsonObject) ?? {};
      if (to['kind'] === 'Aborted') yield { kind: 'reason', key: 'reason', text: textOf(to['reason'], fetch) };
      if (to['kind'] === 'PendingComplete')
        yield { kind: 'summary', key: 'summary', text: textOf(to['summary'], fetch) };
      break;
    }
    case 'status':
      // That of a session that was idle repeats what was said last.
      if (record['by'] === 'stop') yield { kind: 'summary', key: 'summary', text: text('summary') };
      break;
    case 'read':
    case 'write':
    case 'delete':
      if (!isOfCall) yield { kind: 'path', key: 'path', text: text('path') };
      break;
    default:
  }
}

/** Returns the texts that the assistant says in a conversation, or those of their beginnings that a step has. */
export function answersIn({ messages, early }: Conversation): unknown[] {
  const answers = [...messages.values()].filter(({ role }) => role === 'assistant');
  return [...answers, ...early.values()].flatMap(({ parts }) => parts.map(({ part }) => part['text']));
}

/** Checks if a move repeats as its summary what the assistant says in the same step. */
export function isRepetition({ kind, to }: StoredRecord, answers: readonly unknown[]): boolean {
  const summary = kind === 'transition' ? firstWords(objectOf(to as JsonObject)?.['summary']) : '';
  return summary !== '' && answers.some((answer) => firstWords(answer, Number.POSITIVE_INFINITY).includes(summary));
}

/** Returns the beginning of a text, by which a repetition is seen; a payload's line has that much too. */
export function firstWords(value: unknown, length = 150): string {
  const text = isStub(value) ? value.preview : value;
  return typeof text === 'string' ? text.trim().slice(0, length) : '';
}

/** Returns who made a record that is no message. */
export function roleOfRecord(record: StoredRecord): Role {
  if (record.kind === 'task') return 'user';
  if (record.kind !== 'note') return 'assistant';
  return ['response', 'intervention', 'confirmation', 'continuation'].includes(String(record['role']))
    ? 'user'
    : 'assistant';
}

/** Returns the ids of the messages that a record has, is a part of, or repeats. */
export function namedBy(record: StoredRecord): string[] {
  const { message, message_id, repeats, retold } = record as unknown as JsonObject;
  const own = objectOf(message)?.['id'];
  if (retold === undefined) return [own, message_id, repeats].filter((id) => typeof id === 'string');
  const again = Array.isArray(retold) ? retold.map((one) => objectOf(one)?.['repeats']) : [];
  return [own, message_id, repeats, ...again].filter((id) => typeof id === 'string');
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Returns a number for the key of a passage, of 24 bits: two passages of one message have hardly ever the same. */
export function keyNumber(key: string): number {
  const hash = hashOf(key);
  return (hash ^ (hash >>> 24)) & 0xff_ffff;
}

/** Returns a number for the id of a message, of 48 bits: two of a store have hardly ever the same; 0 is that of none. */
export const messageNumber = (id: string): number => hashOf(id) * 2 ** 16 + (hashOf(`${id} `) >>> 16) || 1;
