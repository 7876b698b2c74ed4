/** Finds the boundaries of a word in text that may be escaped repeatedly: in JSON, in URLs, with terminal colours. */
import { followsMarker, MARKER_START } from './marker.ts';
import type { Edge } from './rule.ts';

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const UNDERSCORE = 95;
const MINUS = 45;
const continues = (code: number, edge: Edge): boolean =>
  isAlphanumeric(code) || (edge === 'token' && (code === UNDERSCORE || code === MINUS));

/** `\n`, `\x0a`, `\u000a`, `%0A`, and the end of a colour: none of their letters belongs to what follows. */
const ESCAPE = /(?:\\[abefnrtv0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,12}[mK])$/;
const LONGEST_ESCAPE = 14;

/** Returns whether what is before an index does not run on into it. */
export function beginsAt(text: string, index: number, edge: Edge): boolean {
  if (edge === 'any' || index === 0) return true;
  const code = text.charCodeAt(index - 1);
  if (!continues(code, edge)) return true;
  if ((code === UNDERSCORE || code === MINUS) && !isJoined(text, rowFrom(text, index - 1, -1))) return true;
  return ESCAPE.test(text.slice(Math.max(0, index - LONGEST_ESCAPE), index));
}

/** Largest number of signs in a row for bold or italic text in Markdown, and at the ends of a comment of HTML. */
const MOST_SIGNS = 4;

/** The last one of a row of the same sign, from one of them on; a step is 1 or -1. */
function rowFrom(text: string, index: number, step: 1 | -1): number {
  const sign = text.charAt(index);
  let last = index;
  for (let more = 1; more < MOST_SIGNS && text.charAt(last + step) === sign; more++) last += step;
  return last;
}

/**
 * Returns whether a sign joins what is before it to what follows; the first of a line in a diff does not, but one behind a
 * secret.
 */
const isJoined = (text: string, index: number): boolean =>
  index > 0 &&
  (followsMarker(text, index) ||
    (continues(text.charCodeAt(index - 1), 'token') &&
      !ESCAPE.test(text.slice(Math.max(0, index - LONGEST_ESCAPE), index))));

/** Begins an escape of which the rest looks like letters of a name. */
const WHOLE_ESCAPE = /\\(?:[abefnrtv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}|\[[0-9;]{0,12}[mK]/y;

/**
 * If a word begins, if what looks like its first letters belongs to an escape in front of it.
 * @param last where the word must have begun
 */
export function behindEscape(text: string, index: number, last: number): number {
  let from = index - 1;
  // The numbers of a colour are parted by semicolons.
  for (const first = index - LONGEST_ESCAPE; from > first && /[0-9;]/.test(text.charAt(from)); ) from--;
  if (from < 0 || !'\\%['.includes(text.charAt(from))) return index;
  WHOLE_ESCAPE.lastIndex = from;
  if (!WHOLE_ESCAPE.test(text) || WHOLE_ESCAPE.lastIndex > last) return index;
  return Math.max(index, WHOLE_ESCAPE.lastIndex);
}

/** Returns whether what is before an index does not run on behind it. */
export function endsAt(text: string, index: number, edge: Edge): boolean {
  if (edge === 'any' || index >= text.length) return true;
  const code = text.charCodeAt(index);
  if (!continues(code, edge)) return true;
  if (code !== UNDERSCORE && code !== MINUS) return false;
  const next = rowFrom(text, index, 1) + 1;
  // If a marker is behind them, they joined what it replaces.
  return next >= text.length || !(continues(text.charCodeAt(next), 'token') || text.startsWith(MARKER_START, next));
}

/** Text around a comment or a marked part of a text, if it is open. */
const AROUND: readonly (readonly [opening: string, closing: string])[] = [
  ...([
    ['<!--', '-->'],
    ['<!--', '--!>'],
    ['<%--', '--%>'],
    ['/*', '*/'],
    ['{#', '#}'],
    ['(*', '*)'],
  ] as const),
  ...([
    ['**', '**'],
    ['~~', '~~'],
    ['“', '”'],
    ['‘', '’'],
    ['«', '»'],
  ] as const),
];
/** Furthest distance before a secret at which such a thing may begin, and length of its end that is looked at. */
const FURTHEST = 2000;
const LONGEST_CLOSING = 6;

/** Returns whether something is open at an index: in one line, if the same sign opens and closes it. */
function isOpenAt(text: string, index: number, opening: string, closing: string): boolean {
  const before = text.slice(Math.max(0, index - FURTHEST), index);
  if (opening === closing) return before.slice(before.lastIndexOf('\n') + 1).split(opening).length % 2 === 0;
  return before.lastIndexOf(opening) > before.lastIndexOf(closing);
}

/** One of these is in all that closes: most secrets have none near their end, and a text may be full of them. */
const IN_CLOSING: ReadonlySet<number> = new Set(Array.from('>/})*~”’»', (sign) => sign.charCodeAt(0)));

function mayClose(text: string, from: number, to: number): boolean {
  const last = Math.min(to, text.length);
  for (let index = from; index < last; index++) if (IN_CLOSING.has(text.charCodeAt(index))) return true;
  return false;
}

/**
 * Returns where at the end of a secret something is closed that is open before it; its end if nothing is. A pattern may have
 * taken half of it.
 */
function closedAt(text: string, start: number, end: number): number {
  const from = Math.max(start + 1, end - LONGEST_CLOSING);
  if (!mayClose(text, from, end + LONGEST_CLOSING)) return end;
  const tail = text.slice(from, end + LONGEST_CLOSING);
  const places = AROUND.map(([opening, closing]) => {
    const at = tail.lastIndexOf(closing, end - from - 1);
    return at >= 0 && isOpenAt(text, start, opening, closing) ? from + at : end;
  });
  return Math.min(end, ...places);
}

/**
 * Finds the end of a secret without what closes behind it what is open before it, or marks it as a word as what is before it does:
 * a pattern that takes `-` or `_` has taken those as well.
 */
export function endWithoutMarks(text: string, start: number, end: number): number {
  const closed = closedAt(text, start, end);
  if (closed < end) return closed;
  if (text.charCodeAt(start - 1) !== UNDERSCORE) return end;
  const first = rowFrom(text, start - 1, -1);
  if (isJoined(text, first)) return end;
  // As many as are before it; what more there are of them are its own.
  const last = text.charCodeAt(end) === UNDERSCORE ? rowFrom(text, end, 1) : end - 1;
  let to = last + 1;
  while (to > last + 1 - (start - first) && text.charCodeAt(to - 1) === UNDERSCORE) to--;
  return Math.max(start, Math.min(to, end));
}
