/** Converts content blocks of the API to parts of a message, and to results of tools. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import type { Result, ToolPart } from '../shared/parts.ts';

/** Returns the content of a message as a list of blocks. */
export function blocksOf(content: JsonValue | undefined): JsonValue[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

function filePart(block: JsonObject): Part | null {
  const source = objectOf(block['source']);
  const mediaType = textOf(source?.['media_type']);
  const data = textOf(source?.['data']);
  const address = textOf(source?.['url']);
  const filename = textOf(block['title']);
  const named = {
    ...without(block, 'type', 'source', 'title', 'mediaType', 'url'),
    ...(filename !== undefined && { filename }),
  };
  if (source?.['type'] === 'base64' && mediaType !== undefined && data !== undefined) {
    return { ...named, type: 'file', mediaType, url: `data:${mediaType};base64,${data}` };
  }
  if (source?.['type'] === 'url' && address !== undefined) {
    return { ...named, type: 'file', mediaType: mediaType ?? 'application/octet-stream', url: address };
  }
  return null;
}

/** Returns the part of a block. An unknown block is kept unchanged, in a `data-` part of its type. */
export function partOf(block: JsonValue): Part | ToolPart {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) ?? '';
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  const id = idOf(block['id']);
  const name = textOf(block['name']);
  if (type === 'text' && text !== undefined) return { ...without(block, 'type', 'text'), type: 'text', text };
  if (type === 'thinking' && thinking !== undefined) {
    return { ...without(block, 'type', 'thinking', 'text'), type: 'reasoning', text: thinking };
  }
  if (type === 'tool_use' && id !== undefined && name !== undefined) {
    return {
      ...without(block, 'type', 'id', 'name', 'input', 'state', 'output', 'errorText', 'result'),
      type: 'dynamic-tool',
      toolName: name,
      toolCallId: id,
      state: 'input-available',
      input: block['input'] ?? null,
    };
  }
  const file = type === 'image' || type === 'document' ? filePart(block) : null;
  return file ?? { type: `data-${type || 'unknown'}`, data: block };
}

/** Returns the text of a content: its own, or that of its text blocks. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) =>
    isObject(block) && block['type'] === 'text' ? textOf(block['text']) : undefined,
  );
  return texts.filter((text) => text !== undefined).join('\n');
}

/** Returns other fields of the blocks of results, each with the call that it belongs to. */
export const besideResults = (blocks: readonly JsonValue[]): JsonObject[] =>
  blocks.flatMap((block) => {
    if (!isObject(block) || block['type'] !== 'tool_result' || idOf(block['tool_use_id']) === undefined) return [];
    const beside = without(block, 'type', 'tool_use_id', 'content', 'is_error');
    return Object.keys(beside).length > 0 ? [{ tool_use_id: block['tool_use_id'] as JsonValue, ...beside }] : [];
  });

/** Reads a tool_result block; null if it is none. `account` is the structured result of a line with a single result. */
export function resultOf(block: JsonValue, account: JsonValue | undefined): Result | null {
  if (!isObject(block) || block['type'] !== 'tool_result') return null;
  const callId = idOf(block['tool_use_id']);
  if (callId === undefined) return null;
  const content = block['content'];
  return { callId, content, text: textIn(content), failed: block['is_error'] === true, told: account };
}

/** Returns the structured result of a line with a single result; with several, it is unknown which of them it belongs to. */
export const toldOf = (record: JsonObject, blocks: readonly JsonValue[]): JsonValue | undefined =>
  blocks.filter((block) => resultOf(block, undefined)).length === 1 ? record['toolUseResult'] : undefined;
