/** Redacts numbers without quotes in JSON: the marker in their place needs quotes, escaped as deep as those around. */

/** A number that is the value of a key, from where it begins and ends. */
interface BareNumber {
  readonly start: number;
  readonly end: number;
  /** The quote that its key ends with, as it is written there. */
  readonly quote: string;
}

const LONGEST = 64;
const LONGEST_SIGN = 80;
const BLANKS = '(?:[ \\t\\r\\n+]|(?:\\\\|%5[cC]){1,31}(?:[rnt]|u00(?:0[9aAdD]|20))|%(?:20|0[9aAdD])){0,16}';
/** Also as an escape of JSON, or of a URL. */
const QUOTE = '\\\\{0,31}"|(?:\\\\|%5[cC]){1,31}(?:u00|x)22|(?:%5[cC]){0,15}%22';
const KEY_BEFORE = new RegExp(`(${QUOTE})${BLANKS}(?::|%3[aA])${BLANKS}$`);
const ENDS_VALUE = new RegExp(`^${BLANKS}(?:[,}\\]]|%2[cC]|%[57][dD]|$)`);
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** A digit, or one of `+-.eE`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101;

/** Returns where what is numbers ends, in a direction. */
function edge(text: string, from: number, step: 1 | -1): number {
  let index = from;
  for (let left = LONGEST; left > 0 && isOfNumber(text.charCodeAt(index)); left--) index += step;
  return index;
}

/**
 * Returns how much of what seems to be a number is a blank in front of it, as forms and URLs have it: `+`, and the digits of
 * `%20`.
 */
function lengthOfBlank(text: string, at: number): number {
  if (text.charAt(at - 1) === '%') return 2;
  return text.charAt(at) === '+' ? 1 : 0;
}

/** The number without quotes that a stretch is all or a part of; null if it is of none. */
export function unquotedNumberAt(text: string, start: number, end: number): BareNumber | null {
  // Hardly anything that is found ends in digits on both sides, or is as short.
  if (!isOfNumber(text.charCodeAt(start)) || !isOfNumber(text.charCodeAt(end - 1)) || end - start > LONGEST)
    return null;
  const before = edge(text, start - 1, -1) + 1;
  const first = before + lengthOfBlank(text, before);
  const last = edge(text, end, 1);
  if (!NUMBER.test(text.slice(first, last)) || !ENDS_VALUE.test(text.slice(last, last + LONGEST_SIGN))) return null;
  const key = KEY_BEFORE.exec(text.slice(Math.max(0, first - LONGEST_SIGN), first));
  return key ? { start: first, end: last, quote: key[1] ?? '"' } : null;
}
