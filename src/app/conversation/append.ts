/** `ctx messages append`: records messages, and what they gain, for programs that are no agent that ctx knows. */
import type { Conversation, FoldedMessage } from '../../core/conversation/conversation.ts';
import { seenByModel } from '../../core/conversation/view.ts';
import { usageOf } from '../../core/conversation/window.ts';
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type Message, messageSchema, partSchema, type ToolPart } from '../../core/message.ts';
import { schemaParts } from '../../core/schema-parts.ts';
import { firstProblem } from '../../core/schema-problem.ts';
import type { Repository } from '../../history/store/repository.ts';
import { addRecord, observedSession } from '../session/observe.ts';
import type { Moment } from '../world/keep.ts';
import { type Loaded, loadConversation } from './load.ts';
import { keepFiles } from './snapshots.ts';

export interface AppendOptions {
  /** The role, if the message itself has none. */
  role?: 'user' | 'assistant' | 'system' | undefined;
}

export interface AppendResult {
  session_id: string;
  message_id: string;
  /** The id of the record that holds it. */
  record_id: string;
}

/** Loads the session that records belong to. */
function loadObserved(repository: Repository): Loaded {
  return loadConversation(repository, observedSession(repository));
}

/**
 * Appends a message to the active session. It waits for a flush, like anything that is observed.
 * @param given a UIMessage of the AI SDK; its id and its time are made if it has none
 * @throws {CtxError} invalid_input, if it is none, or its id is taken: a message is never rewritten; no_active_session
 */
export function appendMessage(repository: Repository, given: unknown, options: AppendOptions = {}): AppendResult {
  if (!isObject(given as JsonValue)) throw new CtxError('invalid_input', 'A message is a JSON object: a UIMessage.');
  const { session, conversation } = loadObserved(repository);
  const fields = given as JsonObject;
  const id = fields['id'] === undefined ? repository.ids() : fields['id'];
  const role = fields['role'] ?? options.role;
  if (options.role !== undefined && role !== options.role)
    throw new CtxError('invalid_input', `The message has the role ${JSON.stringify(role)}, not ${options.role}.`);
  const parts = Array.isArray(fields['parts']) ? fields['parts'].map(storedPart) : fields['parts'];
  const chosen = role === 'user' ? session.chosen_model : undefined;
  const digest = role === 'assistant' ? session.system_prompt_digest : undefined;
  const parent = seenByModel(conversation).findLast(({ metadata }) => metadata['is_compact_summary'] !== true);
  const given_metadata = isObject(fields['metadata']) ? fields['metadata'] : {};
  const { usage: given_usage, ...others } = given_metadata;
  const usage = usageOf(given_usage);
  const metadata: { [key: string]: unknown } = {
    created_at: repository.clock(),
    parent_id: parent?.id ?? null,
    ...chosen,
    ...(digest === undefined ? {} : { system_prompt_digest: digest }),
    ...others,
    ...(usage === undefined ? {} : { usage }),
    recorded_by: 'ctx',
  };
  const message = { ...fields, id, role, parts, metadata };
  const checked = messageSchema(schemaParts).safeParse(message);
  if (!checked.success)
    throw new CtxError('invalid_input', `The message is no UIMessage: ${firstProblem(checked.error)}.`);
  if (conversation.messages.has(String(id)))
    throw new CtxError('invalid_input', `There is a message ${String(id)} already, and a message is never rewritten.`, {
      hint: 'Give it another id, or none.',
    });
  const { session_id } = session;
  const message_id = String(id);
  const snapshot_id = snapshotFor(repository, session_id, checked.data);
  if (snapshot_id !== null) metadata['snapshot_id'] = snapshot_id;
  const record_id = addRecord(repository, session_id, () => ({ body: { kind: 'message', message } }));
  return { session_id, message_id, record_id };
}

/**
 * Keeps the files as they are before a message of the user, and after an answer; returns the id of the snapshot for the metadata. A message
 * is recorded all the same if there can be no snapshot.
 */
function snapshotFor(
  repository: Repository,
  session: string,
  { id: message_id, role, parts, metadata }: Message,
): string | null {
  if (role === 'system') return null;
  // A host may have taken one already.
  if (role === 'user' && metadata?.snapshot_id !== undefined) return null;
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const moment: Moment =
    role === 'user' ? { session, point: 'message', message_id, words } : { session, point: 'turn_end' };
  const { snapshot_id, notices } = keepFiles(repository, moment);
  repository.notices.push(...notices);
  return role === 'user' ? snapshot_id : null;
}

/** A part in the form that ctx keeps: a tool of a known name and parts of other kinds have their own types in the AI SDK. */
function storedPart(part: JsonValue): JsonValue {
  if (!isObject(part) || typeof part['type'] !== 'string') return part;
  const { type, ...rest } = part;
  if (type.startsWith('tool-') && typeof rest['toolCallId'] === 'string')
    return { type: 'dynamic-tool', toolName: type.slice('tool-'.length), ...rest };
  if (KEPT.includes(type) || type.startsWith('data-')) return part;
  return { type: `data-${type}`, data: rest };
}

const KEPT = ['text', 'reasoning', 'file', 'dynamic-tool'];

export interface UpsertOptions {
  /** Usage of the model's call behind the message: with it the message is whole, and takes no more parts. */
  usage?: unknown;
  cost_usd?: number | undefined;
}

export interface UpsertResult extends AppendResult {
  part_id: string;
  seq: number;
}

/** Progress of a tool's call, by its state. */
const PROGRESS: Record<ToolPart['state'], number> = {
  'input-streaming': 0,
  'input-available': 1,
  'output-available': 2,
  'output-error': 2,
};

/**
 * Adds a part to the last message of the active session, or a newer version of one of its parts, while the message is open: nothing was
 * said after it, and what it used is not reported yet.
 * @param partId the id of the part; that of a call is its `toolCallId`
 * @throws {CtxError} not_found; invalid_input, if it is no part, or would take a call back; no_such_move, if the message is closed
 */
export function upsertPart(
  repository: Repository,
  messageId: string,
  partId: string,
  given: unknown,
  options: UpsertOptions = {},
): UpsertResult {
  const { session, conversation } = loadObserved(repository);
  const message = conversation.messages.get(messageId);
  if (!message) throw new CtxError('not_found', `The conversation has no message ${messageId}.`);
  checkOpen(conversation, message);
  const part = storedPart(given as JsonValue);
  const checked = partSchema(schemaParts).safeParse(part);
  if (partId === '' || !checked.success)
    throw new CtxError(
      'invalid_input',
      `That is no part of a UIMessage${checked.success ? ': it has no id' : `: ${firstProblem(checked.error)}`}.`,
    );
  const before = message.parts.find(({ key }) => key === partId);
  if (before) checkProgress(before.part as ToolPart, part as unknown as ToolPart);
  const seq = (before?.seq ?? -1) + 1;
  const usage = usageOf(options.usage);
  const cost = options.cost_usd === undefined ? {} : { cost_usd: options.cost_usd };
  const body = { kind: 'part', message_id: messageId, part_id: partId, seq, part, recorded_by: 'ctx', ...cost };
  const { session_id } = session;
  const record_id = addRecord(repository, session_id, () => ({
    body: usage === undefined ? body : { ...body, usage },
  }));
  return { session_id, message_id: messageId, record_id, part_id: partId, seq };
}

/** @throws {CtxError} no_such_move */
function checkOpen({ order }: Conversation, { id, metadata }: FoldedMessage): void {
  const isLast = order.at(-1) === id;
  if (isLast && metadata['usage'] === undefined && metadata['recorded_by'] === 'ctx') return;
  throw new CtxError(
    'no_such_move',
    `The message ${id} is closed: ${isLast ? 'it is whole' : 'others came after it'}.`,
    {
      hint: 'Append a new message.',
    },
  );
}

/** @throws {CtxError} invalid_input */
function checkProgress(before: ToolPart, now: ToolPart): void {
  if (before.type !== 'dynamic-tool' || now.type !== 'dynamic-tool') return;
  const [was, is] = [PROGRESS[before.state], PROGRESS[now.state]];
  if (is > was || (is === was && was < 2)) return;
  throw new CtxError(
    'invalid_input',
    `The call ${now.toolCallId} is ${before.state} already, and cannot be ${now.state}.`,
  );
}
