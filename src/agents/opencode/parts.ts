/** Parts of opencode's messages as parts of ctx: texts, thinking, files and calls; the rest as data. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callPart, without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import { type ToolPart, withResult } from '../shared/parts.ts';
import type { ToldPart } from '../shared/versions/dialect.ts';
import { distinctKeys } from '../shared/versions/distinct.ts';
import { begun } from './begun.ts';

/** What a tool tells of its result beside the text of it; undefined where it only says that once more. */
function toldOf(metadata: JsonValue | undefined, output: string): JsonValue | undefined {
  const fields = objectOf(metadata);
  if (!fields) return metadata;
  const told = fields['output'] === output ? without(fields, 'output') : fields;
  return Object.keys(told).length === 0 ? undefined : told;
}

/** Where a call that is over says what it came to, by how that was; with any other word it still waits. */
const OUTCOMES: Record<string, string> = { completed: 'output', error: 'error' };

function toolPart(part: JsonObject, key: string): ToldPart {
  const state = objectOf(part['state']) ?? {};
  const id = idOf(part['callID']) ?? key;
  const status = textOf(state['status']) ?? '';
  const outcome = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  const call: ToolPart = {
    ...without(part, 'type', 'callID', 'tool', 'state'),
    ...without(state, 'status', 'input', 'metadata', ...(outcome === undefined ? ['output', 'raw'] : [outcome])),
    ...callPart(id, textOf(part['tool']) ?? 'unknown', state['input']),
  };
  if (outcome === undefined) return { key, part: { ...call, ...soFar(state) } };
  const content = state[outcome] ?? null;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const at = secondsOf(objectOf(state['time'])?.['end']);
  const told = toldOf(state['metadata'], text);
  const result = { callId: id, content, text, failed: status === 'error', told };
  return { key, part: withResult(call, result, at ?? 0), at };
}

/** What a call has taken and given so far, which stays with it where it never comes to its end. */
function soFar({ output, metadata, raw }: JsonObject): JsonObject {
  const text = textOf(output) ?? textOf(objectOf(metadata)?.['output']) ?? '';
  const given = { output: text || undefined, result: toldOf(metadata, text), ...begun(textOf(raw) ?? '') };
  const told = without(given);
  return Object.keys(told).length === 0 ? {} : { ...told, preliminary: true };
}

function plainPart(part: JsonObject): Part {
  const type = textOf(part['type']) ?? 'unknown';
  const text = textOf(part['text']);
  const url = textOf(part['url']);
  if (text !== undefined && (type === 'text' || type === 'reasoning')) return { ...part, type, text };
  if (type === 'file' && url !== undefined) {
    const mediaType = textOf(part['mime']) ?? 'application/octet-stream';
    return { ...without(part, 'mime'), type, mediaType, url, filename: textOf(part['filename']) };
  }
  const id = textOf(part['id']);
  return { type: `data-${type}`, data: without(part, 'id', 'type'), ...(id === undefined ? {} : { id }) };
}

/** The parts of a message. Each has an id; one without has its place for one. */
export function partsOf(parts: readonly JsonValue[]): ToldPart[] {
  const told = parts.map((value, index): ToldPart => {
    const fields = objectOf(value);
    if (!fields) return { key: `part/${index}`, part: { type: 'data-unknown', data: value } };
    // Of the message and the session it is told where it stands.
    const part = without(fields, 'sessionID', 'messageID');
    const key = idOf(part['id']) ?? `part/${index}`;
    return part['type'] === 'tool' ? toolPart(part, key) : { key, part: plainPart(part) };
  });
  return distinctKeys(told);
}

/** The parts of a message of a compact transcript. */
export function compactParts(content: readonly JsonValue[]): ToldPart[] {
  const told = content.map((value, index): ToldPart => {
    const block = objectOf(value);
    const text = textOf(block?.['text']);
    const key = idOf(block?.['id']) ?? `part/${index}`;
    if (block?.['type'] === 'tool_use') return usePart(block, key);
    if (!block || text === undefined) return { key, part: { type: 'data-unknown', data: value } };
    return { key, part: { ...without(block, 'text'), type: 'text', text } };
  });
  return distinctKeys(told);
}

function usePart(block: JsonObject, key: string): ToldPart {
  const call = callPart(key, textOf(block['name']) ?? 'unknown', block['input']);
  const result = objectOf(block['result']);
  if (!result) return { key, part: call };
  const failed = result['status'] === 'error';
  const content = result['output'] ?? null;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { key, part: withResult(call, { callId: key, content, text, failed, told: undefined }, 0) };
}
