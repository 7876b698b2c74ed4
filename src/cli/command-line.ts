/** Splits a command line into words as a shell would, but does nothing else of what a shell does. */

const PIECES =
  /(?<blank>\s+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<open>['"\\])|[^\s'"\\]+/g;

const unescaped = (text: string): string => text.replaceAll(/\\(["\\])/g, '$1');

/** Splits a line into the words that it ends, and the one at its end; null if it ends in white space. @returns null if `onOpen` gives null */
function split(line: string, onOpen: (rest: string) => string | null): { words: string[]; last: string | null } | null {
  const words: string[] = [];
  let last: string | null = null;
  for (const { 0: all, index, groups = {} } of line.matchAll(PIECES)) {
    if (groups.blank !== undefined) {
      if (last !== null) words.push(last);
      last = null;
    } else if (groups.open !== undefined) {
      const rest = onOpen(line.slice(index + 1));
      return rest === null ? null : { words, last: (last ?? '') + rest };
    } else
      last = (last ?? '') + (groups.single ?? (groups.double && unescaped(groups.double)) ?? groups.escaped ?? all);
  }
  return { words, last };
}

/** Splits a line; returns null if a quotation in it has no end. */
export function splitLine(line: string): string[] | null {
  const parts = split(line, () => null);
  return parts && (parts.last === null ? parts.words : [...parts.words, parts.last]);
}

/** Splits a line that is being typed: its last word may be empty, or the beginning of a quotation. */
export function splitBegun(line: string): string[] {
  const { words, last } = split(line, unescaped) as { words: string[]; last: string | null };
  return [...words, last ?? ''];
}
