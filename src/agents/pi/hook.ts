/** Reads the payloads of the extension in pi. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening, HookEvent, ToolRecord } from '../../core/session/hook-event.ts';
import { readOwnHook } from '../shared/own-hook.ts';
import { derive } from './derive.ts';
import { PI_FOREIGN } from './foreign.ts';

/** Reads a payload; returns null if it is not the extension's. */
export function readHook(payload: JsonObject): HookEvent | null {
  const event = readOwnHook(payload, toolRecords, PI_FOREIGN);
  return event && { ...event, happened: meant(event.happened, payload) };
}

function meant(happened: Happening, payload: JsonObject): Happening {
  // `/new` begins with an empty context.
  if (happened.what === 'start' && happened.source === 'new') return { what: 'start', source: 'clear' };
  const isAtWork = happened.what === 'prompt' && payload['while_at_work'] === true;
  return isAtWork ? { ...happened, takesNothing: true } : happened;
}

function toolRecords(payload: JsonObject): ToolRecord[] {
  const text = textOf(payload['tool_output']) ?? '';
  const structured = payload['truncated'] === true ? { truncation: true } : undefined;
  const result = {
    callId: '',
    content: [{ type: 'text', text }],
    text,
    failed: payload['failed'] === true,
    structured,
  };
  return derive(textOf(payload['tool_name']) ?? '', payload['tool_input'] ?? null, result, textOf(payload['cwd']));
}
