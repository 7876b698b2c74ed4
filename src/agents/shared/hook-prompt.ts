/** A prompt as a hook tells it: the user's own words in it, and by what its agent tells it from another one of the same words. */

import { type JsonObject, textOf } from '../../core/json.ts';
import type { Happening } from '../../core/session/hook-event.ts';
import { type ForeignWords, ownWords } from './own-words.ts';

/** @param key where the id of the prompt stands; one of a whole turn is none */
export function idIn(payload: JsonObject, key: string): { id?: string } {
  const id = textOf(payload[key]);
  return id ? { id } : {};
}

/** What else a hook tells of a prompt. */
type More = Pick<Extract<Happening, { what: 'prompt' }>, 'id' | 'takesNothing'>;

/** What a text means that an agent submits as a prompt; one without words is nobody's. */
export function promptIn(told: string | undefined, foreign: ForeignWords, more: More = {}): Happening {
  if (!told?.trim()) return { what: 'prompt', text: '', ...more };
  const text = ownWords(told, foreign);
  return text === null ? { what: 'foreign' } : { what: 'prompt', text, ...more };
}
