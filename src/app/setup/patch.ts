/** Formats the difference of two texts as a unified patch. */
import { replacement } from '../../core/hunk.ts';

/**
 * Most changed lines of a file for which the shortest patch is computed: the time grows with their square (4,000: about
 * a second).
 */
const CHANGES = 4000;
/** Lines of context around a change, as in Git. */
const CONTEXT = 3;

/**
 * Returns a function that makes the hunks of a unified diff, each line with its line feed; loads the library for it.
 */
export async function patchMaker(): Promise<(before: string, after: string) => string> {
  const { structuredPatch } = await import('diff');
  return (before, after) => {
    const shortest = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: CHANGES });
    const hunks = shortest?.hunks ?? [replacement(before, after, CONTEXT)];
    const lines = hunks.flatMap((hunk) => [
      `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
      ...hunk.lines,
    ]);
    return lines.map((line) => `${line}\n`).join('');
  };
}

/** Formats a range of lines as unified diffs do: an empty one is named by the line before it. */
const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
