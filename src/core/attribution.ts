/** Says which version of a text each of its lines is from. */

/** A version of a text, in the order of time. */
export interface Version {
  /** Its lines; null if they are not known. */
  lines: readonly string[] | null;
  /** True if it was made, or only seen, as by one who read it. */
  isMade: boolean;
  /** Checks if a line, by its number, is one of those that were written with it; without it each of them may be. */
  wrote?: (line: number) => boolean;
}

/**
 * The origin of a line. `made`: the version with this number made it. `unseen`: one of the versions that nobody has seen, the last of them
 * before the line was seen. `outside`: something that is no version, between two of them. `older`: it was there before the first version.
 */
export type Origin =
  | { kind: 'made' | 'unseen'; version: number; line: number }
  | { kind: 'outside' | 'older'; version: null; line: number };

/** A stretch of two texts that is the same in both, or is in one of them alone. */
export interface Stretch {
  count: number;
  added: boolean;
  removed: boolean;
}

/** Compares two texts line by line. */
export type Compare = (before: readonly string[], after: readonly string[]) => readonly Stretch[];

/** Returns the last known lines of a text and the origin of each; null if no version is known. */
export function attribute(
  versions: readonly Version[],
  compare: Compare,
): { lines: readonly string[]; origins: Origin[] } | null {
  let lines: readonly string[] | null = null;
  let origins: Origin[] = [];
  /** The last version that was made since the last known one, and whose lines are not known. */
  let unseen: number | null = null;
  for (const [version, { lines: now, isMade, wrote }] of versions.entries()) {
    if (now === null) {
      if (isMade) unseen = version;
      continue;
    }
    const before: readonly string[] | null = lines;
    const fresh = (line: number): Origin => {
      if (isMade && (wrote?.(line) ?? true)) return { kind: 'made', version, line };
      if (unseen !== null && before !== null) return { kind: 'unseen', version: unseen, line };
      return { kind: before === null ? 'older' : 'outside', version: null, line };
    };
    origins = carried(origins, before ?? [], now, compare, fresh);
    lines = now;
    unseen = null;
  }
  return lines === null ? null : { lines, origins };
}

/** Returns the origins of the lines of a text: lines that the text before has too keep theirs. */
export function carried<T>(
  origins: readonly T[],
  before: readonly string[],
  after: readonly string[],
  compare: Compare,
  fresh: (line: number) => T,
): T[] {
  const next: T[] = [];
  let at = 0;
  for (const { count, added, removed } of compare(before, after)) {
    if (added) for (let index = 0; index < count; index += 1) next.push(fresh(next.length + 1));
    else if (removed) at += count;
    else for (let index = 0; index < count; index += 1, at += 1) next.push(origins[at] as T);
  }
  return next;
}
