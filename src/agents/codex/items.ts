/** Converts items of the Responses API to parts of a message: texts, pictures, thinking, calls of tools and their results. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { textIn, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import { readValue } from '../shared/lines.ts';
import type { Result, ToolPart } from '../shared/parts.ts';

/** The keys of each type of call that its part contains, and the name of its part if the item has none. */
const CALLS: Record<string, { input: string; name?: string }> = {
  function_call: { input: 'arguments' },
  custom_tool_call: { input: 'input' },
  local_shell_call: { input: 'action', name: 'local_shell' },
  tool_search_call: { input: 'arguments', name: 'tool_search' },
};
/** Calls that the server itself answers: no result follows. */
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

/** The text of a tool that did not do what it was called for. */
const REFUSED =
  /^(unsupported (custom tool )?call\b|failed to parse|(exec_command|exec|apply_patch) (verification )?failed|patch rejected|rejected by user|command rejected|exec command rejected|aborted$|aborted by user|no result recorded$|request_user_input (was cancelled|is unavailable))/i;

/** Returns whether a tool's text says that it was not run, or aborted. */
function isRefusal(text: string): boolean {
  return REFUSED.test(text.trimStart());
}

function imagePart(block: JsonObject): Part | null {
  const url = textOf(block['image_url']) ?? textOf(objectOf(block['image_url'])?.['url']);
  if (url === undefined) return null;
  const mediaType = /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url)?.[1] ?? 'image/*';
  return { ...without(block, 'type', 'image_url', 'url', 'mediaType'), type: 'file', mediaType, url };
}

function contentPart(block: JsonValue): Part {
  if (!isObject(block)) return { type: 'data-unknown', data: block };
  const type = textOf(block['type']) ?? 'unknown';
  const text = textOf(block['text']);
  if (text !== undefined && /^(input_|output_)?text$/.test(type))
    return { ...without(block, 'type'), type: 'text', text };
  return (type === 'input_image' ? imagePart(block) : null) ?? { type: `data-${type}`, data: block };
}

/** Returns the parts of a message's content. */
export function contentParts(content: JsonValue | undefined): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.map(contentPart);
  return content === undefined || content === null ? [] : [contentPart(content)];
}

/** Returns the model's thoughts, as far as they are readable; the encrypted ones are kept beside them. */
function reasoningPart(item: JsonObject): Part {
  const text = [textIn(item['summary']), textIn(item['content'])].filter((piece) => piece !== '').join('\n\n');
  const encrypted = item['encrypted_content'];
  return { type: 'reasoning', text, ...(typeof encrypted === 'string' ? { encrypted_content: encrypted } : {}) };
}

/** Returns whether a list of texts contains nothing else. */
function isPlain(texts: JsonValue | undefined): boolean {
  if (!Array.isArray(texts)) return texts === undefined || texts === null || typeof texts === 'string';
  return texts.every((block) => {
    const isText = isObject(block) && typeof block['text'] === 'string';
    return isText && Object.keys(block).every((key) => key === 'text' || key === 'type');
  });
}

/** The parts of an item of the model, and its keys that they contain. */
export interface Made {
  parts: (Part | ToolPart)[];
  contained: string[];
}

/** Returns the parts of an item; null if the model makes no such item. @param key the id of a call that has none */
export function madeBy(item: JsonObject, key: string): Made | null {
  const type = textOf(item['type']) ?? '';
  if (type === 'message' && item['role'] === 'assistant')
    return { parts: contentParts(item['content']), contained: ['role', 'content'] };
  if (type === 'reasoning') {
    const plain = ['summary', 'content'].filter((key) => isPlain(item[key]));
    return { parts: [reasoningPart(item)], contained: [...plain, 'encrypted_content'] };
  }
  const call = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  const done = Object.hasOwn(DONE, type) ? DONE[type] : undefined;
  const toolName = textOf(item['name']) ?? call?.name ?? done?.name;
  if (toolName === undefined || (!call && !done)) return null;
  const toolCallId = idOf(item['call_id']) ?? idOf(item['id']) ?? key;
  const given = item[call?.input ?? done?.input ?? ''];
  const input =
    (call?.input === 'arguments' && typeof given === 'string' ? readValue(given) : undefined) ?? given ?? null;
  const base = { type: 'dynamic-tool', toolName, toolCallId, input } as const;
  if (call) return { parts: [{ ...base, state: 'input-available' }], contained: ['name', 'call_id', call.input] };
  const output = item[done?.output ?? ''] ?? null;
  return {
    parts: [{ ...base, state: 'output-available', output }],
    contained: ['call_id', done?.input ?? '', done?.output ?? ''],
  };
}

/** Reads the result of a call; null if the item is none. */
export function resultOf(item: JsonObject): Result | null {
  const callId = idOf(item['call_id']);
  if (!OUTPUTS.includes(item['type']) || callId === undefined) return null;
  const content = item['output'] ?? item['tools'] ?? null;
  const text = textIn(objectOf(content)?.['content'] ?? content);
  return { callId, content, text, failed: isRefusal(text), structured: undefined };
}

/** The keys of a result that its part contains. */
export const RESULT_KEYS = ['call_id', 'output', 'tools'];
