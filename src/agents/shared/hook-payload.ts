/** Payloads of hooks in the shape of Claude Code's, which other agents have taken over, and the user's own words in a prompt. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { ownCommandIn } from '../../core/resume/own-commands.ts';
import type { Happening, HookEvent } from '../../core/session/hook-event.ts';
import { type ForeignWords, ownWords } from './own-words.ts';

/**
 * Reads a payload; returns null if it names no session or no event.
 * @param happened returns what happened at the event
 * @param subAgent the key of the sub-agent that an event is from
 */
export function readPayload(
  payload: JsonObject,
  happened: (event: string, payload: JsonObject) => Happening,
  subAgent = 'agent_id',
): HookEvent | null {
  const event = textOf(payload['hook_event_name']);
  const agent_session = textOf(payload['session_id']);
  if (!event || !agent_session) return null;
  const model = modelIn(payload);
  return {
    event,
    agent_session,
    transcript: textOf(payload['transcript_path']) ?? null,
    cwd: textOf(payload['cwd']) ?? null,
    sub_agent: textOf(payload[subAgent]) ?? null,
    ...(model && { model }),
    happened: happened(event, payload),
  };
}

/** Longest name of a model. */
const LONGEST_MODEL = 200;

/** Returns the model that a payload names: for itself, or for the request to it that it holds. */
function modelIn(payload: JsonObject): string | undefined {
  const named = payload['model'] ?? objectOf(payload['llm_request'])?.['model'];
  const model = textOf(named)?.trim();
  return model && model.length <= LONGEST_MODEL && !/[\r\n]/.test(model) ? model : undefined;
}

/** Returns the id of a prompt. @param key the key of the id, which must not be the id of a whole turn */
export function idIn(payload: JsonObject, key: string): { id?: string } {
  const id = textOf(payload[key]);
  return id ? { id } : {};
}

/** Other fields of a prompt. */
type More = Pick<Extract<Happening, { what: 'prompt' }>, 'id' | 'takesNothing'>;

/** Reads a text that an agent submits as a prompt; an empty one is a prompt without words. */
export function promptIn(prompt: string | undefined, foreign: ForeignWords, more: More = {}): Happening {
  if (!prompt?.trim()) return { what: 'prompt', text: '', ...more };
  const text = ownWords(prompt, foreign);
  if (text !== null) return { what: 'prompt', text, ...more };
  const command = ownCommandIn(prompt);
  return { what: 'foreign', ...(command !== null && { command }) };
}
