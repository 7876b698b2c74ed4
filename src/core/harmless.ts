/** Stored text is hostile: before it reaches a terminal, everything in it that could move a cursor or lie about order is made visible. */
import { BIDI_CONTROL, CONTROL } from './characters.ts';

/** Matches nearly every text. The test costs less than compiling the other pattern. */
const PLAIN = /^[\n\t -~]*$/;
/** Control characters but newline and tab, lone surrogates, and what turns the direction of writing. */
const DANGEROUS = new RegExp(String.raw`(?![\n\t])[${CONTROL}${BIDI_CONTROL}\ud800-\udfff]`, 'gu');

/** Returns what replaces a control character: one of Unicode's control pictures if there is one. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** A text without any byte below 0x20 but newline and tab, no ESC, C1, bidi control or lone surrogate; CR LF is a newline. */
export function harmlessText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(DANGEROUS, picture);
}

/** A plain value with every text in it, keys too, made harmless; what is read piece by piece stays so. */
export function harmless<T>(value: T): T {
  return clean(value) as T;
}

/** A value that is harmless already is returned itself: a copy of each of thousands of rows would take most of the time of a list. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return harmlessText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cleanList(value);
  if (Symbol.iterator in value) return cleanEach(value as Iterable<unknown>);
  return cleanFields(value as Record<string, unknown>);
}

function cleanList(items: unknown[]): unknown[] {
  const begin = items.findIndex((item) => clean(item) !== item);
  return begin < 0 ? items : [...items.slice(0, begin), ...items.slice(begin).map(clean)];
}

/** The names of the fields of the last plain object: the rows of a list have the same. */
let plainNames: readonly string[] = [];

function cleanFields(all: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(all);
  const known = plainNames;
  if (keys.every((key, at) => (key === known[at] || PLAIN.test(key)) && isPlain(all[key]))) {
    plainNames = keys;
    return all;
  }
  const cleaned = keys.map((key): [string, unknown] => [harmlessText(key), clean(all[key])]);
  const isSame = cleaned.every(([key, item], at) => key === keys[at] && item === all[key]);
  return isSame ? all : Object.fromEntries(cleaned);
}

const isPlain = (item: unknown): boolean =>
  typeof item === 'string' ? PLAIN.test(item) : typeof item !== 'object' || item === null;

function cleanEach(items: Iterable<unknown>): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield clean(item);
    },
  };
}
