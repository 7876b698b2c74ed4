/** Reads the payloads of ctx's own files within agents: one shape for all of them, known by `hook_event_name`. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord } from '../../core/session/hook-event.ts';
import { promptIn, readPayload } from './hook-payload.ts';
import type { ForeignWords } from './own-words.ts';

/** Returns the records of a tool's actions, by the payload of its end. */
export type ToolRecordsOf = (payload: JsonObject) => ToolRecord[];

/**
 * Reads a payload; returns null if it names no session or no event.
 * @param foreign the texts that the agent writes in the user's name
 */
export function readOwnHook(payload: JsonObject, recordsOf: ToolRecordsOf, foreign: ForeignWords): HookEvent | null {
  return readPayload(payload, (event) => happened(event, payload, recordsOf, foreign), 'sub_agent');
}

function happened(event: string, payload: JsonObject, recordsOf: ToolRecordsOf, foreign: ForeignWords): Happening {
  switch (event) {
    case 'session_start':
      return { what: 'start', source: textOf(payload['source']) ?? '' };
    case 'prompt':
      return promptIn(textOf(payload['prompt']), foreign);
    case 'tool_result':
      return {
        what: 'tool',
        call_id: textOf(payload['tool_call_id']) ?? null,
        records: recordsOf(payload),
        answer: null,
      };
    case 'question':
      return { what: 'question', text: textOf(payload['question']) ?? '' };
    case 'turn_end':
      return { what: 'turn_end', text: textOf(payload['text']) ?? null };
    case 'interrupt':
      return { what: 'interrupt' };
    case 'pause':
      return { what: 'pause' };
    case 'end':
      return { what: 'end' };
    default:
      return { what: 'nothing' };
  }
}
