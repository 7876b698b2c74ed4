/** Brings parts of the AI SDK into the form that ctx stores, and back: what ctx has no type for is data, with its own type beside. */
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Part } from '../message.ts';
import { isTool, type UIPart } from './reduce.ts';

const AS_THEY_ARE = ['text', 'reasoning', 'file'];

/** The states of a call that ctx has no word for, each with the nearest that it has. */
const NEAREST: Record<string, string> = {
  'approval-requested': 'input-available',
  'approval-responded': 'input-available',
  'output-denied': 'output-error',
};
const STATES = ['input-streaming', 'input-available', 'output-available', 'output-error'];

/** Returns a part as ctx stores it; `ui` has what the AI SDK calls it, if that is another word. */
export function storedPart(part: UIPart): Part {
  const { type, ...rest } = part;
  if (AS_THEY_ARE.includes(type) || type.startsWith('data-')) return part as unknown as Part;
  if (!isTool(part)) return { type: `data-${type}`, data: rest as JsonObject, ui: { type } } as unknown as Part;
  const state = String(part['state']);
  const known = STATES.includes(state) ? state : (NEAREST[state] ?? 'input-available');
  const ui = { ...(type === 'dynamic-tool' ? {} : { type }), ...(known === state ? {} : { state }) };
  const needed: JsonObject = {};
  if (known === 'output-available') needed['output'] = part['output'] ?? null;
  if (known === 'output-error')
    needed['errorText'] = typeof part['errorText'] === 'string' ? part['errorText'] : 'denied';
  return {
    ...rest,
    type: 'dynamic-tool',
    toolName: type === 'dynamic-tool' ? String(part['toolName']) : type.slice('tool-'.length),
    toolCallId: String(part['toolCallId']),
    state: known,
    ...(known === 'input-streaming' && part['input'] === undefined ? {} : { input: part['input'] ?? null }),
    ...needed,
    ...(Object.keys(ui).length > 0 ? { ui } : {}),
  } as unknown as Part;
}

/** Returns a stored part in the shape of the AI SDK. */
export function uiPart(stored: Part): UIPart {
  const { ui, ...part } = stored as unknown as UIPart;
  const own: JsonObject = isObject(ui) ? ui : {};
  if (part.type.startsWith('data-') && typeof own['type'] === 'string') {
    const data = part['data'] as JsonValue | undefined;
    return { ...(isObject(data) ? data : {}), type: own['type'] };
  }
  if (part.type !== 'dynamic-tool') return part as UIPart;
  const { toolName, exit_code: _exit, ...call } = part as UIPart;
  const state = typeof own['state'] === 'string' ? own['state'] : call['state'];
  if (typeof own['type'] === 'string') return { ...call, type: own['type'], state };
  return { ...call, toolName, state };
}

/** Checks if a stored call waits for the user's yes or no, which no restart takes from it. */
export function awaitsApproval(stored: Part): boolean {
  const { ui } = stored as unknown as { ui?: JsonValue };
  return isObject(ui) && (ui['state'] === 'approval-requested' || ui['state'] === 'approval-responded');
}
