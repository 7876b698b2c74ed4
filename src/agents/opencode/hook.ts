/** What the plugin in opencode tells of the session and its tools. */

import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord, ToolUse } from '../../core/session/hook-event.ts';
import { readOwnHook } from '../shared/own-hook.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';
import { derive } from './derive.ts';
import { OPENCODE_FOREIGN } from './foreign.ts';
import { answerOf, questionOf } from './questions.ts';

/** @returns null where the payload is none of the plugin's */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = readOwnHook(payload, toolRecords, OPENCODE_FOREIGN);
  if (event?.happened.what === 'question') return { ...event, happened: question(payload) };
  if (event?.happened.what === 'tool') return { ...event, happened: { ...event.happened, ...answered(payload) } };
  return event;
}

/** What the agent asks, or a permission that it wants: the end of the tool that asks brings the answer, and names its call. */
function question(payload: JsonObject): Happening {
  const { questions } = payload;
  if (!Array.isArray(questions)) return { what: 'question', text: permission(payload) };
  return { what: 'question', text: questionText({ questions }), call_id: null };
}

/** What was asked and answered, where the tool puts questions. */
function answered(payload: JsonObject): Pick<ToolUse, 'answer'> & { asked?: string } {
  const part = partOf(payload);
  const asked = questionOf(part.toolName, part.input);
  return asked === null ? { answer: null } : { asked, answer: answerOf(part) };
}

function permission(payload: JsonObject): string {
  const name = textOf(payload['permission']) ?? 'a tool';
  const patterns = payload['patterns'];
  const wanted = (Array.isArray(patterns) ? patterns : []).flatMap((pattern) => textOf(pattern) ?? []);
  return `May I use ${name}${wanted.length === 0 ? '' : `: ${wanted.join(', ')}`}?`;
}

function partOf(payload: JsonObject): ToolPart {
  return {
    type: 'dynamic-tool',
    toolName: textOf(payload['tool_name']) ?? '',
    toolCallId: '',
    state: 'output-available',
    input: payload['tool_input'] ?? null,
    output: payload['tool_output'],
    result: payload['tool_told'],
  };
}

const toolRecords = (payload: JsonObject): ToolRecord[] => derive(partOf(payload), textOf(payload['cwd']));
