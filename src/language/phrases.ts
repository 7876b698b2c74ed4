/** Phrases in tables: how they are written, and the longest one that begins at a word. */
import { tokensOf } from './characters.ts';

/** The separator of phrases. */
const PARTS = ' | ';

/** A table of phrases by what they mean; `|` parts phrases, `/` the choices for one word: `open/create a pr | ship it`. */
export type PhraseTable<Sign extends string> = Readonly<Partial<Record<Sign, string>>>;

interface Phrase<Sign> {
  readonly sign: Sign;
  /** The choices for each word behind the first one. */
  readonly rest: readonly (readonly string[])[];
}

interface Match<Sign> {
  readonly sign: Sign;
  /** Words that the phrase takes. */
  readonly length: number;
}

/** Phrases by the word that they begin with. */
export interface PhraseBook<Sign extends string> {
  /** Those that begin with a word, the longest first. */
  readonly at: (word: string) => readonly Phrase<Sign>[];
}

/** The first code that is no letter of an alphabet. Where words are not parted by blanks, each character is a word. */
const FIRST_IDEOGRAPH = 0x3040;
const FIRST_HANGUL = 0xac00;

function partsOf(phrase: string): string[] {
  const code = phrase.charCodeAt(0);
  return code >= FIRST_IDEOGRAPH && code < FIRST_HANGUL ? tokensOf(phrase) : phrase.split(' ');
}

/** The first word of a phrase, with its choices. */
function firstOf(phrase: string): string {
  const code = phrase.charCodeAt(0);
  if (code >= FIRST_IDEOGRAPH && code < FIRST_HANGUL) return phrase.charAt(0);
  const end = phrase.indexOf(' ');
  return end < 0 ? phrase : phrase.slice(0, end);
}

/** Phrases as they are written: a sign, its phrase, the next sign, its phrase. */
type Written = string[];

const [BLANK, SLASH] = [0x20, 0x2f];

/** The first two characters of the word that is at an index, as a number; a word of one has no second. */
function beginningAt(text: string, at: number): number {
  const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  const isOne = at + 1 >= text.length || second === BLANK || second === SLASH;
  return first * 0x10000 + (isOne || (first >= FIRST_IDEOGRAPH && first < FIRST_HANGUL) ? 0 : second);
}

/**
 * The phrases of tables by what their first word begins with, or any choice for it. There are some two thousand, and a hook
 * waits: as little as can be is done for each.
 */
function byBeginning(tables: readonly PhraseTable<string>[]): ReadonlyMap<number, Written> {
  const written = new Map<number, Written>();
  for (const table of tables) {
    for (const [sign, text] of Object.entries(table)) {
      const phrases = (text as string).split(PARTS);
      for (let index = 0; index < phrases.length; index += 1) {
        const phrase = phrases[index] as string;
        const beginning = beginningAt(phrase, 0);
        const others = written.get(beginning);
        if (others) others.push(sign, phrase);
        else written.set(beginning, [sign, phrase]);
        const slash = phrase.indexOf('/');
        if (slash >= 0) writeChoices(written, sign, phrase, slash);
      }
    }
  }
  return written;
}

/** The same for the choices of a first word, but the first one. */
function writeChoices(written: Map<number, Written>, sign: string, phrase: string, firstSlash: number): void {
  const end = firstOf(phrase).length;
  for (let slash = firstSlash; slash >= 0 && slash < end; slash = phrase.indexOf('/', slash + 1)) {
    const beginning = beginningAt(phrase, slash + 1);
    const others = written.get(beginning);
    if (!others) written.set(beginning, [sign, phrase]);
    // Several choices may begin with it.
    else if (others[others.length - 1] !== phrase || others[others.length - 2] !== sign) others.push(sign, phrase);
  }
}

/** Returns whether a word ends where the one that was found at an index does. */
function endsAt(text: string, end: number): boolean {
  const [last, next] = [text.charCodeAt(end - 1), text.charCodeAt(end)];
  return end >= text.length || next === BLANK || next === SLASH || (last >= FIRST_IDEOGRAPH && last < FIRST_HANGUL);
}

/** The phrases of tables that a word begins, as fast as the machine's own search is. */
function searched(tables: readonly PhraseTable<string>[], word: string): Written {
  const written: Written = [];
  // A search stops at whatever its first character is at: a bar is rarer than the blank before it.
  const [first, choice] = [`| ${word}`, `/${word}`];
  for (const table of tables) {
    // No list of entries, and no text put together from several: each word would have them made, and most are nowhere.
    for (const sign in table) {
      const text = table[sign] as string;
      if (!text.includes(word)) continue;
      for (const start of startsOf(text, word, first, choice)) {
        const end = text.indexOf(PARTS, start);
        written.push(sign, text.slice(start, end < 0 ? undefined : end));
      }
    }
  }
  return written;
}

/** If the phrases of a text begin that a word begins, in order. @param first,choice how it is as their first word, and as a choice for it */
function startsOf(text: string, word: string, first: string, choice: string): number[] {
  const found = text.startsWith(word) && endsAt(text, word.length) ? [0] : [];
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1))
    if (endsAt(text, at + first.length)) found.push(at + first.length - word.length);
  for (let at = text.indexOf(choice); at >= 0; at = text.indexOf(choice, at + 1)) {
    if (!endsAt(text, at + choice.length)) continue;
    const before = text.lastIndexOf(PARTS, at);
    const start = before < 0 ? 0 : before + PARTS.length;
    // What is behind a blank is a choice for a later word.
    if (text.lastIndexOf(' ', at) < start && !found.includes(start)) found.push(start);
  }
  return found.sort((one, other) => one - other);
}

/** So many words that begin a phrase are searched for; if there are more, it pays to put all phrases in order. */
export const FEW_WORDS = 80;

/**
 * Makes the book of one or more tables; if a phrase is twice, the earlier one counts. Phrases are only taken apart when
 * a message has their first word: most never are.
 */
export function phraseBook<Sign extends string>(...tables: readonly PhraseTable<Sign>[]): PhraseBook<Sign> {
  let made: ReadonlyMap<number, Written> | undefined;
  let looked = 0;
  const read = new Map<string, readonly Phrase<Sign>[]>();
  const writtenOf = (word: string): Written => {
    if (word === '') return [];
    if (looked >= FEW_WORDS) {
      made ??= byBeginning(tables);
      return made.get(beginningAt(word, 0)) ?? [];
    }
    const written = searched(tables, word);
    // Most words of a long message are nowhere.
    if (written.length > 0) looked += 1;
    return written;
  };
  const take = (word: string): readonly Phrase<Sign>[] => {
    const written = writtenOf(word);
    const phrases: Phrase<Sign>[] = [];
    for (let index = 0; index < written.length; index += 2) {
      const phrase = written[index + 1] as string;
      const first = firstOf(phrase);
      if (first !== word && !(first.includes('/') && first.split('/').includes(word))) continue;
      const rest = partsOf(phrase).slice(1);
      phrases.push({ sign: written[index] as Sign, rest: rest.map((part) => part.split('/')) });
    }
    return phrases.sort((one, other) => other.rest.length - one.rest.length);
  };
  return {
    at: (word) => {
      const known = read.get(word) ?? take(word);
      read.set(word, known);
      return known;
    },
  };
}

/** The longest phrase of a book that begins at a word, or null. */
export function matchAt<Sign extends string>(
  book: PhraseBook<Sign>,
  words: readonly string[],
  at: number,
): Match<Sign> | null {
  for (const { sign, rest } of book.at(words[at] as string)) {
    let index = 0;
    while (index < rest.length && (rest[index] as readonly string[]).includes(words[at + 1 + index] as string))
      index += 1;
    if (index === rest.length) return { sign, length: rest.length + 1 };
  }
  return null;
}
