/** Content blocks of the API as parts of a message, and results of tools. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { idOf } from './fields.ts';

/** A part that is a tool call, as far as it is known. */
export interface ToolPart {
  type: 'dynamic-tool';
  toolName: string;
  toolCallId: string;
  state: 'input-available' | 'output-available' | 'output-error';
  input: JsonValue;
  [key: string]: JsonValue | undefined;
}

/** A tool part that was written as JSON before, as a call without a result; undefined where it is none. */
export function readToolPart(value: JsonValue | undefined): ToolPart | undefined {
  const part = objectOf(value);
  const toolName = textOf(part?.['toolName']);
  const toolCallId = idOf(part?.['toolCallId']);
  if (part?.['type'] !== 'dynamic-tool' || toolName === undefined || toolCallId === undefined) return undefined;
  const { errorText: _error, output: _output, result: _result, ...call } = part;
  return {
    ...call,
    type: 'dynamic-tool',
    toolName,
    toolCallId,
    state: 'input-available',
    input: part['input'] ?? null,
  };
}

/** What a call says that never got a result. */
export const NO_RESULT = 'no result recorded';

/** The content of a message as a list of blocks. */
export function blocksOf(content: JsonValue | undefined): JsonValue[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** What is left of a block beside the keys that its part tells. */
function rest(block: JsonObject, ...told: string[]): JsonObject {
  return Object.fromEntries(Object.entries(block).filter(([key, value]) => !told.includes(key) && value !== undefined));
}

function filePart(block: JsonObject): Part | null {
  const source = objectOf(block['source']);
  const mediaType = textOf(source?.['media_type']);
  const data = textOf(source?.['data']);
  const address = textOf(source?.['url']);
  const filename = textOf(block['title']);
  const named = filename === undefined ? {} : { filename };
  if (source?.['type'] === 'base64' && mediaType !== undefined && data !== undefined) {
    return { type: 'file', mediaType, url: `data:${mediaType};base64,${data}`, ...named };
  }
  if (source?.['type'] === 'url' && address !== undefined) {
    return { type: 'file', mediaType: mediaType ?? 'application/octet-stream', url: address, ...named };
  }
  return null;
}

/** The part that a block becomes. What is unknown is kept as it is, in a `data-` part of its type. */
export function partOf(block: JsonValue): Part | ToolPart {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) ?? '';
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  const id = idOf(block['id']);
  const name = textOf(block['name']);
  if (type === 'text' && text !== undefined) return { ...rest(block, 'type', 'text'), type: 'text', text };
  if (type === 'thinking' && thinking !== undefined) {
    return { ...rest(block, 'type', 'thinking', 'text'), type: 'reasoning', text: thinking };
  }
  if (type === 'tool_use' && id !== undefined && name !== undefined) {
    return {
      ...rest(block, 'type', 'id', 'name', 'input', 'state', 'output', 'errorText', 'result'),
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

export function isToolPart(part: Part | ToolPart): part is ToolPart {
  return part.type === 'dynamic-tool';
}

/** The text of a content: its own, or that of its text blocks. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) =>
    isObject(block) && block['type'] === 'text' ? textOf(block['text']) : undefined,
  );
  return texts.filter((text) => text !== undefined).join('\n');
}

/** A tool's result, as the line that brought it tells. */
export interface Result {
  callId: string;
  content: JsonValue | undefined;
  /** The text of the content. */
  text: string;
  failed: boolean;
  /** Claude Code's own, structured account of the result; undefined where it has none. */
  told: JsonValue | undefined;
}

/** Reads a tool_result block; null where it is none. `told` belongs to the only result of a line. */
export function resultOf(block: JsonValue, told: JsonValue | undefined): Result | null {
  if (!isObject(block) || block['type'] !== 'tool_result') return null;
  const callId = idOf(block['tool_use_id']);
  if (callId === undefined) return null;
  const content = block['content'];
  return { callId, content, text: textIn(content), failed: block['is_error'] === true, told };
}

/** Whether the structured account only says once more what the content says. */
function isRepetition(result: Result): boolean {
  const { told, text, content } = result;
  if (typeof told === 'string') {
    const bare = told.replace(/^Error: /, '');
    return [told, bare].some((words) => words === text || text === `<tool_use_error>${words}</tool_use_error>`);
  }
  return told === undefined || told === null || JSON.stringify(told) === JSON.stringify(content);
}

/** The part of a call once its result is there. */
export function withResult(call: ToolPart, result: Result, at: number): ToolPart {
  const { errorText: _error, output: _output, result: _result, ...known } = call;
  const kept = isRepetition(result) ? {} : { result: result.told };
  const common = { ...known, type: 'dynamic-tool', toolName: call.toolName, toolCallId: call.toolCallId } as const;
  const input = call.input;
  if (!result.failed) {
    return { ...common, input, state: 'output-available', output: result.content ?? null, ...kept, completed_at: at };
  }
  const blocks = typeof result.content === 'string' ? {} : { output: result.content ?? null };
  return { ...common, input, state: 'output-error', errorText: result.text, ...blocks, ...kept, completed_at: at };
}

/** The part of a call that got no result. */
export function withoutResult(call: ToolPart): ToolPart {
  return { ...call, state: 'output-error', errorText: NO_RESULT };
}
