/** A hunk of a unified diff. */

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

const NO_NEWLINE = '\\ No newline at end of file';

/** The lines of a text, each with the line feed that ends it. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Returns the lines of a hunk. */
const marked = (sign: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) => (line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]));

/**
 * One hunk that puts everything between the lines that two texts begin and end with in the place of what was there: right
 * whatever they hold, and never slow, but not the shortest.
 * @param context most lines around it
 */
export function replacement(before: string, after: string, context: number): Hunk {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - context);
  const shown = Math.min(tail, context);
  const lines = [
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', fresh.slice(head, fresh.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + shown)),
  ];
  const length = (all: readonly string[]): number => all.length - tail + shown - from;
  return { oldStart: from + 1, oldLines: length(old), newStart: from + 1, newLines: length(fresh), lines };
}
