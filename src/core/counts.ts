/** Counts by name, for names that anybody may have chosen: `constructor` or `__proto__` is a name like any other. */
import { isObject } from './json.ts';

export type Counts = Record<string, number>;

/** No counts yet: an object that has nothing of its own, and inherits nothing. */
export const noCounts = (): Counts => Object.create(null);

/** Counts one more, or several more, of a name; in place. */
export function count(counts: Counts, name: string, more = 1): void {
  counts[name] = (counts[name] ?? 0) + more;
}

/** Two sets of counts together; what is no count in either is passed over, for it may come from a damaged store. */
export function addCounts(first: unknown, second: unknown): Counts {
  const counts = noCounts();
  for (const part of [first, second]) {
    for (const [name, more] of isObject(part) ? Object.entries(part) : []) if (isCount(more)) count(counts, name, more);
  }
  return counts;
}

/** Checks if a value is a count: a whole number, not below 0. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
