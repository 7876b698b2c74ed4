/** Recognises lines of a private key's data, and not hashes, paths and names of the same characters. */
import { skipFields } from './private-key.ts';
import { meanRun } from './randomness.ts';

const HASH = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const HASH_BEFORE = /sha(?:1|256|384|512)[-:]$/;

/** Returns whether a run of characters at an index is a hash in hexadecimal digits, or is behind the name of one. */
export const isHash = (text: string, index: number, run: string): boolean =>
  HASH.test(run) || HASH_BEFORE.test(text.slice(Math.max(0, index - 8), index));

/** The first line of a key, which has long runs of capitals, has 3.2; paths and names have more. */
const MOST_RUN = 3.3;
/** A segment of a path: words, a number behind them; or a letter or two. */
const SEGMENT = /^(?:[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*[0-9]{0,3}|[A-Z]+[0-9]{0,3}|[A-Za-z0-9]{0,2})$/;

/**
 * Returns whether a line of base64 may be data: letters of both cases and other characters, mixed as no name and no path has
 * them.
 */
export function isKeyLine(line: string): boolean {
  if (!/[a-z]/.test(line) || !/[A-Z]/.test(line) || !/[0-9+]/.test(line)) return false;
  return meanRun(line) <= MOST_RUN && !isPath(line);
}

function isPath(line: string): boolean {
  const segments = line.split('/');
  if (segments.length < 3) return false;
  const words = segments.filter((segment) => SEGMENT.test(segment)).join('').length;
  return 2 * words >= line.length - segments.length;
}

/** From the beginning of a line to its text: a margin, quotes, the number of a line, the name of a file. */
const MARGIN = '[ \\t"\'`>|#*+-]{0,12}(?:[\\w./-]{1,60}[:-])?(?:[0-9]{1,6}[→\\t:|-] ?)?$';
const TEXT_BEGIN = new RegExp(`^${MARGIN}`);
const LINE_BEGIN = new RegExp(`(?:^|[\\r\\n]|\\\\{1,31}[nr])${MARGIN}`);
const LONGEST_BEGIN = 100;
const LINE_END = /[ \t"'`,;]{0,8}(?:$|[\r\n]|\\{1,31}[nr])/y;

/** Returns whether nothing else is on the line of what begins and ends at two indices. */
export function isLineAlone(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - LONGEST_BEGIN);
  const begin = LINE_BEGIN.exec(text.slice(from, start));
  if (begin === null || (begin.index === 0 && from > 0 && !/^[\r\n\\]/.test(begin[0]))) return false;
  LINE_END.lastIndex = end;
  return LINE_END.test(text);
}

const RUN = /(?<![\w+/=.-])[A-Za-z0-9+/]{32,80}(?![\w+/=.-])|(?<=\\[nr])[A-Za-z0-9+/]{32,80}(?![\w+/=.-])/g;
/** Matches the text after the last whole line of a key: a shorter one, or the end. */
const KEY_END = /-----END |---- END SSH2|Private-MAC/;
const LONGEST_LAST = 200;

/** Returns how many characters a text begins with that are no data: a margin. */
export const marginOf = (text: string): number => MARGIN_ONLY.exec(text)?.[0].length ?? 0;
const MARGIN_ONLY = new RegExp(`^${MARGIN.slice(0, -1)}`);

/** Returns whether a text is one line, and ends at an index: a log puts its own words in front of what it was given. */
const isEndOfLine = (text: string, end: number): boolean =>
  text.length <= 2 * LONGEST_BEGIN && !/[\r\n]/.test(text.trim()) && /^[\s"'`,;]*$/.test(text.slice(end));

/**
 * Finds where a text continues with a key of which only the heading came before: data as wide as the lines of such a key, which
 * begins the text or is nearly all of it, or behind which more such data or the end of the key follows.
 * @param stop where another block begins
 * @returns -1 if it does not
 */
export function beginsData(text: string, stop: number, widths: readonly number[], isHex: boolean): number {
  const first = skipFields(text, 0);
  let last = -1;
  RUN.lastIndex = 0;
  for (let match = RUN.exec(text); match && match.index < stop; match = RUN.exec(text)) {
    const { 0: line, index } = match;
    const end = index + line.length;
    // Logs and commands put words around a line; those of digits alone are too much like sums of files for that.
    const isLine = isHex
      ? HASH.test(line) && isLineAlone(text, index, end)
      : !isHash(text, index, line) && isKeyLine(line);
    // An added line of a patch begins with a sign that data has, too.
    const isWide = widths.includes(line.length) || (line.startsWith('+') && widths.includes(line.length - 1));
    if (!isLine || !isWide) {
      last = -1;
      continue;
    }
    if (last >= 0) return last;
    const isFirst = index <= first || (index <= LONGEST_BEGIN && TEXT_BEGIN.test(text.slice(0, index)));
    if (isFirst || isEndOfLine(text, end) || KEY_END.test(text.slice(end, end + LONGEST_LAST))) return index;
    last = index;
  }
  return -1;
}
