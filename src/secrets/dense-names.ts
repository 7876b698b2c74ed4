/** Detects names that are closer together than in any text written by people: their values get a simple check only. */
import { lazily } from '../core/lazily.ts';
import type { Found } from './rule.ts';

/** This many names within this many characters are dense; settings and code have fewer than half of them. */
const NAMES = 128;
const WITHIN = 3072;
const NEARLY = 128;
/** Length from which a value costs as much as several names: each name within it reads most of it again. */
export const LONG_VALUE = 256;
const AS_MANY = 4;

/** A separator after a name and the value after it, in their simplest form. */
const PLAIN = lazily(
  () => /["'`\]]{0,2}[ \t]{0,4}(?:=>?|:=?)[ \t]{0,4}["'`]{0,3}(?:%3[dD])?([^\s"'`\\,;<>(){}[\]|&=%]{8,200})/y,
);
const PASSWORD = lazily(() => /pass|pwd|psk|kennwort|senha|wachtwoord|contrasena/i);
/** Letters and digits that alternate this often are no word or number. */
const LEAST_CHANGES = 3;

/** Records the places of the last names of a text. */
export class NameDensity {
  readonly #places = new Float64Array(NAMES);
  #next = 0;
  #last = -1;
  #text = '';

  /** Records a name, and returns whether names are dense here. @param isLong whether the characters after it continue without an end in sight */
  has(text: string, at: number, isLong = false): boolean {
    // Places come nearly in order; an earlier place means that other words are searched for.
    if (at < this.#last - NEARLY || text !== this.#text) {
      this.#places.fill(Number.NEGATIVE_INFINITY);
      this.#text = text;
    }
    const oldest = this.#places[this.#next] as number;
    for (let count = isLong ? AS_MANY : 1; count > 0; count--) {
      this.#places[this.#next] = at;
      this.#next = (this.#next + 1) % NAMES;
    }
    this.#last = at;
    return at - oldest < WITHIN;
  }
}

/** Finds the value of a name among dense names, if a simple check finds it random. */
export function simpleValueAfter(text: string, nameStart: number, nameEnd: number): Found | null {
  const pattern = PLAIN();
  pattern.lastIndex = nameEnd;
  const value = pattern.exec(text)?.[1];
  if (value === undefined || !looksRandom(value)) return null;
  const end = pattern.lastIndex;
  const rule = PASSWORD().test(text.slice(nameStart, nameEnd)) ? 'password' : 'secret';
  return { rule, certainty: 'guess', start: end - value.length, end };
}

function looksRandom(value: string): boolean {
  let changes = 0;
  let kinds = 0;
  let last = -1;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    const kind = code >= 48 && code <= 57 ? 1 : code >= 65 && code <= 90 ? 2 : code >= 97 && code <= 122 ? 4 : 8;
    if (kind !== last && last >= 0) changes++;
    kinds |= kind;
    last = kind;
  }
  return (kinds & 1) !== 0 && (kinds & 6) !== 0 && changes >= LEAST_CHANGES;
}
