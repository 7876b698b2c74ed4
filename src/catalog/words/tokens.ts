/** Splits text into terms: words by their stems, identifiers in their pieces and whole, Chinese, Japanese and Korean by pairs of characters. */
import { stemmer } from 'stemmer';

/** Longest term, in UTF-16 code units: longer runs are data, such as Base64. */
const LONGEST = 64;
/** Most analysed words that are kept at hand. */
const AT_HAND = 150_000;

/** One term of a word, and how many places behind the first term of the word it is. */
export interface PlacedTerm {
  term: string;
  offset: number;
}

/** A word with its terms. */
export interface Analysed {
  terms: readonly PlacedTerm[];
  /** Number of places that the word takes. */
  width: number;
}

/** Receives each word of a text: its terms, and its place in the text. */
export type TakeWord = (word: Analysed, begin: number, end: number) => void;

/** Class of a character within a word, for the first 128 characters: 0 nothing, 1 part of a word, 2 part of a word only between two parts. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9A-Za-z]/.test(character)) return 1;
  return /[_\-./:\\']/.test(character) ? 2 : 0;
});

const LETTER = /[\p{L}\p{N}\p{M}]/u;
const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;

/** Class of each UTF-16 code unit within a word; 9 if it was not looked at yet. */
const classes = new Uint8Array(65_536).fill(9);
classes.set(ASCII);

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const known = classes[code] as number;
  if (known !== 9) return known;
  if (code >= 0xd800 && code < 0xe000) {
    const whole = text.codePointAt(code < 0xdc00 ? at : at - 1) ?? 0;
    return whole > 0xffff && LETTER.test(String.fromCodePoint(whole)) ? 1 : 0;
  }
  const found = LETTER.test(String.fromCharCode(code)) ? 1 : code === 0x2019 ? 2 : 0;
  classes[code] = found;
  return found;
}

/** Passes on where each word of a text begins and ends, in order. A word is what a person would select as one: `src/app/log.ts`, `fooBar`, `don't`. */
export function eachSpan(
  text: string,
  take: (begin: number, end: number) => void,
  from = 0,
  length = text.length,
): void {
  for (let at = from; at < length; ) {
    if (classAt(text, at) !== 1) {
      at += 1;
      continue;
    }
    const begin = at;
    let end = at + 1;
    for (at = end; at < length; at += 1) {
      const kind = classAt(text, at);
      if (kind === 1) end = at + 1;
      else if (kind === 0 || at > end) break;
    }
    at = end;
    take(begin, end);
  }
}

/** Passes each word of a text on, in order. */
export function eachWord(text: string, take: TakeWord): void {
  eachSpan(text, (begin, end) => take(analysed(text.slice(begin, end)), begin, end));
}

/** Returns a pattern of which every word with one of some terms has a piece: most words of a text then need not be analysed. */
export function beginningsOf(terms: Iterable<string>): RegExp {
  // A stem may differ from its word in the last letters, and a word that is not plain from its terms in any.
  const pieces = new Set([...terms].map((term) => term.slice(0, Math.max(2, term.length - 3))));
  return new RegExp(
    [...pieces]
      .map((piece) => piece.replace(/[^\w]/g, '\\$&'))
      .concat('[^\0-\x7f]')
      .join('|'),
    'gi',
  );
}

/** Passes on the words of a text that have a piece as the pattern says, in order. */
export function eachWordLike(text: string, pattern: RegExp, take: TakeWord): void {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    // A character between words is beyond ASCII too.
    if (classAt(text, found.index) === 0) continue;
    let [begin, end] = [found.index, found.index + 1];
    while (begin > 0 && classAt(text, begin - 1) !== 0) begin -= 1;
    while (end < text.length && classAt(text, end) !== 0) end += 1;
    eachSpan(text, (from, to) => take(analysed(text.slice(from, to)), from, to), begin, end);
    pattern.lastIndex = end;
  }
}

let analyses = new Map<string, Analysed>();
let stems = new Map<string, string>();

/** Drops the words at hand, whose memory others need. */
export function forgetWords(): void {
  analyses = new Map();
  stems = new Map();
}

/** Returns the terms of one word. */
export function analysed(word: string): Analysed {
  const known = analyses.get(word);
  if (known) return known;
  const found = analyse(word);
  if (analyses.size >= AT_HAND) analyses = new Map();
  // As a piece of its text it would keep all of that alive.
  analyses.set(Buffer.from(word).toString(), found);
  return found;
}

/** Returns the term of a word that is no identifier: its stem, if it is English. */
function termOf(word: string): string {
  let term = stems.get(word);
  if (term !== undefined) return term;
  term = folded(word);
  if (/^[a-z]{3,}$/.test(term)) term = stemmer(term);
  if (stems.size >= AT_HAND) stems = new Map();
  stems.set(Buffer.from(word).toString(), term);
  return term;
}

/** Returns a word in lower case, without the marks of Latin, Greek and Cyrillic letters. */
function folded(word: string): string {
  const lower = word.toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is beyond ASCII is meant
  if (/^[\x00-\x7f]*$/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
    .normalize('NFC');
}

/** Between the components of a path, and between the words of a component. */
const PATH_MARK = /[/\\:]+/;
const WORD_MARK = /[_\-.'\u2019]+/;
/** Between the words of a name in camel case. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

function analyse(word: string): Analysed {
  const terms: PlacedTerm[] = [];
  let place = 0;
  for (const component of word.split(PATH_MARK)) {
    if (component === '') continue;
    const pieces = component.split(WORD_MARK).flatMap((piece) => (piece === '' ? [] : piece.split(CAMEL)));
    const first = place;
    for (const piece of pieces) place += takePiece(piece, place, terms);
    if (pieces.length > 1 && component.length <= LONGEST) terms.push({ term: folded(component), offset: first });
  }
  return { terms, width: Math.max(1, place) };
}

/** Adds the terms of a piece; returns how many places they take. */
function takePiece(piece: string, place: number, terms: PlacedTerm[]): number {
  if (PAIRED.test(piece)) return takePairs(piece, place, terms);
  if (piece.length <= LONGEST) terms.push({ term: termOf(piece), offset: place });
  return 1;
}

/** Adds each pair of neighbouring characters, and the last character: a search for one character finds what begins with it. */
function takePairs(piece: string, place: number, terms: PlacedTerm[]): number {
  let at = place;
  for (const run of runsOf(piece.normalize('NFKC'))) {
    if (!PAIRED.test(run)) {
      if (run.length <= LONGEST) terms.push({ term: termOf(run), offset: at });
      at += 1;
      continue;
    }
    const characters = [...run];
    for (const [index, character] of characters.entries())
      terms.push({ term: character + (characters[index + 1] ?? ''), offset: at + index });
    at += characters.length;
  }
  return at - place;
}

/** Splits a text into runs of characters that are paired, and of those that are not. */
function runsOf(piece: string): string[] {
  const runs: string[] = [];
  let before: boolean | null = null;
  for (const character of piece) {
    const isPaired = PAIRED.test(character);
    if (isPaired === before) runs.push((runs.pop() as string) + character);
    else runs.push(character);
    before = isPaired;
  }
  return runs;
}

/** Passes on each piece of a word that is a term, and its place in the word. */
export function eachPiece(word: string, take: (term: string, begin: number, end: number) => void): void {
  for (const { 0: run, index } of word.matchAll(RUN)) {
    let at = index;
    for (const piece of run.split(CAMEL)) {
      const begin = at;
      at += piece.length;
      if (!PAIRED.test(piece)) take(termOf(piece), begin, at);
      else
        for (let pair = begin; pair < at; pair += 1)
          take(word.slice(pair, Math.min(pair + 2, at)), pair, Math.min(pair + 2, at));
    }
  }
}
const RUN = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns whether a term is one character of Chinese, Japanese or Korean: in a search it is the beginning of pairs. */
export const isLoneCharacter = (term: string): boolean => [...term].length === 1 && PAIRED.test(term);
