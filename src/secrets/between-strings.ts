/** Recognises a value that is code between two string literals and only seems quoted, as in `"Password: "+name+"!"`. */
import { lazily, lazyPattern } from '../core/lazily.ts';
import { stretchBefore } from './line-context.ts';
import { QUOTE } from './quotes.ts';
import { isOpaque } from './randomness.ts';

/** Code between two string literals: it begins by closing a bracket or joining, and ends by opening a bracket or joining. */
const BETWEEN = lazily(() => /^[)\]},;:.+?&|=!<>*-].*[([{,;:=+?&|!<>]$/);
/** A key between two signs, and no expression: joining code has a dot, a bracket or a short name. */
const SIGNED_KEY = lazily(() => /^.([\w+/=-]+).$/);
const ONE_QUOTE = lazily(() => /^\\{0,15}(?:["'`]|u002[27]|x2[27])$/);

/**
 * Checks whether the quote before a value closes a string literal, and the quote after it opens the next one.
 * @param at start of the name or command before the value
 * @param quote the quote before the value
 */
export function isBetweenStrings(text: string, at: number, quote: string, between: string): boolean {
  if (!BETWEEN().test(between) || !ONE_QUOTE().test(quote)) return false;
  const key = SIGNED_KEY().exec(between)?.[1];
  return !(key !== undefined && isOpaque(key)) && isTextOpen(text, at, quote);
}

interface Line {
  readonly before: string;
  /** True if it begins at the start of its line, and not at the limit of the search. */
  readonly isWhole: boolean;
}

/** Returns the line before a place. In JSON a line end is an escape with half as many backslashes as a quote has; other escapes belong to a text. */
function lineOf(text: string, at: number, quote: string): Line {
  const { before, isAll } = stretchBefore(text, at);
  const most = (quote.lastIndexOf('\\') + 2) >> 1;
  let begin = before.lastIndexOf('\n') + 1;
  for (let end = before.lastIndexOf('\\n'); end >= begin && quote.startsWith('\\'); ) {
    let first = end;
    while (before.charAt(first - 1) === '\\') first--;
    if (end - first < most) begin = end + 2;
    end = first === 0 ? -1 : before.lastIndexOf('\\n', first - 1);
  }
  return { before: before.slice(begin), isWhole: isAll || begin > 0 };
}

/** Characters on either side of an opening and of a closing quote. */
const OPENS_BEHIND = lazily(() => /^[\s([{,;:=+?!&|>]?$/);
const OPENS_BEFORE = lazily(() => /^[\w$<%/]$/);
const CLOSES_BEHIND = lazily(() => /^[\w.!)]$/);
const CLOSES_BEFORE = lazily(() => /^[\s)\]},;:.+?&|=!<>*\\-]?$/);
const LETTER = lazily(() => /^[A-Za-z]$/);
/** A word that may directly precede a string literal. */
const LEADS = lazily(() => /(?:^|[^\w$])(?:return|case|typeof|else|in|of|[bBfrRuN]{1,2})$/);

/** Checks whether a quote does not delimit a literal: an apostrophe, or a quote within other quotes or a pattern. */
function isNone(before: string, index: number, quote: string, last: string, next: string): boolean {
  if (last === '\\') return true;
  if (quote === "'" && LETTER().test(last) && LETTER().test(next))
    return !LEADS().test(before.slice(Math.max(0, index - LONGEST_LEAD), index));
  return last !== quote && last === next && '"\'`/'.includes(last);
}
const LONGEST_LEAD = 8;

/** Returns the character before a quote; a blank for an escaped line end. */
const lastBefore = (before: string, index: number): string =>
  ESCAPED_BLANK().test(before.slice(Math.max(0, index - 2), index)) ? ' ' : before.charAt(index - 1);
const ESCAPED_BLANK = lazily(() => /^\\[nrt]$/);

/** Returns 1 for a quote that looks like an opening one, -1 for a closing one, else 0. */
function looksOf(last: string, next: string): number {
  if (OPENS_BEHIND().test(last) && OPENS_BEFORE().test(next)) return 1;
  return CLOSES_BEHIND().test(last) && CLOSES_BEFORE().test(next) ? -1 : 0;
}

/**
 * Checks whether a place is in a string literal that was opened on its line. Quotes alternate; the look of most of them decides
 * which ones open, since a quote without a partner, or a line start that is too far away, would invert all of them.
 */
function isTextOpen(text: string, at: number, quote: string): boolean {
  const { before, isWhole } = lineOf(text, at, quote);
  let isOpen = false;
  let fit = 0;
  for (let index = before.indexOf(quote); index >= 0; index = before.indexOf(quote, index + quote.length)) {
    const next = before.charAt(index + quote.length) || text.charAt(at);
    const last = lastBefore(before, index);
    if (isNone(before, index, quote, last, next)) continue;
    const looks = looksOf(last, next);
    fit += isOpen ? -looks : looks;
    isOpen = !isOpen;
  }
  if (fit !== 0 || isWhole) return fit < 0 ? !isOpen : isOpen;
  return OPEN_TEXT().exec(before)?.[1] === quote;
}

/** Matches the likely beginning of a string literal. */
const OPEN_TEXT = lazyPattern(`(?:^|[\\s([{,;:=+?!&|>])(${QUOTE})[^"'\`\\\\\\r\\n]{0,60}$`);
