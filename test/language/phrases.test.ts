// Phrases are found in the same order whether a word is searched for, as in most processes, or all are put in order first.
import { expect, test } from 'vitest';
import { ENGLISH, OTHER_LANGUAGES } from '../../src/language/lexicon.ts';
import { FEW_WORDS, type PhraseTable, phraseBook } from '../../src/language/phrases.ts';
import { fc } from '../support/property.ts';

/** Words of a table of their own, as many as are searched for before a book puts its phrases in order. */
const OTHERS = Array.from({ length: FEW_WORDS }, (_, index) => `unknown${index}x`);

/** A book that has been asked for so many words that it has put all of its phrases in order. */
function orderedBook(...tables: readonly PhraseTable<string>[]) {
  const book = phraseBook(...tables, { other: OTHERS.join(' | ') });
  for (const word of OTHERS) expect(book.at(word)).toHaveLength(1);
  return book;
}

test('every word that begins a phrase of the lexicon finds the same', () => {
  const tables = [ENGLISH, OTHER_LANGUAGES];
  const words = tables.flatMap((table) => Object.values(table).flatMap((text) => text.split(/[ |/]+/)));
  const ordered = orderedBook(...tables);
  let found = 0;
  for (const word of new Set(words)) {
    const phrases = phraseBook(...tables).at(word);
    found += phrases.length;
    expect(phrases, word).toEqual(ordered.at(word));
  }
  expect(found).toBeGreaterThan(500);
});

test('any word in any table finds the same phrases as in a table of all words', () => {
  const word = fc.constantFrom('a', 'b', 'ab', 'aa', '换', '换个', 'c');
  const choices = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('/'));
  const phrase = fc.array(choices, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const table = fc.dictionary(
    fc.constantFrom('yes', 'no'),
    fc.array(phrase, { minLength: 1, maxLength: 6 }).map((phrases) => phrases.join(' | ')),
  );
  fc.assert(
    fc.property(fc.array(table, { maxLength: 3 }), word, (tables, asked) => {
      expect(phraseBook(...tables).at(asked)).toEqual(orderedBook(...tables).at(asked));
    }),
  );
});
