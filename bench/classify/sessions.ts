/** Rows that come of one session, as far as it can be told from what the agent said. */
import type { LabelledRow } from './rows.ts';

const RARE_WORD = /[\p{L}\p{N}_#/.-]{6,40}/gu;
const FEWEST_SHARED = 5;
const LEAST_OVERLAP = 0.3;

/** For each row the number of its session: rows of one agent whose excerpts share enough long words are one. */
export function sessionsOf(rows: readonly LabelledRow[]): number[] {
  const words = rows.map(({ lastMessage }) => new Set((lastMessage ?? '').match(RARE_WORD) ?? []));
  const session = rows.map((_, index) => index);
  for (let one = 0; one < rows.length; one += 1) {
    for (let other = 0; other < one; other += 1) {
      if (rows[one]?.agent !== rows[other]?.agent) continue;
      const [mine, theirs] = [words[one] ?? new Set(), words[other] ?? new Set()];
      const shared = [...mine].filter((word) => theirs.has(word)).length;
      if (shared < FEWEST_SHARED || shared / Math.min(mine.size, theirs.size) < LEAST_OVERLAP) continue;
      const [from, to] = [session[one], session[other]];
      for (const [index, number] of session.entries()) if (number === from) session[index] = to as number;
    }
  }
  return session;
}
