/** Converts content blocks of the API to parts of a message, and to results of tools. */
import { isObject, type JsonObject, type JsonValue, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { blockPart, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import type { Result, ToolPart } from '../shared/parts.ts';

/** Returns the content of a message as a list of blocks. */
export function blocksOf(content: JsonValue | undefined): JsonValue[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** Returns the part of a block; a call without an id is none. */
export const partOf = (block: JsonValue): Part | ToolPart => blockPart(block, { call: 'tool_use', input: 'input' });

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
  return { callId, content, text: textIn(content), failed: block['is_error'] === true, structured: account };
}

/** Returns the structured result of a line with a single result; with several, it is unknown which of them it belongs to. */
export const structuredIn = (record: JsonObject, blocks: readonly JsonValue[]): JsonValue | undefined =>
  blocks.filter((block) => resultOf(block, undefined)).length === 1 ? record['toolUseResult'] : undefined;
