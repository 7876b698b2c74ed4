/** The prompt of a turn, as a cursor holds it. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { idOf } from './fields.ts';

/** The id of a prompt's message, and its text if that is short. */
export interface PromptPlace {
  id: string;
  text: string | null;
}

/** Longest prompt that a cursor holds. */
const PROMPT_LIMIT = 1024;

/** Returns a prompt without its text if that is long. */
export function promptForCursor(prompt: PromptPlace | null): PromptPlace | null {
  const isLong = (prompt?.text?.length ?? 0) > PROMPT_LIMIT;
  return prompt && isLong ? { id: prompt.id, text: null } : prompt;
}

/** Reads a prompt from a cursor. */
export function readPrompt(value: JsonValue | undefined): PromptPlace | null {
  const prompt = objectOf(value);
  const id = idOf(prompt?.['id']);
  return id === undefined ? null : { id, text: textOf(prompt?.['text']) ?? null };
}
