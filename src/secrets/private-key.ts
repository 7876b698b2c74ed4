/** Finds private key blocks of any length: the text between `BEGIN … PRIVATE KEY` and its end, if there is one. */
import { CONTROL } from '../core/characters.ts';
import { beginsLine, pastPrefix, prefixBefore } from './line-prefix.ts';
import { COLOUR, QUOTE } from './quotes.ts';
import { unescaped } from './reading.ts';
import type { Found } from './rule.ts';

export const KEY_KEYWORDS: readonly string[] = ['-----BEGIN ', '---- BEGIN SSH2 ', 'Private-Lines: '];

const HEADING =
  /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|-----BEGIN OpenVPN Static key V1-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|Private-Lines: [0-9]{1,4}/y;
/** Lines of text that a block may hold before its data. */
const FIELD =
  /(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID): (?:"[^"\r\n\\]{0,200}"|\\{1,127}"[^"\r\n\\]{0,200}\\{1,127}"|(?:(?!<br|&#)[^\r\n\\"'`]){0,200})/y;
/** Additions of a page and a terminal to lines: colours, frames, and line ends of HTML and XML. */
const DRESS = `${COLOUR}|│|<br ?/?>|&#(?:10|13|x[aAdD]);`;
const DRESSES = new RegExp(DRESS, 'g');
/** As many as seven levels of JSON need. */
const BACKSLASHES = '\\\\{1,127}';
/** From the end of a text in quotes to the beginning of the one on the next line: `');`, `" >> key.pem`, `key += '`. */
const STATEMENT = `${QUOTE}[^"'\`\\r\\n\\\\]{0,60}(?:\\r?\\n|\\\\{1,31}(?:r\\\\{1,31})?n)[^"'\`\\r\\n\\\\]{0,80}${QUOTE}`;
/** Text that separates the lines of a block: line ends, real, escaped or shown by `cat -A`, quotes, joins, signs of a diff, line numbers. */
const SEPARATOR = new RegExp(
  `${DRESS}|${STATEMENT}|[ \\t\\r\\n"'\`,]|${BACKSLASHES}(?![\\\\/]|u002[bBfF])(?:[ux]0{0,2}0[9aAdD]|[nrt"'\`])?|→|[0-9]{1,6}(?=[→\\t])|(?:\\^M)?\\$(?=[\\r\\n]|\\\\{1,31}[nr])|(?:[bBuU]|[rR]?[bB]|[bB][rR])(?=["'])|[+>|#*-](?=[ \\t\\r\\n\\\\"'\`A-Za-z0-9+/=\\u001b])`,
  'y',
);
/** Longest text between a block and its heading. */
const LONGEST_PREAMBLE = 2000;
/** JSON may escape what is no letter of it. */
const RUN = /(?:[A-Za-z0-9+/]|\\{1,31}(?:\/|u002[bBfF])){1,4096}(?:=|\\{1,31}u003[dD]){0,3}|=[A-Za-z0-9+/]{4}/y;
/** A line of data is at least so long, but for the last one. */
const LEAST_RUN = 32;
const END = /[ \t\r\n"'`,+>|#*\\nrt-]{0,80}(?:END |Private-MAC)/y;
const LONGEST_END = 80;
const DASHES = /[+>|#*-]?-----/y;
const LINE_END = new RegExp(`[${CONTROL}"'\`\\\\<&$^]`);
/** A word of a sentence may be alone on its line as well. */
const WORD = /^[A-Z]?[a-z]*$/;

/** A stretch of a block's data. */
interface KeyData {
  readonly start: number;
  readonly end: number;
  /** The text ended before it was clear that the data did. */
  readonly open: boolean;
}

/** Returns where separators end, and what is in front of each line. */
export function skipSeparators(text: string, index: number, last: number, linePrefix: string): number {
  for (let next = index; ; ) {
    if (linePrefix !== '' && beginsLine(text, next)) next = Math.max(next, pastPrefix(text, next, linePrefix));
    SEPARATOR.lastIndex = next;
    if (next >= last || !SEPARATOR.test(text)) return next;
    next = SEPARATOR.lastIndex;
  }
}

/**
 * Reads a block's data from an index on.
 * @param hasData whether data was read before, so that a short line may be its last
 * @param linePrefix what is in front of each line
 * @param sure where to stop because what follows is not all there yet
 */
export function readKeyData(
  text: string,
  from: number,
  hasData: boolean,
  linePrefix: string,
  sure = text.length,
): KeyData | null {
  let start = -1;
  let end = from;
  let known = hasData;
  const result = (open: boolean): KeyData | null => (known ? { start: start < 0 ? from : start, end, open } : null);
  for (let index = from; ; ) {
    const gap = index;
    const limit = known ? index + LONGEST_PREAMBLE : from + LONGEST_PREAMBLE;
    index = skipSeparators(text, index, limit, linePrefix);
    if (index >= limit) return result(false);
    if (index >= sure) return result(true);
    FIELD.lastIndex = index;
    if (FIELD.test(text)) {
      index = FIELD.lastIndex;
      continue;
    }
    DASHES.lastIndex = index;
    RUN.lastIndex = index;
    if (DASHES.test(text) || !RUN.test(text)) return result(false);
    const stop = RUN.lastIndex;
    if (stop > sure) return result(true);
    if (stop - index < LEAST_RUN && !(known && isLastLine(text, gap, index, stop, linePrefix)))
      return result(stop === text.length);
    if (start < 0) start = index;
    known = true;
    end = stop;
    index = stop;
  }
}

/**
 * Returns whether a short run is the end of the data: it continues from a full one, or is alone on its line, or the end follows.
 */
function isLastLine(text: string, gap: number, index: number, stop: number, linePrefix: string): boolean {
  if (gap === index) return true;
  END.lastIndex = skipSeparators(text, stop, stop + LONGEST_END, linePrefix);
  if (END.test(text)) return true;
  return LINE_END.test(text.charAt(gap)) && isAlone(text, index, stop);
}

/** Returns whether nothing follows a run on its line, and it is no word. */
export const isAlone = (text: string, index: number, stop: number): boolean =>
  (stop === text.length || LINE_END.test(text.charAt(stop))) && !WORD.test(text.slice(index, stop));

/** The data of the block whose heading is at an index. */
export function findPrivateKey(text: string, at: number): (Found & { open: boolean }) | null {
  HEADING.lastIndex = at;
  if (!HEADING.test(text)) return null;
  const linePrefix = prefixBefore(text, at);
  const data = readKeyData(text, HEADING.lastIndex, false, linePrefix);
  if (data === null) return null;
  // A plus sign in front is the first character of the data, but in a diff, if the heading has one too.
  const start = text.charAt(data.start - 1) === '+' && text.charAt(at - 1) !== '+' ? data.start - 1 : data.start;
  return { rule: 'private-key', certainty: 'exact', ...data, start, linePrefix };
}

/** Returns where a heading ends that is at an index; -1 if none does. */
export function headingEnd(text: string, at: number): number {
  HEADING.lastIndex = at;
  return HEADING.test(text) ? HEADING.lastIndex : -1;
}

/** Returns where the data may begin behind a heading: past separators and lines of text. */
export function skipFields(text: string, from: number, linePrefix = ''): number {
  const limit = from + LONGEST_PREAMBLE;
  for (let index = from; ; ) {
    index = skipSeparators(text, index, limit, linePrefix);
    FIELD.lastIndex = index;
    if (index >= limit || !FIELD.test(text)) return index;
    index = FIELD.lastIndex;
  }
}

/** Data of a block that has only just begun where the text ends. */
export function findPartialKey(text: string, at: number): Found | null {
  const end = headingEnd(text, at);
  if (end < 0) return null;
  const index = skipFields(text, end, prefixBefore(text, at));
  RUN.lastIndex = index;
  const isPartial = RUN.test(text) && RUN.lastIndex === text.length && text.length - index >= LEAST_PARTIAL;
  return isPartial ? { rule: 'private-key', certainty: 'exact', start: index, end: text.length } : null;
}
const LEAST_PARTIAL = 8;

/** Only so much of a block distinguishes it from others: its name must not wait for an end that may be far away. */
const TELLING = 2048;

/** As URLs escape it, once or twice. */
const PERCENT = /%(?:25)?([0-9A-Fa-f]{2})/g;
const LINE_ENDS = new RegExp(`\\^M\\$|${BACKSLASHES}(?:x0[9aAdD]|[nrt])`, 'g');

/** A block's data without what separates its lines, so that the same key is known again however it is written. */
export function plainKeyData(data: string): string {
  const written = data.slice(0, 4 * TELLING);
  const plain = unescaped(written)
    .replace(PERCENT, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(DRESSES, '')
    .replace(LINE_ENDS, '')
    .replace(/[0-9]{1,6}[→\t]/g, '')
    .replace(/[^A-Za-z0-9+/=]/g, '');
  return plain.slice(0, TELLING);
}
