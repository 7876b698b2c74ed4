/** The prompt in a hook's payload: the user's own words in it, and the id that distinguishes it from another with the same words. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening } from '../../core/session/hook-event.ts';
import { type ForeignWords, ownWords } from './own-words.ts';

/** Returns the id of a prompt. @param key the key of the id, which must not be the id of a whole turn */
export function idIn(payload: JsonObject, key: string): { id?: string } {
  const id = textOf(payload[key]);
  return id ? { id } : {};
}

/** Other fields of a prompt. */
type More = Pick<Extract<Happening, { what: 'prompt' }>, 'id' | 'takesNothing'>;

/** Reads a text that an agent submits as a prompt; an empty one is a prompt without words. */
export function promptIn(told: string | undefined, foreign: ForeignWords, more: More = {}): Happening {
  if (!told?.trim()) return { what: 'prompt', text: '', ...more };
  const text = ownWords(told, foreign);
  return text === null ? { what: 'foreign' } : { what: 'prompt', text, ...more };
}
