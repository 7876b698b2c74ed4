/** Converts the parts of opencode's messages to parts of ctx: texts, thinking, files and calls; other parts as data. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callPart, without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import { type ToolPart, withResult } from '../shared/parts.ts';
import type { VersionPart } from '../shared/versions/dialect.ts';
import { distinctKeys } from '../shared/versions/distinct.ts';
import { incompleteInput } from './incomplete-input.ts';

/** Returns a tool's structured result without the text of its output; undefined if nothing else is in it. */
function structuredOf(metadata: JsonValue | undefined, output: string): JsonValue | undefined {
  const fields = objectOf(metadata);
  if (!fields) return metadata;
  const structured = fields['output'] === output ? without(fields, 'output') : fields;
  return Object.keys(structured).length === 0 ? undefined : structured;
}

/** The key of the outcome of a call that is over, by its status; a call with another status still waits. */
const OUTCOMES: Record<string, string> = { completed: 'output', error: 'error' };

function toolPart(part: JsonObject, key: string): VersionPart {
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
  const structured = structuredOf(state['metadata'], text);
  const result = { callId: id, content, text, failed: status === 'error', structured };
  return { key, part: withResult(call, result, at ?? 0), at };
}

/** Returns the input and output of a call so far, which are kept if it never ends. */
function soFar({ output, metadata, raw }: JsonObject): JsonObject {
  const text = textOf(output) ?? textOf(objectOf(metadata)?.['output']) ?? '';
  const given = {
    output: text || undefined,
    result: structuredOf(metadata, text),
    ...incompleteInput(textOf(raw) ?? ''),
  };
  const own = without(given);
  return Object.keys(own).length === 0 ? {} : { ...own, preliminary: true };
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

/** Returns the parts of a message. A part without an id gets one made of its index. */
export function partsOf(parts: readonly JsonValue[]): VersionPart[] {
  const made = parts.map((value, index): VersionPart => {
    const fields = objectOf(value);
    if (!fields) return { key: `part/${index}`, part: { type: 'data-unknown', data: value } };
    // Both are known from the message.
    const part = without(fields, 'sessionID', 'messageID');
    const key = idOf(part['id']) ?? `part/${index}`;
    return part['type'] === 'tool' ? toolPart(part, key) : { key, part: plainPart(part) };
  });
  return distinctKeys(made);
}

/** Returns the parts of a message of a compact transcript. */
export function compactParts(content: readonly JsonValue[]): VersionPart[] {
  const made = content.map((value, index): VersionPart => {
    const block = objectOf(value);
    const text = textOf(block?.['text']);
    const key = idOf(block?.['id']) ?? `part/${index}`;
    if (block?.['type'] === 'tool_use') return usePart(block, key);
    if (!block || text === undefined) return { key, part: { type: 'data-unknown', data: value } };
    return { key, part: { ...without(block, 'text'), type: 'text', text } };
  });
  return distinctKeys(made);
}

function usePart(block: JsonObject, key: string): VersionPart {
  const call = callPart(key, textOf(block['name']) ?? 'unknown', block['input']);
  const result = objectOf(block['result']);
  if (!result) return { key, part: call };
  const failed = result['status'] === 'error';
  const content = result['output'] ?? null;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { key, part: withResult(call, { callId: key, content, text, failed, structured: undefined }, 0) };
}
