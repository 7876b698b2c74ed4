/** By what an agent tells a prompt from another one of the same words. */
import { type JsonObject, textOf } from '../../core/json.ts';

/** @param key where the id of the prompt stands; one of a whole turn is none */
export function idIn(payload: JsonObject, key: string): { id?: string } {
  const id = textOf(payload[key]);
  return id ? { id } : {};
}
