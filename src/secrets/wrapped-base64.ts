/** Recognises data in base64 that continues in lines below its first one, as `base64` and `openssl enc -base64` print it. */
import { prefixBefore } from './line-prefix.ts';
import { isAlone, skipSeparators } from './private-key.ts';
import { LONGEST_MATCH } from './rule.ts';

/** Nobody wraps wider lines: what is below one is something else. */
const WIDEST = 256;
/** The separators between two lines. */
const LONGEST_GAP = 400;
const LINE_END = /[\r\n]|\\[nr]|<br|&#/;
/** Matches the end of a private key, and the only bracket that closes in the file of a service account. */
const ENDS_KEY = /-----END [ -,.-~]{1,40}-----\s*$|\}\s*$/;
/** More characters of base64 than the end of a key takes. */
const TAIL = 96;

/** One more than the widest says that a line is too wide. */
const RUN = new RegExp(`[A-Za-z0-9+/]{1,${WIDEST + 1}}={0,2}`, 'y');

/** Returns whether data in base64 continues to the end of what it encodes. */
function isWhole(data: string): boolean {
  const from = Math.max(0, Math.floor((data.length - TAIL) / 4) * 4);
  return data.endsWith('=') || ENDS_KEY.test(Buffer.from(data.slice(from), 'base64').toString('latin1'));
}

/** A line of the data: where it begins and ends, and whether a line end is before it. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly isBelow: boolean;
}

function lineBehind(text: string, from: number, linePrefix: string): Line | null {
  let start = skipSeparators(text, from, from + LONGEST_GAP, linePrefix);
  // It separates lines in a diff; here it may be the first character of one.
  if (linePrefix === '' && start - 1 > from && text.charAt(start - 1) === '+') start--;
  RUN.lastIndex = start;
  if (start === from || !RUN.test(text)) return null;
  return { start, end: RUN.lastIndex, isBelow: LINE_END.test(text.slice(from, start)) };
}

/** Data in base64, without the text that separates its lines, and if it ends. */
interface Wrapped {
  readonly end: number;
  readonly data: string;
}

/**
 * All of what begins with a line of base64: lines as wide as that follow, and one that may be shorter.
 * @param signs what such data begins with: where one is, the next has begun
 */
export function wrappedFrom(text: string, start: number, end: number, signs: readonly string[]): Wrapped {
  const width = end - start;
  let wrapped: Wrapped = { end, data: text.slice(start, end) };
  if (width > WIDEST) return wrapped;
  const linePrefix = prefixBefore(text, start);
  while (wrapped.end - start < LONGEST_MATCH && !isWhole(wrapped.data)) {
    const line = lineBehind(text, wrapped.end, linePrefix);
    if (!line || line.end - line.start > width || signs.some((sign) => text.startsWith(sign, line.start))) break;
    const data = wrapped.data + text.slice(line.start, line.end);
    const isLast = line.end - line.start < width;
    if (isLast && !isWhole(data) && !(line.isBelow && isAlone(text, line.start, line.end))) break;
    wrapped = { end: line.end, data };
    if (isLast) break;
  }
  return wrapped.end - start > LONGEST_MATCH ? { end, data: text.slice(start, end) } : wrapped;
}
