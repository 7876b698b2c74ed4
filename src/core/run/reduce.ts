/** Folds the chunks of a stream into its message, as the AI SDK's own reducer does; what the AI SDK does not know is kept whole. */

import { TOKEN_KINDS } from '../conversation/token-kinds.ts';
import { usageOf } from '../conversation/window.ts';
import { isObject, type JsonObject, type JsonValue, textOf } from '../json.ts';
import type { TokenUsage } from '../message.ts';
import { type Chunk, OWN_CHUNK } from './chunk.ts';
import { partialJson } from './partial-json.ts';

/** A part in the shape of the AI SDK, whatever its type. */
export type UIPart = JsonObject & { type: string };

/** End of a stream, as its chunks say it. */
export interface StreamEnd {
  kind: 'finish' | 'abort' | 'error';
  /** The reason of the model for the end, why it was aborted, or the words of the error. */
  reason?: string | undefined;
}

/** A text or an input that grows: its pieces are joined now and then. */
interface Growing {
  part: UIPart;
  /** Text of the pieces that were joined. */
  text: string;
  pieces: string[];
}

/** A message as far as its chunks have come. */
export interface Reduction {
  parts: UIPart[];
  /** Metadata that the chunks give of the message, merged; undefined if they give none. */
  metadata: JsonValue | undefined;
  /** Null while the stream runs, or was cut off. */
  end: StreamEnd | null;
  /** Usage of all steps, and of the last one, as their own records say: never from the chunk that ends a step. */
  usage: TokenUsage | undefined;
  step_usage: TokenUsage | undefined;
  cost_usd: number | undefined;
  model: string | undefined;
  readonly texts: Map<string, Growing>;
  readonly thoughts: Map<string, Growing>;
  readonly inputs: Map<string, Growing>;
}

/** @param parts those that the message has already, if it is continued */
export const newReduction = (parts: readonly UIPart[] = []): Reduction => ({
  parts: parts.map((part) => ({ ...part })),
  metadata: undefined,
  end: null,
  usage: undefined,
  step_usage: undefined,
  cost_usd: undefined,
  model: undefined,
  texts: new Map(),
  thoughts: new Map(),
  inputs: new Map(),
});

/** Chunks that change no part. */
const SILENT = new Set(['finish-step', 'start', 'finish', 'abort', 'error', 'message-metadata']);

/** Takes in one chunk. */
export function reduceChunk(to: Reduction, chunk: Chunk): void {
  const { type } = chunk;
  if (type === 'text-start') begin(to, to.texts, chunk, 'text');
  else if (type === 'text-delta') grow(to, to.texts, chunk, 'text');
  else if (type === 'text-end') finish(to, to.texts, chunk, 'text');
  else if (type === 'reasoning-start') begin(to, to.thoughts, chunk, 'reasoning');
  else if (type === 'reasoning-delta') grow(to, to.thoughts, chunk, 'reasoning');
  else if (type === 'reasoning-end') finish(to, to.thoughts, chunk, 'reasoning');
  else if (type.startsWith('tool-') && TOOLS[type]) TOOLS[type](to, chunk);
  else if (type === 'start-step') to.parts.push({ type: 'step-start' });
  else if (type === 'reset-step') resetStep(to);
  else if (SILENT.has(type)) noteEnd(to, chunk);
  else if (type.startsWith('data-')) takeData(to, chunk);
  else to.parts.push({ ...chunk });
}

/** Brings the parts up to date with all that has come. */
export function partsOf(to: Reduction): UIPart[] {
  for (const growing of [...to.texts.values(), ...to.thoughts.values()]) growing.part['text'] = joined(growing);
  for (const growing of to.inputs.values()) {
    const { part } = growing;
    if (part['state'] !== 'input-streaming') continue;
    const raw = joined(growing);
    if (raw === '') continue;
    assign(part, { input: part['inputEncoding'] === 'text' ? raw : partialJson(raw), rawInput: raw });
  }
  return to.parts;
}

/** So many pieces are held before they are joined. */
const MOST_PIECES = 1024;

function joined(growing: Growing): string {
  if (growing.pieces.length > 0) growing.text += growing.pieces.join('');
  growing.pieces.length = 0;
  return growing.text;
}

function extend(growing: Growing, piece: JsonValue | undefined): void {
  if (typeof piece !== 'string') return;
  growing.pieces.push(piece);
  if (growing.pieces.length >= MOST_PIECES) joined(growing);
}

const idOf = (chunk: Chunk): string => String(chunk['id'] ?? '');

function begin(to: Reduction, open: Map<string, Growing>, chunk: Chunk, type: 'text' | 'reasoning'): Growing {
  const before = open.get(idOf(chunk));
  if (before) before.part['text'] = joined(before);
  const part: UIPart = { type, ...(type === 'reasoning' ? { id: idOf(chunk) } : {}), text: '' };
  assign(part, { providerMetadata: chunk['providerMetadata'], state: 'streaming' });
  to.parts.push(part);
  const growing = { part, text: '', pieces: [] };
  open.set(idOf(chunk), growing);
  return growing;
}

/** A piece of a part whose beginning has not come begins it: no text is lost. */
function grow(to: Reduction, open: Map<string, Growing>, chunk: Chunk, type: 'text' | 'reasoning'): void {
  const growing = open.get(idOf(chunk)) ?? begin(to, open, chunk, type);
  extend(growing, chunk['delta']);
  if (chunk['providerMetadata'] != null) growing.part['providerMetadata'] = chunk['providerMetadata'];
}

function finish(to: Reduction, open: Map<string, Growing>, chunk: Chunk, type: 'text' | 'reasoning'): void {
  const growing = open.get(idOf(chunk)) ?? begin(to, open, chunk, type);
  const { part } = growing;
  part['text'] = joined(growing);
  part['state'] = 'done';
  if (type === 'text' && chunk['citations'] != null) part['citations'] = chunk['citations'];
  if (chunk['providerMetadata'] != null) part['providerMetadata'] = chunk['providerMetadata'];
  open.delete(idOf(chunk));
}

/** Sets the keys that have a value, and removes the others. */
function assign(part: UIPart, fields: { [key: string]: JsonValue | undefined }): void {
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) delete part[key];
    else part[key] = value;
  }
}

export const isTool = ({ type }: UIPart): boolean => type === 'dynamic-tool' || type.startsWith('tool-');

const stepStart = ({ parts }: Reduction): number => parts.findLastIndex(({ type }) => type === 'step-start');

/** The call of an id: that of this step, else the last one. */
function callOf(to: Reduction, id: JsonValue | undefined): UIPart | undefined {
  const isCall = (part: UIPart): boolean => isTool(part) && part['toolCallId'] === id;
  return to.parts.slice(stepStart(to) + 1).find(isCall) ?? to.parts.findLast(isCall);
}

/** Moves a call to a state, with what the chunk says of it. */
function setCall(
  to: Reduction,
  chunk: Chunk,
  known: UIPart | undefined,
  fields: { state: string; [key: string]: JsonValue | undefined },
): void {
  const name = textOf(chunk['toolName']);
  const isDynamic = known ? known.type === 'dynamic-tool' : chunk['dynamic'] === true || name === undefined;
  const part: UIPart = known ?? { type: '', toolCallId: chunk['toolCallId'] };
  if (!known) to.parts.push(part);
  if (!isDynamic) part.type = name === undefined ? part.type : `tool-${name}`;
  else assign(part, { type: 'dynamic-tool', toolName: name ?? part['toolName'] ?? 'unknown' });
  const { input, output, errorText, rawInput, inputEncoding, preliminary, ...rest } = fields;
  assign(part, { input, output, errorText, rawInput, inputEncoding, preliminary, ...rest });
  for (const key of ['title', 'toolMetadata', 'providerExecuted']) if (chunk[key] !== undefined) part[key] = chunk[key];
  if (chunk['providerMetadata'] == null) return;
  const isResult = fields.state === 'output-available' || fields.state === 'output-error';
  part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = chunk['providerMetadata'];
}

/** A call of this step of the same id and kind, which a chunk about the input goes into. */
function sameCall(to: Reduction, chunk: Chunk): UIPart | undefined {
  const isDynamic = chunk['dynamic'] === true;
  return to.parts
    .slice(stepStart(to) + 1)
    .find(
      (part) =>
        isTool(part) && part['toolCallId'] === chunk['toolCallId'] && (part.type === 'dynamic-tool') === isDynamic,
    );
}

const TOOLS: Record<string, (to: Reduction, chunk: Chunk) => void> = {
  'tool-input-start': (to, chunk) => {
    setCall(to, chunk, sameCall(to, chunk), { state: 'input-streaming', inputEncoding: chunk['inputEncoding'] });
    const part = sameCall(to, chunk) as UIPart;
    to.inputs.set(String(chunk['toolCallId']), { part, text: '', pieces: [] });
  },
  'tool-input-delta': (to, chunk) => {
    const id = String(chunk['toolCallId']);
    if (!to.inputs.has(id)) {
      if (!callOf(to, id)) setCall(to, chunk, undefined, { state: 'input-streaming' });
      to.inputs.set(id, { part: callOf(to, id) as UIPart, text: '', pieces: [] });
    }
    extend(to.inputs.get(id) as Growing, chunk['inputTextDelta']);
  },
  'tool-input-available': (to, chunk) => {
    setCall(to, chunk, sameCall(to, chunk), { state: 'input-available', input: chunk['input'] });
    to.inputs.delete(String(chunk['toolCallId']));
  },
  'tool-input-error': (to, chunk) => {
    const { input, errorText } = chunk;
    const here = to.parts.slice(stepStart(to) + 1);
    const known = here.find((part) => isTool(part) && part['toolCallId'] === chunk['toolCallId']);
    setCall(to, chunk, known, { state: 'output-error', input, errorText, input_error: true });
    to.inputs.delete(String(chunk['toolCallId']));
  },
  'tool-output-available': (to, chunk) => {
    const call = resultOf(to, chunk);
    const { output, preliminary } = chunk;
    setCall(to, chunk, call, { state: 'output-available', input: call?.['input'], output, preliminary });
  },
  'tool-output-error': (to, chunk) => {
    const call = resultOf(to, chunk);
    const rawInput = call?.type === 'dynamic-tool' ? undefined : call?.['rawInput'];
    setCall(to, chunk, call, {
      state: 'output-error',
      input: call?.['input'],
      rawInput,
      errorText: chunk['errorText'],
    });
  },
  'tool-output-denied': (to, chunk) => {
    const call = callOf(to, chunk['toolCallId']);
    if (call) call['state'] = 'output-denied';
    else to.parts.push({ ...chunk });
  },
  'tool-approval-request': (to, chunk) => {
    const call = callOf(to, chunk['toolCallId']);
    if (!call) return void to.parts.push({ ...chunk });
    const { approvalId: id, approvalDescriptor: descriptor, inputSchemaInput, reason, isAutomatic, signature } = chunk;
    const approval: JsonObject = { id };
    if (descriptor != null) approval['descriptor'] = descriptor;
    if (inputSchemaInput !== undefined) approval['inputSchemaInput'] = inputSchemaInput;
    if (reason != null) approval['requestReason'] = reason;
    if (isAutomatic === true) approval['isAutomatic'] = true;
    if (signature != null) approval['signature'] = signature;
    Object.assign(call, { state: 'approval-requested', approval });
  },
  'tool-approval-response': (to, chunk) => {
    const { approvalId: id, approved, reason } = chunk;
    const call = to.parts.find((part) => isTool(part) && isObject(part['approval']) && part['approval']['id'] === id);
    if (!call) return void to.parts.push({ ...chunk });
    const approval = { ...(call['approval'] as JsonObject), id, approved, ...(reason == null ? {} : { reason }) };
    Object.assign(call, { state: 'approval-responded', approval });
    if (chunk['providerExecuted'] != null) call['providerExecuted'] = chunk['providerExecuted'];
    if (chunk['providerMetadata'] != null) call['callProviderMetadata'] = chunk['providerMetadata'];
  },
};

/** The call that a result is of, its input brought up to date. */
function resultOf(to: Reduction, chunk: Chunk): UIPart | undefined {
  const id = String(chunk['toolCallId']);
  if (to.inputs.has(id)) partsOf(to);
  to.inputs.delete(id);
  return callOf(to, chunk['toolCallId']);
}

/** Takes back what the step has brought. */
function resetStep(to: Reduction): void {
  partsOf(to).splice(stepStart(to) + 1);
  to.texts.clear();
  to.thoughts.clear();
  to.inputs.clear();
}

function takeData(to: Reduction, chunk: Chunk): void {
  if (chunk.type === OWN_CHUNK.step) noteStep(to, chunk['data']);
  if (chunk['transient'] === true) return;
  const { id } = chunk;
  const known = id == null ? undefined : to.parts.find((part) => part.type === chunk.type && part['id'] === id);
  if (known) known['data'] = chunk['data'];
  else to.parts.push({ ...chunk });
}

/** Adds what a step used, as its own record says. */
function noteStep(to: Reduction, data: JsonValue | undefined): void {
  if (!isObject(data)) return;
  const usage = usageOf(data['usage']);
  if (usage) {
    to.step_usage = usage;
    const sum: Record<string, number> = {};
    for (const kind of TOKEN_KINDS) {
      const counts = [to.usage?.[kind], usage[kind]].filter((count): count is number => typeof count === 'number');
      if (counts.length > 0) sum[kind] = counts.reduce((all, count) => all + count);
    }
    to.usage = sum;
  }
  if (typeof data['cost_usd'] === 'number') to.cost_usd = (to.cost_usd ?? 0) + data['cost_usd'];
  if (typeof data['model'] === 'string') to.model = data['model'];
}

function noteEnd(to: Reduction, { type, messageMetadata, finishReason, reason, errorText }: Chunk): void {
  if (messageMetadata != null) to.metadata = merged(to.metadata, messageMetadata);
  if (type === 'finish') to.end = { kind: 'finish', reason: textOf(finishReason) };
  else if (type === 'abort') to.end = { kind: 'abort', reason: textOf(reason) };
  else if (type === 'error') to.end = { kind: 'error', reason: textOf(errorText) };
}

/** Merges objects at any depth; whatever is no object replaces what was there. */
function merged(base: JsonValue | undefined, over: JsonValue): JsonValue {
  if (!isObject(base) || !isObject(over)) return over;
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined || ['__proto__', 'constructor', 'prototype'].includes(key)) continue;
    result[key] = merged(Object.hasOwn(base, key) ? base[key] : undefined, value);
  }
  return result;
}
