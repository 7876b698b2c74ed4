/** Items of the Responses API as parts of a message: texts, pictures, thinking, calls of tools and their results. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { idOf } from '../shared/fields.ts';
import { readValue } from '../shared/lines.ts';
import type { Result, ToolPart } from '../shared/parts.ts';

/** The keys of each type of call that its part tells, and how its part is called where the item has no name. */
const CALLS: Record<string, { input: string; name?: string }> = {
  function_call: { input: 'arguments' },
  custom_tool_call: { input: 'input' },
  local_shell_call: { input: 'action', name: 'local_shell' },
  tool_search_call: { input: 'arguments', name: 'tool_search' },
};
/** Calls that the server itself answers: no result of theirs follows. */
const DONE: Record<string, { input: string; name: string; output: string }> = {
  web_search_call: { input: 'action', name: 'web_search', output: 'results' },
  image_generation_call: { input: 'revised_prompt', name: 'image_generation', output: 'result' },
};
const OUTPUTS: readonly unknown[] = [
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'mcp_tool_call_output',
  'tool_search_output',
];

/** What a tool says that never did what it was called for. */
const REFUSED =
  /^(unsupported (custom tool )?call\b|failed to parse|(exec_command|exec|apply_patch) (verification )?failed|patch rejected|rejected by user|command rejected|exec command rejected|aborted$|aborted by user|request_user_input (was cancelled|is unavailable))/i;

/** Whether a tool's text says that it was not run, or broken off. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text.trimStart());
}

function rest(block: JsonObject, ...told: string[]): JsonObject {
  return Object.fromEntries(Object.entries(block).filter(([key, value]) => !told.includes(key) && value !== undefined));
}

function imagePart(block: JsonObject): Part | null {
  const url = textOf(block['image_url']) ?? textOf(objectOf(block['image_url'])?.['url']);
  if (url === undefined) return null;
  const mediaType = /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url)?.[1] ?? 'image/*';
  return { ...rest(block, 'type', 'image_url', 'url', 'mediaType'), type: 'file', mediaType, url };
}

function contentPart(block: JsonValue): Part {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) ?? 'unknown';
  const text = textOf(block['text']);
  if (text !== undefined && /^(input_|output_)?text$/.test(type)) return { ...rest(block, 'type'), type: 'text', text };
  return (type === 'input_image' ? imagePart(block) : null) ?? { type: `data-${type}`, data: block };
}

/** The parts of a message's content. */
export function contentParts(content: JsonValue | undefined): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.map(contentPart);
  return content === undefined || content === null ? [] : [contentPart(content)];
}

/** The texts of a content, one after the other. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (Array.isArray(content) ? content : []).flatMap((block) => textOf(objectOf(block)?.['text']) ?? []);
  return texts.join('\n');
}

/** What the model thought, as far as it is told; what is encrypted stays beside it. */
function reasoningPart(item: JsonObject): Part {
  const text = [textIn(item['summary']), textIn(item['content'])].filter((piece) => piece !== '').join('\n\n');
  const encrypted = item['encrypted_content'];
  return { type: 'reasoning', text, ...(typeof encrypted === 'string' ? { encrypted_content: encrypted } : {}) };
}

/** Whether a list of texts says no more than those. */
function isPlain(texts: JsonValue | undefined): boolean {
  if (!Array.isArray(texts)) return texts === undefined || texts === null || typeof texts === 'string';
  return texts.every((block) => {
    const isText = isObject(block) && typeof block['text'] === 'string';
    return isText && Object.keys(block).every((key) => key === 'text' || key === 'type');
  });
}

/** What an item that the model made becomes: its parts, and the keys of it that they tell. */
export interface Made {
  parts: (Part | ToolPart)[];
  told: string[];
}

/** @param key stands for the id of a call that has none. @returns null where the item is nothing that the model makes */
export function madeBy(item: JsonObject, key: string): Made | null {
  const type = textOf(item['type']) ?? '';
  if (type === 'message' && item['role'] === 'assistant')
    return { parts: contentParts(item['content']), told: ['role', 'content'] };
  if (type === 'reasoning') {
    const told = ['summary', 'content'].filter((key) => isPlain(item[key]));
    return { parts: [reasoningPart(item)], told: [...told, 'encrypted_content'] };
  }
  const call = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  const done = Object.hasOwn(DONE, type) ? DONE[type] : undefined;
  const toolName = textOf(item['name']) ?? call?.name ?? done?.name;
  if (toolName === undefined || (!call && !done)) return null;
  const toolCallId = idOf(item['call_id']) ?? idOf(item['id']) ?? key;
  const told = item[call?.input ?? done?.input ?? ''];
  const input = (call?.input === 'arguments' && typeof told === 'string' ? readValue(told) : undefined) ?? told ?? null;
  const base = { type: 'dynamic-tool', toolName, toolCallId, input } as const;
  if (call) return { parts: [{ ...base, state: 'input-available' }], told: ['name', 'call_id', call.input] };
  const output = item[done?.output ?? ''] ?? null;
  return {
    parts: [{ ...base, state: 'output-available', output }],
    told: ['call_id', done?.input ?? '', done?.output ?? ''],
  };
}

/** Reads the result of a call; null where the item is none. */
export function resultOf(item: JsonObject): Result | null {
  const callId = idOf(item['call_id']);
  if (!OUTPUTS.includes(item['type']) || callId === undefined) return null;
  const content = item['output'] ?? item['tools'] ?? null;
  const text = textIn(objectOf(content)?.['content'] ?? content);
  return { callId, content, text, failed: isRefusal(text), told: undefined };
}

/** The keys of a result that its part tells. */
export const RESULT_KEYS = ['call_id', 'output', 'tools'];
