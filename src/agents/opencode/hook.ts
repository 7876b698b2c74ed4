/** Reads the payloads of the plugin in opencode. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord, ToolUse } from '../../core/session/hook-event.ts';
import { readOwnHook } from '../shared/own-hook.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';
import { derive } from './derive.ts';
import { OPENCODE_FOREIGN } from './foreign.ts';
import { answerOf, questionOf } from './questions.ts';

/** Reads a payload; returns null if it is not the plugin's. */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = readOwnHook(payload, toolRecords, OPENCODE_FOREIGN);
  if (event?.happened.what === 'question') return { ...event, happened: question(payload) };
  if (event?.happened.what === 'tool') return { ...event, happened: { ...event.happened, ...answered(payload) } };
  return event;
}

/** Returns the agent's question, or its request for a permission; the end of the tool that asks brings the answer, and its call. */
function question(payload: JsonObject): Happening {
  const { questions } = payload;
  if (!Array.isArray(questions)) return { what: 'question', text: permission(payload) };
  return { what: 'question', text: questionText({ questions }), call_id: null };
}

/** Returns the question and the answer of a tool that asks questions. */
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
