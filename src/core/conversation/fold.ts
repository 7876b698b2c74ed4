/** Folds the records of a session into its conversation: messages, parts, overlays, calls and usage. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../json.ts';
import type { Message, Part, TokenUsage } from '../message.ts';
import type { StoredRecord } from '../records/record.ts';
import {
  type Conversation,
  type Cover,
  emptyConversation,
  type FoldedMessage,
  type FoldedPart,
} from './conversation.ts';

/** Metadata that only a reader of transcripts needs in order to continue: the lines of the file, and prints of parts. */
const BOOK_KEEPING = new Set(['lines', 'prints']);

const ROLES: readonly unknown[] = ['system', 'user', 'assistant'] satisfies readonly Message['role'][];

/**
 * Folds records into a conversation. Folding records step by step gives the same conversation as folding all of them at once.
 * A record that says nothing of a conversation, or is not of the shape that its kind has, changes nothing.
 * @param records in the order of the chain
 * @param conversation the conversation so far, which is changed in place
 * @param step the number of the step that holds the records
 */
export function foldConversation(
  records: Iterable<StoredRecord>,
  conversation: Conversation = emptyConversation(),
  step = 0,
): Conversation {
  for (const record of records) {
    const fields = record as unknown as JsonObject;
    if (record.kind === 'message') foldMessage(conversation, fields, step);
    else if (record.kind === 'part') foldPart(conversation, fields, step);
    else if (record.kind === 'overlay') foldOverlay(conversation, fields, record);
    else if (record.kind === 'raw') foldRepeated(conversation, fields);
    else if (record.kind === 'command') foldCommand(conversation, fields);
  }
  return conversation;
}

const idOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const objectsIn = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const idsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];

/** Takes a message. A message whose id is known already replaces the version before it, in its place. */
function foldMessage(conversation: Conversation, fields: JsonObject, step: number): void {
  const message = objectOf(fields['message']);
  const id = idOf(message?.['id']);
  if (!message || id === undefined || !ROLES.includes(message['role'])) return;
  const metadata = objectOf(message['metadata']) ?? {};
  const keys = keysIn(metadata);
  const parts = objectsIn(message['parts']).map((part, index): FoldedPart => {
    return { key: keys[index] ?? keyOf(part), seq: -1, part: part as unknown as Part, step };
  });
  const before = conversation.messages.get(id);
  const folded: FoldedMessage = {
    id,
    role: message['role'] as Message['role'],
    parts,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !BOOK_KEEPING.has(key))),
    hidden: before?.hidden ?? null,
  };
  if (before) dropCalls(conversation, before);
  conversation.messages.set(id, folded);
  const parent = idOf(metadata['parent_id']);
  if (parent !== undefined && parent !== id) conversation.parents.set(id, parent);
  else conversation.parents.delete(id);
  noteUsage(conversation, id, metadata['usage'] ?? (conversation.usage.get(id) as JsonObject | undefined));
  for (const index of parts.keys()) noteCall(conversation, folded, index);
  for (const part of conversation.early.get(id) ?? []) putPart(conversation, folded, part);
  conversation.early.delete(id);
}

/** The keys of the parts that came with a message, in their order, as the reader that wrote the message keeps them. */
function keysIn(metadata: JsonObject): (string | undefined)[] {
  const { prints } = metadata;
  return Array.isArray(prints) ? prints.map((pair) => (Array.isArray(pair) ? idOf(pair[0]) : undefined)) : [];
}

/** The id that a later version of a part carries, as the part itself gives it. */
const keyOf = (part: JsonObject): string | null => idOf(part['toolCallId']) ?? idOf(part['id']) ?? null;

function foldPart(conversation: Conversation, fields: JsonObject, step: number): void {
  const id = idOf(fields['message_id']);
  const key = idOf(fields['part_id']);
  const part = objectOf(fields['part']);
  if (id === undefined || key === undefined || part === undefined) return;
  const seq = typeof fields['seq'] === 'number' ? fields['seq'] : 0;
  const folded: FoldedPart = { key, seq, part: part as unknown as Part, step };
  const message = conversation.messages.get(id);
  noteUsage(conversation, id, fields['usage']);
  const early = conversation.early.get(id);
  if (message) putPart(conversation, message, folded);
  else if (early) early.push(folded);
  else conversation.early.set(id, [folded]);
}

/** Puts a version of a part in the place of an older version, or at the end of its message. */
function putPart(conversation: Conversation, message: FoldedMessage, part: FoldedPart): void {
  const known = message.parts.findIndex(({ key }) => key === part.key);
  if (known >= 0 && (message.parts[known] as FoldedPart).seq > part.seq) return;
  const index = known >= 0 ? known : message.parts.length;
  message.parts[index] = known >= 0 ? withInput(part, message.parts[known] as FoldedPart) : part;
  noteCall(conversation, message, index);
}

/** A later version of a call keeps the input of the version before it, if the later one has none. */
function withInput(later: FoldedPart, before: FoldedPart): FoldedPart {
  const [now, then] = [later.part, before.part];
  if (now.type !== 'dynamic-tool' || then.type !== 'dynamic-tool' || (now.input ?? null) !== null) return later;
  return { ...later, part: { ...now, input: then.input ?? null } };
}

function noteCall(conversation: Conversation, message: FoldedMessage, index: number): void {
  const { part } = message.parts[index] as FoldedPart;
  if (part.type !== 'dynamic-tool' || typeof part.toolCallId !== 'string') return;
  conversation.calls.set(part.toolCallId, { message: message.id, part: index, state: part.state });
}

/** Drops the calls of a version of a message that another version replaces, which may be without them. */
function dropCalls({ calls }: Conversation, { id, parts }: FoldedMessage): void {
  for (const { part } of parts)
    if (part.type === 'dynamic-tool' && calls.get(part.toolCallId)?.message === id) calls.delete(part.toolCallId);
}

/** Notes what a message used, and says it in the message's metadata: the newest account of a message counts. */
function noteUsage(conversation: Conversation, id: string, value: JsonValue | undefined): void {
  if (!isObject(value)) return;
  conversation.usage.set(id, value as TokenUsage);
  const message = conversation.messages.get(id);
  if (message) message.metadata['usage'] = value;
}

/** A line of a transcript that says once more what a message used. */
function foldRepeated(conversation: Conversation, fields: JsonObject): void {
  for (const { repeats, usage } of [fields, ...objectsIn(fields['retold'])]) {
    const id = idOf(repeats);
    if (id !== undefined && conversation.messages.has(id)) noteUsage(conversation, id, usage);
  }
}

/** Notes the exit code of a command that a call ran: the call's own result rarely has one. */
function foldCommand({ exits }: Conversation, { tool_call_id: call, exit_code: exit }: JsonObject): void {
  if (typeof call === 'string' && typeof exit === 'number') exits.set(call, exit);
}

function foldOverlay(conversation: Conversation, fields: JsonObject, { id, at }: StoredRecord): void {
  const reason = textOf(fields['reason']);
  const cover: Cover = { overlay: id, at, ...(reason === undefined ? {} : { reason }) };
  const { op } = fields;
  for (const target of targetsOf(conversation, fields)) {
    const message = conversation.messages.get(target);
    if (op === 'hide' && message) message.hidden ??= cover;
    else if (op === 'show' && message) message.hidden = null;
    else if (op === 'prune') conversation.pruned.set(target, cover);
    else if (op === 'unprune') conversation.pruned.delete(target);
  }
}

/** The ids that an overlay names: the messages of its range, both ends included, or its list. */
function targetsOf({ messages }: Conversation, fields: JsonObject): string[] {
  const range = objectOf(fields['range']);
  const [from, to] = [idOf(range?.['from']), idOf(range?.['to'])];
  if (from === undefined || to === undefined || !messages.has(from)) return idsIn(fields['ids']);
  const order = [...messages.keys()];
  return order.slice(order.indexOf(from), order.indexOf(to) + 1);
}
