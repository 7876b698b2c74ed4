/** A text as it reads without the escapes that JSON and URLs may have for any character: `\/`, as PHP writes it, `\u003d`, `%3D`. */
import { lazily } from '../core/lazily.ts';
import { lastNotAbove } from '../core/search-sorted.ts';

/**
 * An escape in JSON, or in JSON inside JSON, however deep. A backslash stays as it is, and so do the short escapes: rules
 * know those. All backslashes of a run belong to what they are before: half of them would mean another thing.
 */
const IN_JSON = lazily(() => /(?<!\\)\\{1,31}(?:\/|u(?!005[cC])([0-9A-Fa-f]{4}))/g);
/** A byte as URLs have it: a sign of ASCII, a tab, a line end, or what colours begin with; or all bytes of another sign. */
const IN_URL = lazily(() => /%([2-7][0-9A-Fa-f]|0[9aAdD]|1[bB])|%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3}/g);

/** The meaning of a text, and if that is in what was written. */
export interface Reading {
  readonly text: string;
  /** If a place of it, or its end, is in the text. */
  readonly placeOf: (index: number) => number;
  /** Position of the escapes, if nothing else reads as another sign. */
  readonly escapes: Escapes | null;
  /** Text that is in no secret that was found so: it ends what the escapes are in, whatever they mean. */
  readonly ends: RegExp;
}

/** Of what follows each escape, and first of what is before all of them, in the order of the text. */
export interface Escapes {
  /** Positions of its beginnings in the reading. */
  readonly begins: readonly number[];
  /** By how much it is further on in the text. */
  readonly moved: readonly number[];
}

/** A quote that is no escape ends a text of JSON; in another, a secret found between escaped ones would run on behind it. */
const ENDS_JSON = /(?<!\\)"/;
const ENDS_URL = /[\s"<>`]/;

/** Returns whether a text may read in another way. Most have none of these signs. */
export const isEscaped = (text: string, from = 0): boolean => isEscapedJson(text, from) || text.indexOf('%', from) >= 0;
const isEscapedJson = (text: string, from = 0): boolean =>
  text.indexOf('\\/', from) >= 0 || text.indexOf('\\u', from) >= 0;

/** The other ways in which a text reads from a place on: as JSON, that as a URL or a form, and that as JSON again. */
export function readingsOf(text: string, from: number): Reading[] {
  if (!isEscaped(text, from)) return [];
  const json = text.indexOf('\\', from) < 0 ? null : readingBy(IN_JSON(), ENDS_JSON, text, from);
  const inner = json?.text ?? text;
  const start = json ? 0 : from;
  const url = inner.indexOf('%', start) < 0 ? null : readingBy(IN_URL(), ENDS_URL, inner, start, withBlanks);
  if (!url) return json ? [json] : [];
  const asUrl = json ? within(json, url) : url;
  // JSON that a URL carries has escapes of its own: `%5C%2F`.
  const again = isEscapedJson(url.text) ? readingBy(IN_JSON(), ENDS_URL, url.text, 0) : null;
  return [...(json ? [json] : []), asUrl, ...(again ? [within(asUrl, again)] : [])];
}

/** A reading of a reading, as one of the text. */
const within = (outer: Reading, inner: Reading): Reading => ({
  ...inner,
  placeOf: (index) => outer.placeOf(inner.placeOf(index)),
  escapes: null,
});

/** A text without the escapes of JSON. */
export const unescaped = (text: string): string => readingBy(IN_JSON(), ENDS_JSON, text, 0)?.text ?? text;

/** Gives a stretch between two escapes, or before the first or behind the last, as it reads; as long as it is. */
type Between = (stretch: string, isBehind: boolean, isBefore: boolean) => string;

/**
 * In a form a plus sign is a blank, and `&` ends a value, as a line end does: it is in a form where an escape of a URL is in
 * the same word, and that is near.
 */
const withBlanks: Between = (stretch, isBehind, isBefore) => {
  if (!stretch.includes('+') && !stretch.includes('&')) return stretch;
  const head = isBehind ? (BEGINS_WORD.exec(stretch.slice(0, NEAR))?.[0].length ?? 0) : 0;
  const tail = isBefore ? (ENDS_WORD.exec(stretch.slice(head).slice(-NEAR))?.[0].length ?? 0) : 0;
  const rest = stretch.length - tail;
  const blanked = (from: number, to: number): string =>
    stretch.slice(from, to).replaceAll('+', ' ').replaceAll('&', '\n');
  return blanked(0, head) + stretch.slice(head, rest).replace(NEXT_VALUE, '\n') + blanked(rest, stretch.length);
};
/** Wherever it is. */
const NEXT_VALUE = /&(?=[\w.~-]{1,40}=)/g;
const NEAR = 100;
const BEGINS_WORD = /^[\w.!~*'()+&=-]+/;
const ENDS_WORD = /[\w.!~*'()+&=-]+$/;

function meaningOf([written, digits]: RegExpExecArray): string {
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (!written.startsWith('%')) return '/';
  try {
    return decodeURIComponent(written);
  } catch {
    // No sign of UTF-8.
    return written;
  }
}

function readingBy(pattern: RegExp, ends: RegExp, text: string, from: number, between?: Between): Reading | null {
  const parts: string[] = [];
  const begins = [0];
  const moved = [from];
  let length = 0;
  let past = from;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const meant = meaningOf(match);
    const stretch = text.slice(past, match.index);
    parts.push(between?.(stretch, parts.length > 0, true) ?? stretch, meant);
    length += match.index - past + meant.length;
    past = pattern.lastIndex;
    begins.push(length);
    moved.push(past - length);
  }
  if (parts.length === 0) return null;
  const end = text.slice(past);
  parts.push(between?.(end, true, false) ?? end);
  return {
    text: parts.join(''),
    ends,
    placeOf: (index) => index + (moved[lastNotAbove(begins, index)] as number),
    escapes: between ? null : { begins, moved },
  };
}
