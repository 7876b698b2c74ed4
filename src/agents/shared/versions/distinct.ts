/** Parts of one message that share a key though they are none of each other's versions: each gets a key of its own. */
import { FreeNames } from '../one-id.ts';
import { isToolPart } from '../parts.ts';
import type { ToldPart } from './dialect.ts';

/** What tells a part from another of the same key: of a call that goes on, what it is about stays. */
function identityOf({ part }: ToldPart): string {
  if (!isToolPart(part)) return JSON.stringify(part);
  return JSON.stringify([part.toolCallId, part.toolName, part.input]);
}

/**
 * Gives the nth of several parts that share a key a key that says so, as where somebody has put one word in place of all ids. A part
 * that is told twice in the same words is one, and so is a call whose later state stands behind an earlier one: the last counts.
 */
export function distinctKeys(parts: readonly ToldPart[]): ToldPart[] {
  const own = new Set(parts.map(({ key }) => key));
  if (own.size === parts.length) return [...parts];
  const keys = new Map<string, string>();
  const told = new Map<string, ToldPart>();
  const isTaken = (key: string): boolean => told.has(key) || own.has(key);
  const names = new FreeNames();
  for (const each of parts) {
    const place = `${each.key}\0${identityOf(each)}`;
    const key = keys.get(place) ?? (told.has(each.key) ? names.free(each.key, isTaken) : each.key);
    keys.set(place, key);
    told.set(key, { ...each, key });
  }
  return [...told.values()];
}
