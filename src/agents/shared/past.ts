/** The past of a file that was written anew: up to the last line that is kept. What is new in it was over long ago. */
import type { Resume } from '../contract/agent.ts';

/**
 * Number of the last line that says again what is kept; 0 where none does, or the file was not written anew.
 * @param kept how often each line is kept, by its key
 * @param keysIn the keys by which what stands on a line may be kept
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
