/** Finds where keywords stand, many at once: one pass over pairs of bytes, and a closer look at few places. */

/** A keyword and whom it concerns. */
export interface Keyword<T> {
  readonly word: string;
  readonly anyCase: boolean;
  readonly target: T;
}

interface Entry<T> {
  readonly codes: readonly number[];
  readonly anyCase: boolean;
  /** Where in the word the pair stands that leads here. */
  readonly offset: number;
  readonly targets: T[];
}

/** Characters that are looked at in one go. */
const STRETCH = 65_536;
const scratch: { bytes?: Buffer } = {};

/** How common a character is in the texts that agents write: pairs of rare ones make the pass quick. */
function commonness(code: number): number {
  const letter = String.fromCharCode(code);
  if (/[a-z]/.test(letter))
    return 'etaoinsrlcdpumhgfbyvwkxjqz'.includes(letter) ? 30 - 'etaoinsrlcdpumhgfbyvwkxjqz'.indexOf(letter) : 1;
  if (/[0-9]/.test(letter)) return 8;
  if (/[A-Z]/.test(letter)) return 3;
  return { ' ': 30, '-': 10, '/': 12, _: 10, ':': 14, '.': 14, '=': 8 }[letter] ?? 3;
}

function rarestPair(word: string, anyCase: boolean): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index + 1 < word.length; index++) {
    const score = commonness(word.charCodeAt(index)) * commonness(word.charCodeAt(index + 1)) * (anyCase ? 1.2 : 1);
    if (score < least) [best, least] = [index, score];
  }
  return best;
}

const casesOf = (letter: string, anyCase: boolean): string[] =>
  anyCase && letter.toLowerCase() !== letter.toUpperCase() ? [letter.toLowerCase(), letter.toUpperCase()] : [letter];

const lowered = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

function standsAt(text: string, at: number, codes: readonly number[], anyCase: boolean): boolean {
  for (let index = 0; index < codes.length; index++) {
    const code = text.charCodeAt(at + index);
    if (code !== codes[index] && !(anyCase && lowered(code) === codes[index])) return false;
  }
  return true;
}

/** Calls back for every place of every keyword, in the order of the places where their rare pairs stand. */
export type Prefilter<T> = (text: string, from: number, visit: (target: T, at: number) => void) => void;

/** @param keywords of ASCII, at least two characters each; those in any case are given in lower case */
export function prefilterOf<T>(keywords: readonly Keyword<T>[]): Prefilter<T> {
  const words = new Map<string, Entry<T>>();
  for (const { word, anyCase, target } of keywords) {
    const key = `${anyCase}${word}`;
    const entry = words.get(key) ?? {
      codes: [...word].map((letter) => letter.charCodeAt(0)),
      anyCase,
      offset: rarestPair(word, anyCase),
      targets: [],
    };
    words.set(key, entry);
    if (!entry.targets.includes(target)) entry.targets.push(target);
  }
  const buckets: Entry<T>[][] = [[]];
  /** From a pair of seven-bit characters to its bucket; 0 leads nowhere. */
  const table = new Uint8Array(16_384);
  for (const entry of words.values()) {
    const { codes, anyCase, offset } = entry;
    const word = String.fromCharCode(...codes);
    for (const first of casesOf(word.charAt(offset), anyCase)) {
      for (const second of casesOf(word.charAt(offset + 1), anyCase)) {
        const pair = (first.charCodeAt(0) << 7) | second.charCodeAt(0);
        if (table[pair] === 0) table[pair] = buckets.push([]) - 1;
        buckets[table[pair] ?? 0]?.push(entry);
      }
    }
  }
  if (buckets.length > 256) throw new Error('Too many different keywords for one byte each.');

  const look = (text: string, place: number, bucket: number, visit: (target: T, at: number) => void): void => {
    for (const { codes, anyCase, offset, targets } of buckets[bucket] ?? []) {
      const at = place - offset;
      if (at >= 0 && standsAt(text, at, codes, anyCase)) for (const target of targets) visit(target, at);
    }
  };

  return (text, from, visit) => {
    scratch.bytes ??= Buffer.allocUnsafeSlow(STRETCH);
    const bytes = scratch.bytes;
    for (let begin = from; begin < text.length - 1; begin += STRETCH - 1) {
      // Characters beyond one byte lose their upper half here: what is found is looked at again in the text.
      const length = bytes.write(text.slice(begin, begin + STRETCH), 0, STRETCH, 'latin1');
      let previous = (bytes[0] ?? 0) & 0x7f;
      for (let index = 1; index < length; index++) {
        const code = (bytes[index] ?? 0) & 0x7f;
        const bucket = table[(previous << 7) | code] ?? 0;
        if (bucket !== 0) look(text, begin + index - 1, bucket, visit);
        previous = code;
      }
    }
  };
}
