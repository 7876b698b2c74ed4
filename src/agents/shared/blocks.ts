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

function picture(block: JsonObject): Part | null {
  const data = textOf(block['data']);
  const mediaType = textOf(block['mimeType']);
  if (data === undefined || mediaType === undefined) return null;
  return {
    ...without(block, 'type', 'data', 'mimeType'),
    type: 'file',
    mediaType,
    url: `data:${mediaType};base64,${data}`,
  };
}

/** Returns a block as a part. @param id the id of a call that has none of its own */
function partOf(block: JsonValue, names: BlockNames, id: string): Part | ToolPart {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) ?? 'unknown';
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  const name = textOf(block['name']);
  if (type === 'text' && text !== undefined) return { ...without(block, 'type', 'text'), type, text };
  if (type === 'thinking' && thinking !== undefined)
    return { ...without(block, 'type', 'thinking'), type: 'reasoning', text: thinking };
  if (type === names.call && name !== undefined) {
    const rest = without(block, 'type', 'id', 'name', names.input);
    return { ...rest, ...callPart(idOf(block['id']) ?? id, name, block[names.input]) };
  }
  return (type === 'image' ? picture(block) : null) ?? { type: `data-${type}`, data: block };
}

/** Returns the parts of a message's content, a text or a list of blocks. A call without an id gets one made of `id` and its index. */
export function blockParts(content: JsonValue | undefined, names: BlockNames, id: string): (Part | ToolPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.map((block, index) => partOf(block, names, `${id}:${index}`));
  return content === undefined || content === null ? [] : [{ type: 'data-unknown', data: content }];
}

/** Returns the texts of a content, one per line. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (Array.isArray(content) ? content : []).flatMap((block) => textOf(objectOf(block)?.['text']) ?? []);
  return texts.join('\n');
}
