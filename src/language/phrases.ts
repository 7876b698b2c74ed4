/** Phrases in tables: how they are written, and the longest one that begins at a word. */
import { tokensOf } from './characters.ts';

/** A table of phrases by what they mean; ` | ` parts phrases, `/` the choices for one word: `open/create a pr | ship it`. */
export type PhraseTable<Sign extends string> = Readonly<Partial<Record<Sign, string>>>;

interface Phrase<Sign> {
  readonly sign: Sign;
  /** The choices for each word behind the first one. */
  readonly rest: readonly (readonly string[])[];
}

/** Phrases by the word that they begin with, the longest first. */
export interface PhraseBook<Sign extends string> {
  readonly at: (word: string) => readonly Phrase<Sign>[];
}

const isIdeograph = (code: number): boolean => code >= 0x3040 && code < 0xac00;
const partsOf = (phrase: string): string[] =>
  isIdeograph(phrase.charCodeAt(0)) ? tokensOf(phrase) : phrase.split(' ');

/**
 * Finds the phrases of a text that a word may begin, as fast as the machine's own search is: a hook waits, and most words begin
 * none of the two thousand. A search stops at whatever its first character is at, and a bar is rarer than a blank.
 */
function found(text: string, word: string): Set<string> {
  const phrases = new Set<string>();
  const add = (from: number): void => {
    const end = text.indexOf(' | ', from);
    phrases.add(text.slice(from, end < 0 ? undefined : end));
  };
  if (text.startsWith(word)) add(0);
  for (let at = text.indexOf(`| ${word}`); at >= 0; at = text.indexOf(`| ${word}`, at + 1)) add(at + 2);
  for (let at = text.indexOf(`/${word}`); at >= 0; at = text.indexOf(`/${word}`, at + 1)) {
    const bar = text.lastIndexOf(' | ', at);
    // A word behind a blank is a later word.
    if (text.lastIndexOf(' ', at) <= bar + 2) add(bar < 0 ? 0 : bar + 3);
  }
  return phrases;
}

/** Makes the book of one or more tables; if a phrase is twice, the earlier one counts. */
export function phraseBook<Sign extends string>(...tables: readonly PhraseTable<Sign>[]): PhraseBook<Sign> {
  const read = new Map<string, readonly Phrase<Sign>[]>();
  const take = (word: string): readonly Phrase<Sign>[] => {
    const phrases: Phrase<Sign>[] = [];
    for (const table of tables) {
      for (const sign in table) {
        if (word === '' || !(table[sign] as string).includes(word)) continue;
        for (const phrase of found(table[sign] as string, word)) {
          const [first = '', ...rest] = partsOf(phrase);
          if (first.split('/').includes(word)) phrases.push({ sign, rest: rest.map((part) => part.split('/')) });
        }
      }
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

/** The longest phrase of a book that begins at a word, and how many words it takes; or null. */
export function matchAt<Sign extends string>(
  book: PhraseBook<Sign>,
  words: readonly string[],
  at: number,
): { readonly sign: Sign; readonly length: number } | null {
  const match = book
    .at(words[at] as string)
    .find(({ rest }) => rest.every((choices, index) => choices.includes(words[at + 1 + index] as string)));
  return match ? { sign: match.sign, length: match.rest.length + 1 } : null;
}
