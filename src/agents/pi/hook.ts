/** What the extension in pi tells of the session and its tools. */
import type { HookEvent, ToolRecord } from '../../core/hook-event.ts';
import { type JsonObject, textOf } from '../../core/json.ts';
import { readOwnHook } from '../shared/own-hook.ts';
import { derive } from './derive.ts';

/** @returns null where the payload is none of the extension's */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = readOwnHook(payload, toolRecords);
  // What `/new` begins, begins with nothing.
  if (event?.happened.what !== 'start' || event.happened.source !== 'new') return event;
  return { ...event, happened: { what: 'start', source: 'clear' } };
}

function toolRecords(payload: JsonObject): ToolRecord[] {
  const text = textOf(payload['tool_output']) ?? '';
  const told = payload['truncated'] === true ? { truncation: true } : undefined;
  const result = { callId: '', content: [{ type: 'text', text }], text, failed: payload['failed'] === true, told };
  return derive(textOf(payload['tool_name']) ?? '', payload['tool_input'] ?? null, result, textOf(payload['cwd']));
}
