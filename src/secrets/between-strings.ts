/** Recognises a value that seems to be in quotes but is between two texts of code, as in `"Password: "+name+"!"`. */
import { lazily, lazyPattern } from '../core/lazily.ts';
import { stretchBefore } from './line-context.ts';
import { QUOTE } from './quotes.ts';
import { isOpaque } from './randomness.ts';

/** What stands between two texts in code: it closes a bracket or joins them, and opens a bracket or joins. */
const BETWEEN = lazily(() => /^[)\]},;:.+?&|=!<>*-].*[([{,;:=+?&|!<>]$/);
/** A key between two signs, and no expression: what joins two texts has a dot, a bracket or a short name in it. */
const SIGNED_KEY = lazily(() => /^.([\w+/=-]+).$/);
const ONE_QUOTE = lazily(() => /^\\{0,15}(?:["'`]|u002[27]|x2[27])$/);

/**
 * Whether the quote before what seems to be a value closes a text that was open, and the one behind it opens the next.
 * @param at where what leads to it begins, a name or a command
 * @param quote that it stands behind
 */
export function isBetweenStrings(text: string, at: number, quote: string, between: string): boolean {
  if (!BETWEEN().test(between) || !ONE_QUOTE().test(quote)) return false;
  const key = SIGNED_KEY().exec(between)?.[1];
  return !(key !== undefined && isOpaque(key)) && isTextOpen(text, at, quote);
}

interface Line {
  readonly before: string;
  /** It begins where its line does, and not where it was too far to see. */
  readonly isWhole: boolean;
}

/** The line before a place. In JSON its end is an escape, of half as many backslashes as quotes have; others stand in a text. */
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

/** What stands on either side of a quote that opens a text, and of one that closes it. */
const OPENS_BEHIND = lazily(() => /^[\s([{,;:=+?!&|>]?$/);
const OPENS_BEFORE = lazily(() => /^[\w$<%/]$/);
const CLOSES_BEHIND = lazily(() => /^[\w.!)]$/);
const CLOSES_BEFORE = lazily(() => /^[\s)\]},;:.+?&|=!<>*\\-]?$/);
const LETTER = lazily(() => /^[A-Za-z]$/);
/** A word that a text may follow closely. */
const LEADS = lazily(() => /(?:^|[^\w$])(?:return|case|typeof|else|in|of|[bBfrRuN]{1,2})$/);

/** Whether a quote is none: an apostrophe, or what stands alone in quotes of another kind or in a pattern. */
function isNone(before: string, index: number, quote: string, last: string, next: string): boolean {
  if (last === '\\') return true;
  if (quote === "'" && LETTER().test(last) && LETTER().test(next))
    return !LEADS().test(before.slice(Math.max(0, index - LONGEST_LEAD), index));
  return last !== quote && last === next && '"\'`/'.includes(last);
}
const LONGEST_LEAD = 8;

/** What stands before a quote, be it an escaped end of a line. */
const lastBefore = (before: string, index: number): string =>
  ESCAPED_BLANK().test(before.slice(Math.max(0, index - 2), index)) ? ' ' : before.charAt(index - 1);
const ESCAPED_BLANK = lazily(() => /^\\[nrt]$/);

/** 1 for a quote that looks as if it opened a text, -1 for one that looks as if it closed one. */
function looksOf(last: string, next: string): number {
  if (OPENS_BEHIND().test(last) && OPENS_BEFORE().test(next)) return 1;
  return CLOSES_BEHIND().test(last) && CLOSES_BEFORE().test(next) ? -1 : 0;
}

/**
 * Whether a place stands in a text that a quote has opened on the line. Every other quote opens one: which of them do is told by
 * what most of them look like, for one that nobody closes, or a line that begins too far away, would turn all of them round.
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

/** What looks most like a text that has just begun. */
const OPEN_TEXT = lazyPattern(`(?:^|[\\s([{,;:=+?!&|>])(${QUOTE})[^"'\`\\\\\\r\\n]{0,60}$`);
