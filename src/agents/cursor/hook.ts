/** What Cursor's hooks tell, by its documents: a conversation, its folders, and a path of the transcript that may be null. */

import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord } from '../../core/session/hook-event.ts';
import { idIn, promptIn } from '../shared/hook-prompt.ts';
import { commandRecord, fileRecord } from '../shared/tool-records.ts';
import { CURSOR_FOREIGN } from './foreign.ts';

/** @returns null where the payload is none of Cursor's: it names no conversation or no event */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = textOf(payload['hook_event_name']);
  const agent_session = textOf(payload['conversation_id']) || textOf(payload['session_id']);
  if (!event || !agent_session) return null;
  const roots = payload['workspace_roots'];
  const cwd = Array.isArray(roots) ? textOf(roots[0]) : undefined;
  return {
    event,
    agent_session,
    transcript: textOf(payload['transcript_path']) ?? null,
    cwd: cwd ?? null,
    sub_agent: null,
    happened: happened(event, payload, cwd),
  };
}

/** How Cursor is answered: it gives its model nothing at a prompt. */
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
      // Its last words stand in the transcript alone.
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
      return fileRecord('read', path, folder);
    case 'Write':
      return fileRecord('write', path, folder, textOf(input['content']) ?? textOf(input['contents']));
    default:
      return [];
  }
}

/** What a command said is told as JSON, with its exit code; where it is not, all of it is its output. */
function ran(command: string | undefined, told: string): ToolRecord[] {
  const result = parsed(told);
  const output = ['output', 'stdout', 'stderr'].flatMap((key) => textOf(result?.[key]) || []).join('\n');
  return commandRecord(command, numberOf(result?.['exitCode']) ?? null, result ? output : told);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
