/** Folds the records of a session into its conversation: messages, parts, overlays, calls and usage. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../json.ts';
import type { Message, Part, TokenUsage } from '../message.ts';
import type { AnyBody, StoredRecord } from '../records/record.ts';
import {
  type Act,
  type Conversation,
  type Cover,
  type EarlyParts,
  emptyConversation,
  type FoldedMessage,
  type FoldedPart,
  type FoldListener,
  type Keep,
  type KeptSnapshot,
} from './conversation.ts';
import { countOf, TOKEN_KINDS } from './token-kinds.ts';

/** Value of `recorded_by` in the metadata of a message that a command of ctx has recorded. */
export const OWN = 'ctx';

const POINTS = ['message', 'turn_end', 'rewind'] as const satisfies readonly KeptSnapshot['point'][];
const ROLES: readonly unknown[] = ['system', 'user', 'assistant'] satisfies readonly Message['role'][];

/** From so many parts on, a message has an index of them by key. */
const MANY_PARTS = 16;

/** Options of a fold. */
export interface FoldOptions {
  /** The number of the step that holds the records. */
  step?: number;
  /** Selects the parts of each message that are held; everything if absent. */
  keep?: Keep | undefined;
  listener?: FoldListener | undefined;
}

/** State of a fold. */
interface Folding {
  conversation: Conversation;
  step: number;
  keep: Keep | undefined;
  listener: FoldListener;
}

/**
 * Folds records into a conversation. Folding records step by step gives the same conversation as folding all of them at once.
 * A record that says nothing of a conversation, or is not of the shape that its kind has, changes nothing.
 * @param records in the order of the chain
 * @param conversation the conversation so far, which is changed in place
 */
export function foldConversation(
  records: Iterable<StoredRecord | AnyBody>,
  conversation: Conversation = emptyConversation(),
  { step = 0, keep, listener = {} }: FoldOptions = {},
): Conversation {
  const folding: Folding = { conversation, step, keep, listener };
  for (const record of records) {
    const fields = record as unknown as JsonObject;
    if (record.kind === 'message') foldMessage(folding, fields);
    else if (record.kind === 'part') foldPart(folding, fields);
    else if (record.kind === 'overlay') foldOverlay(folding, fields);
    else if (record.kind === 'raw') foldRepeated(folding, fields);
    else if (record.kind === 'command') foldCommand(conversation, fields);
    else if (record.kind === 'snapshot') foldSnapshot(conversation, fields);
    else if (record.kind === 'usage') foldUsage(conversation, fields);
  }
  return conversation;
}

const idOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const objectsIn = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const idsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];

/** Folds a message. A message whose id is known already replaces the version before it, in its place. */
function foldMessage({ conversation, step, keep, listener }: Folding, fields: JsonObject): void {
  const message = objectOf(fields['message']);
  const id = idOf(message?.['id']);
  if (!message || id === undefined || !ROLES.includes(message['role'])) return;
  const whole = objectOf(message['metadata']) ?? {};
  const keys = keysIn(whole);
  const parts = objectsIn(message['parts']).map((part, index): FoldedPart => {
    return { key: keys[index] ?? keyOf(part), seq: -1, part: part as unknown as Part, step };
  });
  const { lines: _lines, prints: _prints, ...own } = whole;
  const metadata = keep ? keep.metadata(own) : own;
  const before = conversation.messages.get(id);
  const early = conversation.early.get(id);
  const folded: FoldedMessage = {
    id,
    role: message['role'] as Message['role'],
    parts,
    metadata,
    hidden: before?.hidden ?? null,
    place: before?.place ?? conversation.order.length,
    places: null,
  };
  if (before ?? early) dropCalls(conversation, (before ?? early) as EarlyParts);
  if (!before) conversation.order.push(id);
  conversation.messages.set(id, folded);
  const parent = idOf(metadata['parent_id']);
  if (parent !== undefined && parent !== id) conversation.parents.set(id, parent);
  else conversation.parents.delete(id);
  noteUsage(conversation, id, own['usage'] ?? (conversation.usage.get(id) as JsonObject | undefined));
  if (whole['recorded_by'] !== OWN) listener.message?.(folded, whole);
  for (const [index, part] of parts.entries()) {
    if (keep) part.part = keep.part(part.part);
    noteCall(conversation, folded, index);
  }
  if (!early) return;
  conversation.early.delete(id);
  for (const part of early.parts) putPart(conversation, folded, part, keep);
}

/** The keys of the parts that came with a message, in their order, as the reader that wrote the message keeps them. */
function keysIn(metadata: JsonObject): (string | undefined)[] {
  const { prints } = metadata;
  return Array.isArray(prints) ? prints.map((pair) => (Array.isArray(pair) ? idOf(pair[0]) : undefined)) : [];
}

/** The id that a later version of a part carries, as the part itself gives it. */
const keyOf = (part: JsonObject): string | null => idOf(part['toolCallId']) ?? idOf(part['id']) ?? null;

function foldPart({ conversation, step, keep, listener }: Folding, fields: JsonObject): void {
  const id = idOf(fields['message_id']);
  const key = idOf(fields['part_id']);
  const part = objectOf(fields['part']) as Part | undefined;
  if (id === undefined || key === undefined || part === undefined) return;
  const seq = typeof fields['seq'] === 'number' ? fields['seq'] : 0;
  noteUsage(conversation, id, fields['usage']);
  const known = conversation.messages.get(id);
  if (known && typeof fields['cost_usd'] === 'number') known.metadata['cost_usd'] = fields['cost_usd'];
  const gained = objectOf(fields['metadata']);
  if (known && gained) Object.assign(known.metadata, keep ? keep.metadata(gained) : gained);
  if (fields['recorded_by'] !== OWN) listener.part?.(id, part, fields);
  let message: EarlyParts | undefined = conversation.messages.get(id) ?? conversation.early.get(id);
  if (!message) {
    message = { id, parts: [], places: null };
    conversation.early.set(id, message);
  }
  putPart(conversation, message, { key, seq, part, step }, keep);
}

/** Puts a version of a part in the place of an older version, or at the end of its message. */
function putPart(conversation: Conversation, message: EarlyParts, part: FoldedPart, keep: Keep | undefined): void {
  const known = placeOf(message, part.key);
  const before = known === undefined ? undefined : (message.parts[known] as FoldedPart);
  if (before && before.seq > part.seq) return;
  const whole = before ? withInput(part, before) : part;
  const index = known ?? message.parts.length;
  message.parts[index] = keep ? { ...whole, part: keep.part(whole.part) } : whole;
  if (known === undefined && part.key !== null) message.places?.set(part.key, index);
  noteCall(conversation, message, index);
}

/** The index of the first part that has a key. */
function placeOf(message: EarlyParts, key: string | null): number | undefined {
  const { parts } = message;
  if (parts.length < MANY_PARTS) {
    const index = parts.findIndex((part) => part.key === key);
    return index < 0 ? undefined : index;
  }
  message.places ??= placesOf(parts);
  return key === null ? undefined : message.places.get(key);
}

function placesOf(parts: readonly FoldedPart[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, { key }] of parts.entries()) if (key !== null && !places.has(key)) places.set(key, index);
  return places;
}

/** A later version of a call keeps the input of the version before it, if the later one has none. */
function withInput(later: FoldedPart, before: FoldedPart): FoldedPart {
  const [now, then] = [later.part, before.part];
  if (now.type !== 'dynamic-tool' || then.type !== 'dynamic-tool' || (now.input ?? null) !== null) return later;
  return { ...later, part: { ...now, input: then.input ?? null } };
}

function noteCall(conversation: Conversation, message: EarlyParts, index: number): void {
  const { part } = message.parts[index] as FoldedPart;
  if (part.type !== 'dynamic-tool' || typeof part.toolCallId !== 'string') return;
  conversation.calls.set(part.toolCallId, { message: message.id, part: index, state: part.state });
}

/** Drops the calls of a version of a message that another version replaces, which may be without them. */
function dropCalls({ calls }: Conversation, { id, parts }: EarlyParts): void {
  for (const { part } of parts)
    if (part.type === 'dynamic-tool' && calls.get(part.toolCallId)?.message === id) calls.delete(part.toolCallId);
}

/** Notes what a message used, and says it in the message's metadata: the newest account of a message counts. */
function noteUsage(conversation: Conversation, id: string, value: JsonValue | undefined): void {
  if (!isObject(value)) return;
  const { unsettled } = conversation;
  for (const kind of TOKEN_KINDS) unsettled[kind] += countOf(value[kind]) - countOf(conversation.usage.get(id)?.[kind]);
  conversation.usage.set(id, value as TokenUsage);
  const message = conversation.messages.get(id);
  if (message) message.metadata['usage'] = value;
}

/** Folds what a turn used: what none of its messages says is noted apart, and how full the window is, at the last message. */
function foldUsage({ messages, order, unsettled, apart }: Conversation, fields: JsonObject): void {
  const usage = objectOf(fields['usage']);
  for (const kind of TOKEN_KINDS) {
    apart[kind] += countOf(usage?.[kind]) - unsettled[kind];
    unsettled[kind] = 0;
  }
  if (typeof fields['cost_usd'] === 'number') apart.cost_usd = (apart.cost_usd ?? 0) + fields['cost_usd'];
  const window = objectOf(fields['window']);
  const last = order.findLast((id) => {
    const message = messages.get(id);
    return message?.role === 'assistant' && message.metadata['is_sidechain'] !== true;
  });
  const metadata = last === undefined ? undefined : messages.get(last)?.metadata;
  if (window && metadata)
    Object.assign(metadata, { context_used: numberOf(window['used']), context_window: numberOf(window['size']) });
}

/** Folds a line of a transcript, which may repeat what a message used. */
function foldRepeated({ conversation, listener }: Folding, fields: JsonObject): void {
  listener.raw?.(fields);
  for (const { repeats, usage } of [fields, ...objectsIn(fields['retold'])]) {
    const named = idOf(repeats);
    if (named === undefined) continue;
    const id = conversation.messages.has(named) ? named : listener.messageOfLine?.(named);
    if (id !== undefined) noteUsage(conversation, id, usage);
  }
}

/** Notes the exit code of a command that a call ran: the call's own result rarely has one. */
function foldCommand({ exits }: Conversation, { tool_call_id: call, exit_code: exit }: JsonObject): void {
  if (typeof call === 'string' && typeof exit === 'number') exits.set(call, exit);
}

function foldSnapshot({ snapshots }: Conversation, fields: JsonObject): void {
  const snapshot_id = idOf(fields['snapshot_id']);
  const point = POINTS.find((one) => one === fields['point']);
  if (snapshot_id === undefined || point === undefined) return;
  snapshots.push({
    id: textOf(fields['copy_of']) ?? textOf(fields['id']) ?? '',
    at: numberOf(fields['at']) ?? 0,
    point,
    snapshot_id,
    isHosts: fields['by'] === 'host',
    message: idOf(fields['message_id']),
    words: idOf(fields['words']),
  });
}

function foldOverlay({ conversation, listener }: Folding, fields: JsonObject): void {
  const { op } = fields;
  const reason = textOf(fields['reason']);
  const [overlay, at] = [textOf(fields['id']) ?? '', numberOf(fields['at']) ?? 0];
  const cover: Cover = { overlay, at, ...(reason === undefined ? {} : { reason }) };
  const targets = targetsOf(conversation, fields);
  const act = actOf(fields);
  if (typeof op !== 'string') return;
  conversation.overlays.push({ id: overlay, at, op, targets, reason, place: conversation.order.length, act });
  if (!act) listener.overlay?.(op, targets, reason);
  for (const target of targets) {
    const message = conversation.messages.get(target);
    if (op === 'hide' && message) message.hidden ??= cover;
    else if (op === 'show' && message) message.hidden = null;
    else if (op === 'prune') conversation.pruned.set(target, cover);
    else if (op === 'unprune') conversation.pruned.delete(target);
  }
}

/** The command of ctx that recorded an overlay; null if it was none. */
function actOf(fields: JsonObject): Act | null {
  const [id, by] = [idOf(fields['act']), idOf(fields['by'])];
  if (id === undefined || by === undefined) return null;
  const world = objectOf(fields['world']);
  const [from, to] = [idOf(world?.['from']), idOf(world?.['to'])];
  const ofHost = world?.['by'] === 'host' ? { by: 'host' as const } : {};
  const isChange = to !== undefined && (from !== undefined || ofHost.by !== undefined);
  const changed = isChange ? { world: { ...(from === undefined ? {} : { from }), to, ...ofHost } } : {};
  return { id, by, of: idOf(fields['of']), to: idOf(fields['to']), ...changed };
}

/** The ids that an overlay names: the messages of its range, both ends included, or its list. */
function targetsOf({ messages, order }: Conversation, fields: JsonObject): string[] {
  const range = objectOf(fields['range']);
  const [from, to] = [idOf(range?.['from']), idOf(range?.['to'])];
  const first = from === undefined || to === undefined ? undefined : messages.get(from);
  if (first === undefined) return idsIn(fields['ids']);
  const last = messages.get(to as string);
  return last ? order.slice(first.place, last.place + 1) : [];
}
