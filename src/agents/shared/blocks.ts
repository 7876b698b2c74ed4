/** The blocks of a message's content, as most agents write them, as parts: texts, thinking, pictures, calls; other blocks as data. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { idOf } from './fields.ts';
import type { ToolPart } from './parts.ts';

/** Returns an object without some of its keys. */
export function without(fields: JsonObject, ...keys: string[]): JsonObject {
  // Nearly every record is copied so: this takes a third of the time of entries.
  const rest: JsonObject = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value === undefined || keys.includes(key)) continue;
    if (key === '__proto__')
      Object.defineProperty(rest, key, { value, enumerable: true, configurable: true, writable: true });
    else rest[key] = value;
  }
  return rest;
}

/** Returns the part of a call without a result. */
export function callPart(toolCallId: string, toolName: string, input: JsonValue | undefined): ToolPart {
  return { type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input: input ?? null };
}

/** The names that an agent gives its blocks; everything else is the same for all agents. */
export interface BlockNames {
  /** The type of a call, and the key of its input. */
  call: string;
  input: string;
}

/** Returns a picture or a document as a file; null if nothing names its content. */
function filePart(block: JsonObject): Part | null {
  const source = objectOf(block['source']);
  const filename = textOf(block['title']);
  const data = textOf((source ?? block)['data']);
  const address = textOf(source?.['url']);
  const mediaType = textOf(source ? source['media_type'] : block['mimeType']);
  const isData = data !== undefined && mediaType !== undefined && (source === undefined || source['type'] === 'base64');
  if (!isData && (source?.['type'] !== 'url' || address === undefined)) return null;
  const own = source ? ['source', 'title', 'mediaType', 'url'] : ['data', 'mimeType'];
  return {
    ...without(block, 'type', ...own),
    ...(source && filename !== undefined ? { filename } : {}),
    type: 'file',
    mediaType: mediaType ?? 'application/octet-stream',
    url: isData ? `data:${mediaType};base64,${data}` : String(address),
  };
}

/** Returns a block as a part; one of an unknown type is kept unchanged. @param id the id of a call that has none of its own */
export function blockPart(block: JsonValue, names: BlockNames, id?: string): Part | ToolPart {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) || 'unknown';
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  const name = textOf(block['name']);
  const callId = idOf(block['id']) ?? id;
  if (type === 'text' && text !== undefined) return { ...without(block, 'type', 'text'), type, text };
  if (type === 'thinking' && thinking !== undefined)
    return { ...without(block, 'type', 'thinking'), type: 'reasoning', text: thinking };
  if (type === names.call && name !== undefined && callId !== undefined) {
    const rest = without(block, 'type', 'id', 'name', names.input, 'output', 'errorText', 'result');
    return { ...rest, ...callPart(callId, name, block[names.input]) };
  }
  const file = type === 'image' || type === 'document' ? filePart(block) : null;
  return file ?? { type: `data-${type}`, data: block };
}

/** Returns the parts of a message's content, a text or a list of blocks. A call without an id gets one made of `id` and its index. */
export function blockParts(content: JsonValue | undefined, names: BlockNames, id: string): (Part | ToolPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.map((block, index) => blockPart(block, names, `${id}:${index}`));
  return content === undefined || content === null ? [] : [{ type: 'data-unknown', data: content }];
}

/** Returns the texts of a content, one per line. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (Array.isArray(content) ? content : []).flatMap((block) => textOf(objectOf(block)?.['text']) ?? []);
  return texts.join('\n');
}
