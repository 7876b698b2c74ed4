/** Reads the payloads of Claude Code's hooks: one JSON object a call, known by `hook_event_name`. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolUse } from '../../core/session/hook-event.ts';
import { idIn, promptIn, readPayload } from '../shared/hook-payload.ts';
import { derive, wordsOfRefusal } from './derive.ts';
import { CLAUDE_CODE_FOREIGN } from './foreign.ts';
import { answeredText, answerText, isQuestion, questionText } from './user-words.ts';

/** Reads a payload; returns null if it is not Claude Code's. */
export const readHook = (payload: JsonObject): HookEvent | null => readPayload(payload, happened);

function happened(event: string, payload: JsonObject): Happening {
  switch (event) {
    case 'SessionStart':
      return { what: 'start', source: textOf(payload['source']) ?? '' };
    case 'UserPromptSubmit':
      return promptIn(textOf(payload['prompt']), CLAUDE_CODE_FOREIGN, idIn(payload, 'prompt_id'));
    case 'PreToolUse':
      return question(payload);
    case 'PostToolUse':
      return tool(payload, false);
    case 'PostToolUseFailure':
      return payload['is_interrupt'] === true ? { what: 'interrupt', cut: tool(payload, true) } : tool(payload, true);
    case 'PermissionRequest':
      return permission(payload);
    case 'Notification':
      return notification(payload);
    case 'Stop':
      return { what: 'turn_end', text: textOf(payload['last_assistant_message']) ?? null };
    case 'StopFailure':
      return { what: 'interrupt' };
    case 'PreCompact':
      return { what: 'pause' };
    case 'SessionEnd':
      return { what: 'end' };
    default:
      return { what: 'nothing' };
  }
}

/** Reads a tool that is about to run: one that asks the user is a question, any other means nothing yet. */
function question(payload: JsonObject): Happening {
  const name = textOf(payload['tool_name']) ?? '';
  if (!isQuestion(name)) return { what: 'nothing' };
  const text = questionText(name, payload['tool_input'] ?? null);
  return { what: 'question', text, call_id: textOf(payload['tool_use_id']) ?? null };
}

function permission(payload: JsonObject): Happening {
  const name = textOf(payload['tool_name']) ?? 'a tool';
  // The permission of such a tool is the answer itself.
  return isQuestion(name) ? question(payload) : { what: 'question', text: permissionText(name, payload) };
}

/** Reads a notice of a permission, from versions without an event for it; a notice that the agent is idle means nothing. */
function notification(payload: JsonObject): Happening {
  const text = textOf(payload['message']) ?? '';
  const type = payload['notification_type'];
  const isWanted = type === undefined ? text.startsWith('Claude needs your permission') : WAITS.has(type);
  return isWanted && text !== '' ? { what: 'question', text, isNotice: true } : { what: 'nothing' };
}

const WAITS: ReadonlySet<unknown> = new Set(['permission_prompt', 'elicitation_dialog']);

function permissionText(name: string, payload: JsonObject): string {
  const input = objectOf(payload['tool_input']) ?? {};
  const subject = textOf(input['command']) ?? textOf(input['file_path']) ?? textOf(input['url']) ?? '';
  return `May I use ${name}${subject === '' ? '' : `: ${subject}`}?`;
}

function tool(payload: JsonObject, failed: boolean): ToolUse {
  const structured = payload['tool_response'];
  const text = textOf(payload['error']) ?? textOf(structured) ?? '';
  const call_id = textOf(payload['tool_use_id']) ?? null;
  const result = { callId: call_id ?? '', content: undefined, text, failed, structured };
  const name = textOf(payload['tool_name']) ?? '';
  const records = derive(name, payload['tool_input'] ?? null, result, textOf(payload['cwd']));
  const duration_ms = payload['duration_ms'];
  const isAsked = isQuestion(name);
  return {
    what: 'tool',
    call_id,
    permission: permissionText(name, payload),
    answer: isAsked ? (failed ? wordsOfRefusal(result) : answerText(name, result)) : null,
    ...(isAsked && { asked: answeredText(name, payload['tool_input'] ?? null, result) }),
    records: records.map((record) =>
      record.body.kind === 'command' && typeof duration_ms === 'number'
        ? { ...record, body: { ...record.body, duration_ms } }
        : record,
    ),
  };
}
