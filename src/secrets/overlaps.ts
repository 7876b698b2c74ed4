/** Decides which findings of a text count if they overlap, and their common name. */
import type { Certainty, Found, Stretch } from './rule.ts';
import { RULE_NAMES, type RuleName } from './rule-names.ts';

const RANK: Readonly<Record<Certainty, number>> = { exact: 0, context: 1, guess: 2 };

/** If two rules find the same and are as sure, the one that comes first among the rules gives the name. */
export const byPlace = (a: Found, b: Found): number =>
  a.start - b.start ||
  RANK[a.certainty] - RANK[b.certainty] ||
  b.end - a.end ||
  RULE_NAMES.indexOf(a.rule as RuleName) - RULE_NAMES.indexOf(b.rule as RuleName);

/**
 * Returns the meaning of a group if a candidate that covers all of it has a meaning other than the written text. The shortest
 * meaning has the fewest escapes left.
 */
function meantBy(candidates: readonly Found[], from: number, to: number, end: number): string | undefined {
  const { start } = candidates[from] as Found;
  let least: string | undefined;
  for (let index = from; index < to; index++) {
    const one = candidates[index] as Found;
    if (one.meant === undefined || one.start !== start || one.end !== end) continue;
    if (one.meant.length < (least?.length ?? end - start)) least = one.meant;
  }
  return least;
}

const LONGEST_LINE_END = 12;
const isAllOf = (one: Stretch, start: number, end: number): boolean =>
  one.start - start <= LONGEST_LINE_END && end - one.end <= LONGEST_LINE_END;

const linePrefixOf = ({ linePrefix }: Found): Pick<Found, 'linePrefix'> =>
  linePrefix === undefined ? {} : { linePrefix };

/** Returns how far a group of overlapping candidates reaches, and what it is called. */
function groupAt(candidates: readonly Found[], index: number): { group: Found; next: number } | null {
  const first = candidates[index];
  if (!first) return null;
  let name = first;
  let end = first.end;
  let allowed = first.allowed === true;
  let partial = first.partial === true;
  let next = index + 1;
  for (let one = candidates[next]; one && one.start < first.end; one = candidates[++next]) {
    // A private key is all that is in its block.
    if (first.rule === 'private-key') continue;
    end = Math.max(end, one.end);
    allowed &&= one.allowed === true;
    partial &&= one.partial === true;
    if (RANK[one.certainty] < RANK[name.certainty]) name = one;
  }
  // Nearly every group is one candidate: a text may be full of them.
  if (next === index + 1 && first.meant === undefined) return { group: first, next };
  // The rule that has read the key itself knows best where it begins and ends: another rule takes escaped line ends along.
  if (name.rule === 'private-key' && isAllOf(name, first.start, end)) return { group: name, next };
  const { rule, certainty } = name;
  const group: Found = { rule, certainty, start: first.start, end, allowed, partial };
  const meant = meantBy(candidates, index, next, end);
  if (meant === undefined && first.linePrefix === undefined) return { group, next };
  return { group: { ...group, ...(meant === undefined ? {} : { meant }), ...linePrefixOf(first) }, next };
}

/**
 * Chooses the candidates that count: from left to right, the first one with all that begins inside it, under the name of the surest
 * of them. What begins later cannot change it, so a text may be cut wherever no group is.
 */
export function resolveOverlaps(candidates: readonly Found[]): Found[] {
  const chosen: Found[] = [];
  let past = 0;
  for (let index = 0; ; ) {
    while ((candidates[index]?.start ?? Number.POSITIVE_INFINITY) < past) index++;
    const step = groupAt(candidates, index);
    if (!step) return chosen;
    chosen.push(step.group);
    past = step.group.end;
    index = step.next;
  }
}
