/** Reads the payloads of Cursor's hooks, by its documents: a conversation, its folders, and a path of the transcript that may be null. */
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord } from '../../core/session/hook-event.ts';
import { idIn, promptIn, readPayload } from '../shared/hook-payload.ts';
import { recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';
import { CURSOR_FOREIGN } from './foreign.ts';

/** Reads a payload; returns null if it is not Cursor's: it names no conversation or no event. */
export function readHook(payload: JsonObject): HookEvent | null {
  const roots = payload['workspace_roots'];
  const cwd = Array.isArray(roots) ? textOf(roots[0]) : undefined;
  const session_id = textOf(payload['conversation_id']) || payload['session_id'];
  const read = readPayload({ ...payload, session_id }, (event) => happened(event, payload, cwd));
  return read && { ...read, cwd: cwd ?? null, sub_agent: null };
}

/** Returns the answer in Cursor's form; its model takes none at a prompt. */
export const replyOf = ({ event, context }: { event: string; context: string }): JsonObject | null =>
  event === 'sessionStart' ? { additional_context: context } : null;

function happened(event: string, payload: JsonObject, cwd: string | undefined): Happening {
  switch (event) {
    case 'sessionStart':
      return { what: 'start', source: 'startup' };
    case 'beforeSubmitPrompt':
      return promptIn(textOf(payload['prompt']), CURSOR_FOREIGN, {
        ...idIn(payload, 'generation_id'),
        takesNothing: true,
      });
    case 'postToolUse': {
      const call_id = textOf(payload['tool_use_id']) ?? null;
      return { what: 'tool', call_id, records: toolRecords(payload, cwd), answer: null };
    }
    case 'stop':
      // The agent's last words are only in the transcript.
      return textOf(payload['status']) === 'completed' ? { what: 'turn_end', text: null } : { what: 'interrupt' };
    case 'sessionEnd':
      return { what: 'end' };
    default:
      return { what: 'nothing' };
  }
}

function toolRecords(payload: JsonObject, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(payload['tool_input']) ?? {};
  const path = textOf(input['file_path']) ?? textOf(input['path']) ?? textOf(input['target_file']);
  const folder = textOf(payload['cwd']) ?? cwd;
  switch (textOf(payload['tool_name'])) {
    case 'Shell':
      return ran(textOf(input['command']), textOf(payload['tool_output']) ?? '');
    case 'Read':
      return recordRead(path, folder);
    case 'Write':
      return recordWrite(path, folder, textOf(input['content']) ?? textOf(input['contents']));
    default:
      return [];
  }
}

/** Returns the record of a command, whose output is JSON with an exit code; any other text is its output as a whole. */
function ran(command: string | undefined, told: string): ToolRecord[] {
  const result = parsed(told);
  const output = ['output', 'stdout', 'stderr'].flatMap((key) => textOf(result?.[key]) || []).join('\n');
  return recordCommand(command, numberOf(result?.['exitCode']) ?? null, result ? output : told);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
