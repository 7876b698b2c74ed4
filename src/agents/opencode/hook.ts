/** What the plugin in opencode tells of the session and its tools. */
import type { HookEvent, ToolRecord } from '../../core/hook-event.ts';
import { isObject, type JsonObject, textOf } from '../../core/json.ts';
import { readOwnHook } from '../shared/own-hook.ts';
import type { ToolPart } from '../shared/parts.ts';
import { derive } from './derive.ts';

/** @returns null where the payload is none of the plugin's */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = readOwnHook(payload, toolRecords);
  if (event?.happened.what !== 'question') return event;
  return { ...event, happened: { what: 'question', text: questions(payload) ?? permission(payload) } };
}

/** What the agent asks, with what can be chosen; null where it wants a permission. */
function questions(payload: JsonObject): string | null {
  const list = payload['questions'];
  if (!Array.isArray(list)) return null;
  const asked = list.filter(isObject).flatMap((one) => {
    const options = Array.isArray(one['options']) ? one['options'].filter(isObject) : [];
    const labels = options.flatMap((option) => textOf(option['label']) ?? []);
    return [textOf(one['question']) ?? '', ...labels.map((label) => `- ${label}`)].join('\n');
  });
  return asked.join('\n\n');
}

function permission(payload: JsonObject): string {
  const name = textOf(payload['permission']) ?? 'a tool';
  const patterns = payload['patterns'];
  const wanted = (Array.isArray(patterns) ? patterns : []).flatMap((pattern) => textOf(pattern) ?? []);
  return `May I use ${name}${wanted.length === 0 ? '' : `: ${wanted.join(', ')}`}?`;
}

function toolRecords(payload: JsonObject): ToolRecord[] {
  const part: ToolPart = {
    type: 'dynamic-tool',
    toolName: textOf(payload['tool_name']) ?? '',
    toolCallId: '',
    state: 'output-available',
    input: payload['tool_input'] ?? null,
    output: payload['tool_output'],
    result: payload['tool_told'],
  };
  return derive(part, textOf(payload['cwd']));
}
