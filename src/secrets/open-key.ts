/** A private key of which one text holds the beginning and later texts the rest: lines of a torn file, outputs of several tools. */
import type { JsonObject, JsonValue } from '../core/json.ts';
import { placeOf } from '../core/session/places.ts';
import { keepsValue, type Place, placeAt } from '../core/structure.ts';
import { beginsData, isHash, isKeyLine, isLineAlone, marginOf } from './key-line.ts';
import { prefixBefore } from './line-prefix.ts';
import { mapList, mapObject } from './map-json.ts';
import { MARKER_START, markerEnd } from './marker.ts';
import { findPrivateKey, headingEnd, KEY_KEYWORDS, readKeyData, skipFields } from './private-key.ts';
import type { Stretch } from './rule.ts';

/** An open key is given up after so many values without data of it. */
export const MOST_VALUES = 512;
/** Before anything is known, only a text of at most this length is asked for lines of a key, in UTF-16 code units. */
const LONGEST_UNKNOWN = 16_384;
const LEAST_UNKNOWN = 8;
/** So much of the end of a text is looked at for a heading without data. */
const LONGEST_HEADING = 80;

/** A line of data by its width: PEM has 64 characters, OpenSSH 70, PGP up to 76; a line that an escape is before, too. */
const LINE = /(?:(?<=\\[nrt])|(?<![\w+/=.\\-]))[A-Za-z0-9+/]{48,80}={0,2}(?![\w+/=.-])/g;
/** Lines of a static key of OpenVPN. */
const HEX_LINE = /(?:(?<=\\[nrt])|(?<![\w+/=.\\-]))[0-9a-f]{32}(?![\w+/=.-])/g;
/** The rest of a line that was begun before. */
const REST = /^[A-Za-z0-9+/]{1,80}={0,2}(?:\s|\\{1,31}[nrt])+$/;
/** The last line of a key where it is all of a text, and the checksum of PGP. */
const LAST =
  /^\s{0,8}(?=[^=\n]*[0-9+/=])(?:(?:[A-Za-z0-9+/]{4}){1,20}|[A-Za-z0-9+/]{2,78}={1,2}|=[A-Za-z0-9+/]{4})\s{0,8}$/;
const END = /-----END |---- END SSH2|Private-MAC/;
const HEADING = /(?:PRIVATE KEY(?: BLOCK)?-----|PRIVATE KEY ----|Static key V1-----|Private-Lines: [0-9]{1,4})\s{0,8}$/;

/** Data that was taken out before. */
const REDACTED = '[redacted:private-key:';
const REDACTED_END = /\[redacted:private-key:[0-9a-f]{6,10}\]\s{0,8}$/;

/** Knowledge of the texts of a store as they come, one after the other. */
export class OpenKey {
  /** Values that may still come before an open key is given up; 0 if none is open, null before anything is known. */
  #left: number | null = null;
  #isHex = false;
  /** Widths of the lines of a key of which only the heading came; null once there was data of it. */
  #widths: readonly number[] | null = null;
  /** True if the last value ended in data, so that the next may continue in the midst of a line. */
  #adjoins = false;
  #owner: string | null = null;
  #before: () => Iterable<JsonValue> = () => [];

  /**
   * Continues with the texts of an owner; what is known of those of another is forgotten.
   * @param before gives what came before, redacted: it is asked for only if a line of a key comes; null if nothing came
   */
  resume(owner: string, before: (() => Iterable<JsonValue>) | null): void {
    this.#before = before ?? (() => []);
    if (owner === this.#owner) return;
    this.#owner = owner;
    this.#left = before === null ? 0 : null;
    this.#adjoins = false;
  }

  /**
   * Takes the data of an open key out of the texts of a value, and takes note of what each of them leaves open.
   * @param mark gives what is in the place of data
   */
  without<T extends JsonValue>(value: T, place: Place, mark: (data: string) => string): T {
    if (this.#left === null && hasLine(value, place)) this.#hearBefore();
    // Nearly no value begins a key while none is open.
    if (!this.#isOpen && !hasText(value, mayHaveHeading)) return value;
    let hadData = false;
    const change = (text: string): string => {
      const data = this.#isOpen ? this.dataIn(text) : [];
      if (data.length > 0) this.#widths = null;
      hadData ||= data.length > 0;
      this.#adjoins ||= hadData;
      this.#hear(text);
      return data.length === 0 ? text : replaced(text, data, mark);
    };
    const wasOpen = this.#isOpen;
    const clean = inTexts(value, place, change) as T;
    if (wasOpen && this.#isOpen) this.#left = hadData ? MOST_VALUES : (this.#left ?? 0) - 1;
    if (wasOpen && !hadData) this.#adjoins = false;
    return clean;
  }

  get #isOpen(): boolean {
    return this.#left !== null && this.#left > 0;
  }

  #hearBefore(): void {
    this.#left = 0;
    for (const value of this.#before()) {
      eachText(value, placeOf(value), (text) => {
        // Its heading may lie further back than what is asked for.
        const endsInData = REDACTED_END.test(text.slice(-LONGEST_HEADING));
        if (endsInData) this.#left = MOST_VALUES;
        if (endsInData || text.includes(REDACTED)) this.#widths = null;
        this.#hear(text);
      });
    }
  }

  /** Takes note of a text. */
  #hear(text: string): void {
    if (this.#isOpen && REDACTED_END.test(text.slice(-LONGEST_HEADING))) this.#adjoins = true;
    const left = leftOpenBy(text);
    if (left !== null && left !== 'closed') {
      this.#left = MOST_VALUES;
      this.#adjoins = left.widths === null;
      this.#isHex = left.isHex;
      this.#widths = left.widths;
    } else if (left === 'closed' || (this.#isOpen && END.test(text))) this.#left = 0;
  }

  /** The data of the open key in a text, in order. */
  dataIn(text: string): Stretch[] {
    const other = text.indexOf('-----BEGIN ');
    const stop = other < 0 ? text.length : other;
    const found: Stretch[] = [];
    const pattern = this.#isHex ? HEX_LINE : LINE;
    // A heading alone may be the words of a sentence: only what is sure to be data continues with it.
    const from = this.#widths === null ? 0 : beginsData(text, stop, this.#widths, this.#isHex);
    if (from < 0) return [];
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match && match.index < stop; match = pattern.exec(text)) {
      const { 0: line, index } = match;
      if (!this.#isHex && (isHash(text, index, line) || !isKeyLine(line))) continue;
      const read = readKeyData(text, index, true, prefixBefore(text, index), stop)?.end ?? 0;
      const end = Math.max(read, index + line.length);
      found.push({ start: found.length === 0 && this.#adjoins && isRest(text, index) ? 0 : index, end });
      pattern.lastIndex = end;
    }
    const past = found.at(-1)?.end ?? 0;
    if (past === 0 && this.#adjoins) {
      const start = marginOf(text);
      const line = text.slice(start);
      if (LAST.test(line) && (this.#isHex || !isHash(line, 0, line.trim()))) return [{ start, end: text.length }];
    }
    return [...found, ...lastLinesIn(text, past, stop)];
  }
}

/** The short lines right before the end of a key, from a place on. */
function lastLinesIn(text: string, from: number, stop: number): Stretch[] {
  const end = text.slice(from, stop).search(END);
  if (end < 0) return [];
  const found: Stretch[] = [];
  for (let at = from + end, line = LINE_BEFORE.exec(text.slice(Math.max(from, at - 160), at)); line; ) {
    const [whole, data = ''] = line;
    const start = at - whole.length;
    found.unshift({ start, end: start + data.length });
    at = start;
    line = found.length < MOST_LAST_LINES ? LINE_BEFORE.exec(text.slice(Math.max(from, at - 160), at)) : null;
  }
  return found;
}
const MOST_LAST_LINES = 3;
/** A line, its end, and what may be in front of the next one: the number of a line, the name of a file. */
const LINE_BEFORE =
  /(?<![\w+/=.-])((?=[^=]*[0-9+/=])[A-Za-z0-9+/]{2,80}={0,2}|=[A-Za-z0-9+/]{4})(?:\s|\\{1,31}[nrt])+(?:[\w./-]{0,60}[0-9]{1,6}[→\t:|-] ?)?$/;

/** A key that a text leaves open; with the widths that its lines may have, if the text has no data of it. */
interface LeftOpen {
  readonly isHex: boolean;
  readonly widths: readonly number[] | null;
}

/** Widths of the lines of a key as programs write them, by what its heading holds. */
const WIDTHS: readonly [word: string, widths: readonly number[]][] = [
  ['OpenVPN', [32]],
  ['OPENSSH', [70]],
  ['PGP', [64, 72, 76]],
  ['SSH2', [64, 70, 72]],
  ['', [64, 76]],
];

/** The key that a text leaves open; `closed` if the text closes the one that it begins, null if it has no heading. */
function leftOpenBy(text: string): LeftOpen | 'closed' | null {
  if (!mayHaveHeading(text)) return null;
  const at = Math.max(...KEY_KEYWORDS.map((word) => text.lastIndexOf(word)));
  const end = at < 0 ? -1 : headingEnd(text, at);
  if (end < 0) return null;
  const behind = text.startsWith(MARKER_START, skipFields(text, end)) ? markerEnd(text, skipFields(text, end)) : -1;
  const data = findPrivateKey(text, at)?.end ?? behind;
  const rest = data < 0 ? skipFields(text, end) : data;
  if (END.test(text.slice(rest))) return 'closed';
  if (data < 0 && rest < text.length) return null;
  const heading = text.slice(at, end);
  const widths = data < 0 ? (WIDTHS.find(([word]) => heading.includes(word))?.[1] ?? null) : null;
  return { isHex: heading.includes('OpenVPN'), widths };
}

/** Nearly no text has a heading: of a long one, only what ends with one or holds the word is looked at. */
const mayHaveHeading = (text: string): boolean =>
  text.length <= 4096 || HEADING.test(text.slice(-LONGEST_HEADING))
    ? text.includes('PRIVATE KEY') || text.includes('Private-Lines: ') || text.includes('Static key V1')
    : text.includes('PRIVATE KEY');

/** Returns whether nothing but the rest of a line and the end of it is before an index. */
const isRest = (text: string, index: number): boolean => index <= LONGEST_REST && REST.test(text.slice(0, index));
const LONGEST_REST = 100;

function replaced(text: string, stretches: readonly Stretch[], mark: (data: string) => string): string {
  const parts: string[] = [];
  let past = 0;
  for (const { start, end } of stretches) {
    parts.push(text.slice(past, start), mark(text.slice(start, end)));
    past = end;
  }
  parts.push(text.slice(past));
  return parts.join('');
}

/** A value with other texts; what is structure stays. */
function inTexts(value: JsonValue, place: Place, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return mapList(value, (item) => inTexts(item, place, change));
  if (typeof value !== 'object' || value === null) return value;
  return mapObject(value as JsonObject, (item, key) =>
    keepsValue(place, key, item) ? item : inTexts(item, placeAt(place, key), change),
  );
}

/** Returns whether a value has a text of a kind, structure included. */
function hasText(value: JsonValue | undefined, isOne: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isOne(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasText(item, isOne));
  for (const key of Object.keys(value)) if (hasText((value as JsonObject)[key], isOne)) return true;
  return false;
}

function eachText(value: JsonValue, place: Place, visit: (text: string) => void): void {
  inTexts(value, place, (text) => {
    visit(text);
    return text;
  });
}

/**
 * Returns whether a value has a text that may be data of a key, which a hash is not: only then is it worth to read what came
 * before.
 */
function hasLine(value: JsonValue, place: Place): boolean {
  let has = false;
  eachText(value, place, (text) => {
    has ||= text.length <= LONGEST_UNKNOWN && text.length >= LEAST_UNKNOWN && mayBeData(text);
  });
  return has;
}

const mayBeData = (text: string): boolean =>
  (LAST.test(text) && !isHash(text, 0, text.trim())) ||
  Array.from(text.matchAll(LINE)).some(({ 0: line, index }) => !isHash(text, index, line) && isKeyLine(line)) ||
  Array.from(text.matchAll(HEX_LINE)).some(({ 0: line, index }) => isLineAlone(text, index, index + line.length));
