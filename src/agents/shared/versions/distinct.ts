/** Gives distinct keys to parts of one message that share a key although they are different parts. */
import { FreeNames } from '../one-id.ts';
import { isToolPart } from '../parts.ts';
import type { VersionPart } from './dialect.ts';

/** Returns what identifies a part among others with its key: of a call, the fields that stay the same while it runs. */
function identityOf({ part }: VersionPart): string {
  if (!isToolPart(part)) return JSON.stringify(part);
  return JSON.stringify([part.toolCallId, part.toolName, part.input]);
}

/**
 * Returns the parts of a message with distinct keys. The nth of several parts that share a key gets a numbered one: somebody may
 * have replaced all ids of a transcript with one word. Equal parts are deduplicated, and so are two states of one call: the last
 * one is returned.
 */
export function distinctKeys(parts: readonly VersionPart[]): VersionPart[] {
  const own = new Set(parts.map(({ key }) => key));
  if (own.size === parts.length) return [...parts];
  const keys = new Map<string, string>();
  const distinct = new Map<string, VersionPart>();
  const isTaken = (key: string): boolean => distinct.has(key) || own.has(key);
  const names = new FreeNames();
  for (const each of parts) {
    const place = `${each.key}\0${identityOf(each)}`;
    const key = keys.get(place) ?? (distinct.has(each.key) ? names.free(each.key, isTaken) : each.key);
    keys.set(place, key);
    distinct.set(key, { ...each, key });
  }
  return [...distinct.values()];
}
