/** Reads the payloads of Codex's hooks: in the shape of Claude Code's, with answers of tools as bare text. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord } from '../../core/session/hook-event.ts';
import { promptIn, readPayload } from '../shared/hook-payload.ts';
import { patchedFiles } from '../shared/patch.ts';
import { recordCommand } from '../shared/tool-records.ts';
import { CODEX_FOREIGN } from './foreign.ts';

/** Reads a payload; returns null if it is not Codex's. */
export const readHook = (payload: JsonObject): HookEvent | null => readPayload(payload, happened);

function happened(event: string, payload: JsonObject): Happening {
  switch (event) {
    case 'SessionStart':
      return { what: 'start', source: textOf(payload['source']) ?? '' };
    case 'UserPromptSubmit':
      // Its `turn_id` is not that of a prompt: a prompt during a turn has the same.
      return promptIn(textOf(payload['prompt']), CODEX_FOREIGN);
    case 'PostToolUse':
      return {
        what: 'tool',
        call_id: textOf(payload['tool_use_id']) ?? null,
        records: toolRecords(payload),
        answer: null,
        permission: permission(payload),
      };
    case 'PermissionRequest':
      return { what: 'question', text: permission(payload) };
    case 'Stop':
      return { what: 'turn_end', text: textOf(payload['last_assistant_message']) ?? null };
    case 'Interrupt':
      return { what: 'interrupt' };
    case 'PreCompact':
      return { what: 'pause' };
    case 'SessionEnd':
      return { what: 'end' };
    default:
      return { what: 'nothing' };
  }
}

function permission(payload: JsonObject): string {
  const name = textOf(payload['tool_name']) ?? 'a tool';
  const command = textOf(objectOf(payload['tool_input'])?.['command']);
  return `May I use ${name}${command === undefined ? '' : `: ${command}`}?`;
}

function toolRecords(payload: JsonObject): ToolRecord[] {
  const name = textOf(payload['tool_name']) ?? '';
  const input = objectOf(payload['tool_input']) ?? {};
  const output = textOf(payload['tool_response']) ?? '';
  const command = textOf(input['command']);
  if (name === 'apply_patch') return patchedFiles(textOf(input['input']) ?? command ?? '');
  // The exit code is unknown: the answer of the tool is its output alone.
  return recordCommand(command, null, output);
}
