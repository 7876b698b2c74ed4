/** The past of a file that was rewritten: up to the last line that is kept. New lines before that describe a turn that was over. */
import type { Resume } from '../contract/agent.ts';

/**
 * Returns the number of the last line that is kept; 0 if there is none, or the file was not rewritten.
 * @param kept how often each line is kept, by its key
 * @param keysIn returns the keys under which the records of a line may be kept
 */
export function endOfPast(
  resume: Resume | null,
  kept: ReadonlyMap<string | number, number>,
  keysIn: (line: string) => readonly string[],
): number {
  if (resume?.rewritten !== true) return 0;
  const left = new Map(kept);
  let last = 0;
  for (const { text, number } of resume.lines?.() ?? []) {
    for (const key of text === null ? [] : keysIn(text)) {
      const count = left.get(key) ?? 0;
      if (count === 0) continue;
      left.set(key, count - 1);
      last = number;
    }
  }
  return last;
}
