/** Turns a stored message into chunks that the AI SDK's reducer turns into the same message. */
import { isObject, type JsonObject, type JsonValue, textOf } from '../json.ts';
import type { Part } from '../message.ts';
import type { Chunk } from './chunk.ts';
import { isTool, type UIPart } from './reduce.ts';
import { uiPart } from './stored-part.ts';

/** A message as it is read from a store. */
export interface StoredMessage {
  id: string;
  parts: readonly Part[];
  metadata?: { [key: string]: unknown } | undefined;
}

/** Yields the chunks of a message, from its start to its end; a message that was cut off has no end. */
export function* chunksOf({ id, parts, metadata = {} }: StoredMessage): Generator<Chunk> {
  const messageMetadata = metadata['message_metadata'] as JsonValue | undefined;
  yield { type: 'start', messageId: id, ...(messageMetadata === undefined ? {} : { messageMetadata }) };
  let isInStep = false;
  for (const [index, part] of parts.map(uiPart).entries()) {
    if (part.type === 'step-start') {
      if (isInStep) yield { type: 'finish-step' };
      isInStep = true;
    }
    yield* chunksOfPart(part, String(index));
  }
  const end = metadata['stream_end'] as JsonValue | undefined;
  // A message that was not recorded from a stream is whole.
  const { kind, reason }: JsonObject = isObject(end) ? end : { kind: end === undefined ? 'finish' : null };
  if (kind === 'finish' && isInStep) yield { type: 'finish-step' };
  if (kind === 'finish') yield { type: 'finish', ...(reason === undefined ? {} : { finishReason: reason }) };
  if (kind === 'abort') yield { type: 'abort', ...(reason === undefined ? {} : { reason }) };
  if (kind === 'error') yield { type: 'error', errorText: textOf(reason) ?? 'error' };
}

function* chunksOfPart(part: UIPart, index: string): Generator<Chunk> {
  if (part.type === 'step-start') yield { type: 'start-step' };
  else if (part.type === 'text' || part.type === 'reasoning') yield* chunksOfText(part, index);
  else if (isTool(part)) yield* chunksOfCall(part);
  else yield part;
}

/** The keys of an object that have a value, as an object. */
const given = (of: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (of[key] === undefined ? [] : [[key, of[key]]])));

function* chunksOfText(part: UIPart, index: string): Generator<Chunk> {
  const { type } = part;
  const id = type === 'reasoning' ? (textOf(part['id']) ?? index) : index;
  yield { type: `${type}-start`, id, ...given(part, 'providerMetadata') };
  const text = textOf(part['text']) ?? '';
  if (text !== '') yield { type: `${type}-delta`, id, delta: text };
  if (part['state'] !== 'streaming') yield { type: `${type}-end`, id, ...given(part, 'citations') };
}

function* chunksOfCall(part: UIPart): Generator<Chunk> {
  const { toolCallId, callProviderMetadata, resultProviderMetadata, state, errorText, input = null } = part;
  const isDynamic = part.type === 'dynamic-tool';
  const call: JsonObject = {
    toolCallId,
    toolName: isDynamic ? part['toolName'] : part.type.slice('tool-'.length),
    ...(isDynamic ? { dynamic: true } : {}),
    ...given(part, 'title', 'toolMetadata', 'providerExecuted'),
  };
  const ofCall = callProviderMetadata === undefined ? {} : { providerMetadata: callProviderMetadata };
  const ofResult = resultProviderMetadata === undefined ? {} : { providerMetadata: resultProviderMetadata };
  if (state === 'input-streaming') {
    yield { type: 'tool-input-start', ...call, ...given(part, 'inputEncoding'), ...ofCall };
    const raw = textOf(part['rawInput']) ?? (input === null ? '' : JSON.stringify(input));
    if (raw !== '') yield { type: 'tool-input-delta', toolCallId, inputTextDelta: raw };
    return;
  }
  if (state === 'output-error' && part['input_error'] === true) {
    yield { type: 'tool-input-error', ...call, input, errorText, ...ofResult };
    return;
  }
  yield { type: 'tool-input-available', ...call, input, ...ofCall };
  yield* chunksOfApproval(part);
  if (state === 'output-denied') yield { type: 'tool-output-denied', toolCallId };
  if (state === 'output-error') yield { type: 'tool-output-error', toolCallId, errorText, ...ofResult };
  if (state !== 'output-available') return;
  yield {
    type: 'tool-output-available',
    toolCallId,
    output: part['output'] ?? null,
    ...given(part, 'preliminary'),
    ...ofResult,
  };
}

function* chunksOfApproval({ toolCallId, approval }: UIPart): Generator<Chunk> {
  if (!isObject(approval)) return;
  const { id: approvalId, descriptor, requestReason, approved, reason } = approval;
  yield {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(descriptor === undefined ? {} : { approvalDescriptor: descriptor }),
    ...(requestReason === undefined ? {} : { reason: requestReason }),
    ...given(approval, 'inputSchemaInput', 'isAutomatic', 'signature'),
  };
  if (approved === undefined) return;
  yield { type: 'tool-approval-response', approvalId, approved, ...(reason === undefined ? {} : { reason }) };
}
