/** Recognises forgotten texts, which must not come back: known by keyed hashes alone, recognised in new texts in linear time. */

import { outputIn } from './command-output.ts';
import { asRead } from './spellings.ts';
import { type Finder, inReadings, replaceText, type Stretch } from './stretches.ts';

/** Fewest bytes of a text that can be forgotten in every place: a shorter text is everywhere. */
export const SHORTEST_TEXT = 6;
/** Fewest characters of a string that is known again as a whole. */
export const SHORTEST_WHOLE = 16;
/** Fewest characters of something that was said, in more than one word, that goes from wherever it is repeated. */
export const SHORTEST_SAID = 24;

/** A text as it is read, or, in lists of before, in one of the ways to write it. */
export interface ForgottenText {
  /** Length, in bytes of UTF-8. */
  readonly length: number;
  /** Rolling hash of its first ANCHOR bytes, or of all if it has fewer, and of the whole. */
  readonly anchor: number;
  readonly roll: number;
  readonly hash: string;
  /** The digits in its marker. */
  readonly label: string;
}

/** A string that is forgotten if it is a whole text. */
export interface ForgottenWhole {
  /** Length without the blanks around it, in UTF-16 code units. */
  readonly length: number;
  readonly hash: string;
  readonly label: string;
}

/** A conversation of an agent that is not taken in again. */
export interface ForgottenSource {
  readonly hash: string;
  readonly session_id: string;
  /** Unix seconds. */
  readonly at: number;
}

/** The content of forgotten.json. */
export interface ForgottenList {
  readonly version: 1;
  /** Keyed hash of a constant: with another key nothing would be known again. Empty before there is a list. */
  readonly check: string;
  readonly texts: readonly ForgottenText[];
  readonly wholes: readonly ForgottenWhole[];
  readonly sources: readonly ForgottenSource[];
  /** Hashes of the SHA-256 of contents. */
  readonly contents: readonly string[];
}

export const NOTHING_FORGOTTEN: ForgottenList = {
  version: 1,
  check: '',
  texts: [],
  wholes: [],
  sources: [],
  contents: [],
};

/** A hash with a key that never leaves the machine, hexadecimal. */
export type KeyedHash = (text: string) => string;

/** Returns the marker that replaces something. @param label some hexadecimal digits of a keyed hash */
export const forgottenMarker = (label: string): string => `[forgotten:${label}]`;

/** The digits in the marker of a text: equal texts have equal ones. */
export const labelOf = (text: string, hash: KeyedHash): string => hash(`label\0${text}`).slice(0, 8);

export const sourceHash = (agent: string, session: string, hash: KeyedHash): string =>
  hash(`source\0${agent}\0${session}`);
/**
 * Returns the hash of a conversation that no id distinguishes from others, by what replaces the first line of its file.
 * @param session what a store calls it; null for whatever it is called
 */
export const beginningHash = (agent: string, firstLine: string, session: string | null, hash: KeyedHash): string =>
  hash(`beginning\0${agent}\0${firstLine}\0${session ?? ''}`);
export const contentHash = (sha256: string, hash: KeyedHash): string => hash(`content\0${sha256}`);

/** Returns what shows whether a list was made with a key. */
export const checkHash = (hash: KeyedHash): string => hash('check');

/** Number of bytes of a longer text that are looked for first. */
const ANCHOR = 16;

/** The secret multiplier of the rolling hash; odd, so that no byte is lost. */
const multiplierOf = (hash: KeyedHash): number => Number.parseInt(hash('roll').slice(0, 8), 16) | 1;

function rollOf(bytes: Buffer, length: number, multiplier: number): number {
  let roll = 0;
  for (let at = 0; at < length; at += 1) roll = (Math.imul(roll, multiplier) + (bytes[at] as number) + 1) | 0;
  return roll;
}

/** Calls `visit` with every place at which a window of a length has one of the rolling hashes. */
function slide(
  bytes: Buffer,
  length: number,
  multiplier: number,
  rolls: ReadonlySet<number>,
  visit: (at: number, roll: number) => void,
): void {
  if (bytes.length < length) return;
  let top = 1;
  for (let count = 1; count < length; count += 1) top = Math.imul(top, multiplier);
  let roll = rollOf(bytes, length, multiplier);
  for (let at = 0; ; at += 1) {
    if (rolls.has(roll)) visit(at, roll);
    if (at + length >= bytes.length) return;
    const without = roll - Math.imul((bytes[at] as number) + 1, top);
    roll = (Math.imul(without, multiplier) + (bytes[at + length] as number) + 1) | 0;
  }
}

/** Returns the fingerprint of a text that must not come back: nothing that reveals the text without the key. */
export function forgetText(text: string, hash: KeyedHash): ForgottenText {
  const multiplier = multiplierOf(hash);
  const bytes = asRead(text);
  return {
    length: bytes.length,
    anchor: rollOf(bytes, Math.min(ANCHOR, bytes.length), multiplier),
    roll: rollOf(bytes, bytes.length, multiplier),
    hash: textHash(bytes, hash),
    label: labelOf(text, hash),
  };
}

const textHash = (bytes: Buffer, hash: KeyedHash): string => hash(`text\0${bytes.toString('latin1')}`);

/** Returns the fingerprint of a string that must not come back as a whole. */
export function forgetWhole(text: string, hash: KeyedHash): ForgottenWhole {
  const plain = text.trim();
  return { length: plain.length, hash: hash(`whole\0${plain}`), label: labelOf(plain, hash) };
}

/** Finds forgotten texts in new ones; null if there are none. One pass for each way to read them, and one more for each length that may be there. */
export function forgottenFinder(list: ForgottenList, hash: KeyedHash): Finder | null {
  if (list.texts.length === 0) return null;
  const multiplier = multiplierOf(hash);
  const byLength = groupByLength(list.texts);
  const anchors = new Map<number, Set<number>>();
  for (const { length, anchor } of list.texts)
    if (length >= ANCHOR) anchors.set(anchor, (anchors.get(anchor) ?? new Set()).add(length));
  const anchorRolls = new Set(anchors.keys());
  const short = [...byLength.keys()].filter((length) => length < ANCHOR);
  return inReadings(Math.max(...byLength.keys()), (bytes) => {
    const lengths = new Set(short);
    if (anchorRolls.size > 0)
      slide(bytes, ANCHOR, multiplier, anchorRolls, (_at, roll) => {
        for (const length of anchors.get(roll) ?? []) lengths.add(length);
      });
    const found: Stretch[] = [];
    for (const length of lengths) {
      const texts = byLength.get(length) ?? [];
      slide(bytes, length, multiplier, new Set(texts.map((text) => text.roll)), (at) => {
        const seen = textHash(bytes.subarray(at, at + length), hash);
        const text = texts.find((candidate) => candidate.hash === seen);
        if (text) found.push({ start: at, end: at + length, marker: forgottenMarker(text.label) });
      });
    }
    return found;
  });
}

function groupByLength(texts: readonly ForgottenText[]): Map<number, ForgottenText[]> {
  const groups = new Map<number, ForgottenText[]>();
  for (const text of texts) {
    const group = groups.get(text.length);
    if (group) group.push(text);
    else groups.set(text.length, [text]);
  }
  return groups;
}

/** Removes from a text what is forgotten as a whole text, or as the output of a command; the same text if it does not. */
export function withoutWhole(text: string, markerOf: (plain: string) => string | undefined): string {
  const all = markerOf(text.trim());
  if (all !== undefined) return all;
  const output = outputIn(text);
  const marker = output && markerOf(output.plain);
  return marker ? text.slice(0, output.start) + marker + text.slice(output.end) : text;
}

/** Gives a text with a marker in the place of what was forgotten; the same text if there is nothing of it. */
export type ReplaceForgotten = (text: string) => string;

/** Number of times that a text is searched again after something in it has changed. */
const MOST_ROUNDS = 4;

/** Makes the function that a new text goes through. */
export function replaceForgotten(list: ForgottenList, hash: KeyedHash): ReplaceForgotten {
  const finder = forgottenFinder(list, hash);
  const wholes = new Map(list.wholes.map((whole) => [whole.hash, whole.label]));
  const lengths = new Set(list.wholes.map((whole) => whole.length));
  const markerOf = (plain: string): string | undefined => {
    const label = lengths.has(plain.length) ? wholes.get(hash(`whole\0${plain}`)) : undefined;
    return label === undefined ? undefined : forgottenMarker(label);
  };
  const once = (text: string): string => {
    const now = lengths.size > 0 ? withoutWhole(text, markerOf) : text;
    return now === text && finder ? replaceText(text, finder) : now;
  };
  return (text) => {
    let now = once(text);
    // A text that was forgotten later may have held the marker of one that was forgotten before.
    for (let before = text, left = MOST_ROUNDS; now !== before && left > 0; left -= 1) [before, now] = [now, once(now)];
    return now;
  };
}
