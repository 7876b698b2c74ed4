/** Finds the end of a value that contains a whole key: the format of the key's vendor counts, not the longest possible value. */

import { isOpaque } from './randomness.ts';
import type { Found, Stretch } from './rule.ts';
import { RULE_NAMES } from './rule-names.ts';
import { beginsAt, endsAt } from './word-boundaries.ts';

/** Patterns of somebody's own may know only a part of a key. */
const MAKERS: ReadonlySet<string> = new Set(RULE_NAMES.filter((name) => name !== 'private-key'));
const isWholeKey = ({ rule, certainty }: Found): boolean => certainty === 'exact' && MAKERS.has(rule);
const isOfName = ({ rule, certainty }: Found): boolean =>
  certainty === 'guess' && (rule === 'password' || rule === 'secret');

/** Returns whether what is between two places is part of the secret: it continues the word of a key, or looks like one itself. */
const isPartOfSecret = (text: string, { start, end }: Stretch, touches: boolean): boolean =>
  end > start && (touches || isOpaque(text.slice(start, end)));

/** Returns what is left of a value beside the keys in it, in order; null if the keys are all. */
function outsideKeys(text: string, value: Found, keys: readonly Found[]): Found | null {
  const first = keys[0] as Found;
  const last = keys.reduce((furthest, { end }) => Math.max(furthest, end), 0);
  const hasHead = isPartOfSecret(text, { start: value.start, end: first.start }, !beginsAt(text, first.start, 'token'));
  const hasTail = isPartOfSecret(text, { start: last, end: value.end }, !endsAt(text, last, 'token'));
  let past = first.end;
  let isJoined = false;
  for (const { start, end } of keys) {
    isJoined ||= isPartOfSecret(text, { start: past, end: start }, !endsAt(text, past, 'token'));
    past = Math.max(past, end);
  }
  if (!hasHead && !hasTail && !isJoined) return null;
  return { ...value, start: hasHead ? value.start : first.start, end: hasTail ? value.end : last };
}

/**
 * Returns the findings in a text, in order, with values of names no longer than the keys in them: a shell, a pattern or a list continues
 * behind a key, and would be destroyed.
 */
export function trimToKeys(text: string, found: Found[]): Found[] {
  const keys = found.filter(isWholeKey);
  if (keys.length === 0 || !found.some(isOfName)) return found;
  let first = 0;
  return found.flatMap((one) => {
    if (!isOfName(one)) return [one];
    while ((keys[first]?.start ?? Number.POSITIVE_INFINITY) < one.start) first++;
    const inside: Found[] = [];
    for (let index = first; (keys[index]?.start ?? one.end) < one.end; index++) {
      const key = keys[index] as Found;
      if (key.end <= one.end) inside.push(key);
    }
    return inside.length === 0 ? [one] : (outsideKeys(text, one, inside) ?? []);
  });
}
