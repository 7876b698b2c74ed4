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

/** Phrases as they are written: a sign, its phrase, the next sign, its phrase. */
type Written = string[];

/** The phrases of tables by the character that their first word begins with, or any choice for it. */
function byFirstCharacter(tables: readonly PhraseTable<string>[]): ReadonlyMap<string, Written> {
  const written = new Map<string, Written>();
  const write = (character: string, sign: string, phrase: string): void => {
    const others = written.get(character);
    if (!others) written.set(character, [sign, phrase]);
    // Several choices may begin with it.
    else if (others[others.length - 1] !== phrase || others[others.length - 2] !== sign) others.push(sign, phrase);
  };
  for (const table of tables) {
    for (const [sign, phrases] of Object.entries(table)) {
      for (const phrase of (phrases as string).split(' | ')) {
        write(phrase.charAt(0), sign, phrase);
        let slash = phrase.indexOf('/');
        if (slash < 0) continue;
        const end = firstOf(phrase).length;
        for (; slash >= 0 && slash < end; slash = phrase.indexOf('/', slash + 1))
          write(phrase.charAt(slash + 1), sign, phrase);
      }
    }
  }
  return written;
}

/**
 * Makes the book of one or more tables; where a phrase stands twice, the earlier one counts. Phrases are only put in order by
 * a character, at the first look, and taken apart when a message has their first word: most never are.
 */
export function phraseBook<Sign extends string>(...tables: readonly PhraseTable<Sign>[]): PhraseBook<Sign> {
  let made: ReadonlyMap<string, Written> | undefined;
  const read = new Map<string, readonly Phrase<Sign>[]>();
  const take = (word: string): readonly Phrase<Sign>[] => {
    made ??= byFirstCharacter(tables);
    const written = made.get(word.charAt(0)) ?? [];
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
      if (known.length > 0) read.set(word, known);
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
