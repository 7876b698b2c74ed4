/** Phrases in tables: how they are written, and the longest one that begins at a word. */
import { tokensOf } from './characters.ts';

/** A table of phrases by what they mean; `|` parts phrases, `/` the choices for one word: `open/create a pr | ship it`. */
export type PhraseTable<Sign extends string> = Readonly<Partial<Record<Sign, string>>>;

interface Phrase<Sign> {
  readonly sign: Sign;
  /** The choices for each word behind the first one. */
  readonly rest: readonly (readonly string[])[];
}

export interface Match<Sign> {
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

/** The phrases of tables by first word, each as it is written: a sign, its phrase, the next sign, its phrase. */
function byFirstWord(tables: readonly PhraseTable<string>[]): ReadonlyMap<string, string[]> {
  const written = new Map<string, string[]>();
  const write = (word: string, sign: string, phrase: string): void => {
    const others = written.get(word);
    if (others) others.push(sign, phrase);
    else written.set(word, [sign, phrase]);
  };
  for (const table of tables) {
    for (const [sign, phrases] of Object.entries(table)) {
      for (const phrase of (phrases as string).split(' | ')) {
        const first = firstOf(phrase);
        if (first.includes('/')) for (const word of first.split('/')) write(word, sign, phrase);
        else write(first, sign, phrase);
      }
    }
  }
  return written;
}

/**
 * Makes the book of one or more tables; where a phrase stands twice, the earlier one counts. Phrases are put in their
 * place when the first word is looked up, and taken apart when a message has their first word: most never are.
 */
export function phraseBook<Sign extends string>(...tables: readonly PhraseTable<Sign>[]): PhraseBook<Sign> {
  let made: ReadonlyMap<string, string[]> | undefined;
  const read = new Map<string, readonly Phrase<Sign>[]>();
  const entriesAt = (word: string): readonly string[] | undefined => {
    made ??= byFirstWord(tables);
    return made.get(word);
  };
  const take = (word: string): readonly Phrase<Sign>[] => {
    const entries = entriesAt(word) ?? [];
    const phrases: Phrase<Sign>[] = [];
    for (let index = 0; index < entries.length; index += 2) {
      const rest = partsOf(entries[index + 1] as string).slice(1);
      phrases.push({ sign: entries[index] as Sign, rest: rest.map((part) => part.split('/')) });
    }
    return phrases.sort((one, other) => other.rest.length - one.rest.length);
  };
  const NONE: readonly Phrase<Sign>[] = [];
  return {
    at: (word) => {
      if (!entriesAt(word)) return NONE;
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
