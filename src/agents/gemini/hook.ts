/** Reads the payloads of Gemini CLI's hooks: in the shape of Claude Code's, with events of its own and no ids of tool calls. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolUse } from '../../core/session/hook-event.ts';
import { promptIn, readPayload } from '../shared/hook-payload.ts';
import type { ToolPart } from '../shared/parts.ts';
import { derive } from './derive.ts';
import { GEMINI_FOREIGN } from './foreign.ts';
import { answerOf, questionOf } from './questions.ts';

/** Reads a payload; returns null if it is not Gemini CLI's. */
export function readHook(payload: JsonObject): HookEvent | null {
  const read = readPayload(payload, happened);
  // At a resume, the start names a file of a few lines that never grows.
  return read && { ...read, transcript: read.event === 'SessionStart' ? null : read.transcript, sub_agent: null };
}

function happened(event: string, payload: JsonObject): Happening {
  switch (event) {
    case 'SessionStart':
      return { what: 'start', source: textOf(payload['source']) ?? '' };
    case 'BeforeAgent':
      return promptIn(textOf(payload['prompt']), GEMINI_FOREIGN);
    case 'AfterTool':
      return tool(payload);
    case 'AfterAgent':
      return { what: 'turn_end', text: saidIn(payload) };
    case 'Notification':
      return notification(payload);
    case 'PreCompress':
      // The automatic one comes before every request to the model.
      return { what: payload['trigger'] === 'manual' ? 'pause' : 'nothing' };
    case 'SessionEnd':
      return { what: 'end' };
    default:
      return { what: 'nothing' };
  }
}

/** The program's text in place of an agent's words if it has said nothing. */
const NO_WORDS = '[no response text]';

function saidIn(payload: JsonObject): string | null {
  const words = textOf(payload['prompt_response']) ?? null;
  return words === NO_WORDS ? '' : words;
}

function notification(payload: JsonObject): Happening {
  if (payload['notification_type'] !== 'ToolPermission') return { what: 'nothing' };
  const details = objectOf(payload['details']) ?? {};
  const command = textOf(details['command']);
  const name = textOf(details['rootCommand']) ?? textOf(details['title']) ?? 'a tool';
  const asked = command === undefined ? textOf(payload['message']) : `May I use ${name}: ${command}?`;
  return { what: 'question', text: asked ?? 'May I use a tool?' };
}

function tool(payload: JsonObject): ToolUse {
  const part = partOf(payload);
  const asked = questionOf(part.toolName, part.input);
  const told = asked === null ? { answer: null } : { asked, answer: answerOf(part) };
  const told_at = textOf(payload['timestamp']);
  const known = { call_id: null, ...(told_at !== undefined && { told_at }) };
  return { what: 'tool', ...known, records: derive(part, textOf(payload['cwd'])), ...told };
}

function partOf(payload: JsonObject): ToolPart {
  const response = objectOf(payload['tool_response']) ?? {};
  const failed = response['error'] !== undefined && response['error'] !== null;
  return {
    type: 'dynamic-tool',
    toolName: textOf(payload['tool_name']) ?? '',
    toolCallId: '',
    // A command that failed has run all the same.
    state: failed && payload['tool_name'] !== 'run_shell_command' ? 'output-error' : 'output-available',
    input: payload['tool_input'] ?? null,
    output: response['llmContent'],
    result: response['returnDisplay'],
  };
}
