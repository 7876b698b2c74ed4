// Tests how texts become terms: words, names of programs, and writing without blanks.
import { describe, expect, test } from 'vitest';
import {
  analysed,
  beginningsOf,
  eachPiece,
  eachWord,
  eachWordLike,
  isLoneCharacter,
} from '../../src/catalog/words/tokens.ts';
import { anyText, fc } from '../support/property.ts';

/** The terms of a text, each with its place. */
function termsIn(text: string): string[] {
  const terms: string[] = [];
  let place = 0;
  eachWord(text, (word) => {
    for (const { term, offset } of word.terms) terms.push(`${place + offset}:${term}`);
    place += word.width;
  });
  return terms;
}

describe('terms of a text', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['!?… — 😀', []],
    ['Running tests', ['0:run', '1:test']],
    ['redaction redacted redacts', ['0:redact', '1:redact', '2:redact']],
    ["don't", ['0:don', '1:t', "0:don't"]],
    ['fooBar', ['0:foo', '1:bar', '0:foobar']],
    ['parseHTTPRequest', ['0:pars', '1:http', '2:request', '0:parsehttprequest']],
    ['snake_case', ['0:snake', '1:case', '0:snake_case']],
    ['src/app/log.ts', ['0:src', '1:app', '2:log', '3:ts', '2:log.ts']],
    ['std::vector', ['0:std', '1:vector']],
    ['ends here.', ['0:end', '1:here']],
    ['utf8 sha256 0x1f', ['0:utf8', '1:sha256', '2:0x1f']],
    ['Café ÅNGSTRÖM', ['0:cafe', '1:angstrom']],
    ['й', ['0:и']],
    ['検索する', ['0:検索', '1:索す', '2:する', '3:る']],
    ['用git検索', ['0:用', '1:git', '2:検索', '3:索']],
    ['한국어', ['0:한국', '1:국어', '2:어']],
    ['𠮷野家', ['0:𠮷野', '1:野家', '2:家']],
    ['a\ud800b', ['0:a', '1:b']],
    ['x'.repeat(65), []],
  ])('%j', (text, terms) => expect(termsIn(text)).toEqual(terms));

  test('of any text none is empty, and the words do not overlap', () => {
    fc.assert(
      fc.property(anyText(80), (text) => {
        let before = 0;
        eachWord(text, (word, begin, end) => {
          expect(begin).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(begin);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(word.width).toBeGreaterThan(0);
          for (const { term, offset } of word.terms) {
            expect(term).not.toBe('');
            expect(term.isWellFormed()).toBe(true);
            expect(offset).toBeLessThan(word.width);
          }
          before = end;
        });
      }),
    );
  });

  test('a word has the same terms wherever it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_./-]{1,12}$/), (word) => {
        const found: string[] = [];
        eachWord(`x ${word} y`, (one) => found.push(...one.terms.map(({ term }) => term)));
        const alone: string[] = [];
        eachWord(word, (one) => alone.push(...one.terms.map(({ term }) => term)));
        expect(found).toEqual(['x', ...alone, 'y']);
      }),
    );
  });
});

test('the pieces of a word that are terms are found in it', () => {
  const pieces: string[] = [];
  const word = 'src/fooBar_検索.ts';
  eachPiece(word, (term, begin, end) => pieces.push(`${term}=${word.slice(begin, end)}`));
  expect(pieces).toEqual(['src=src', 'foo=foo', 'bar=Bar', '検索=検索', '索=索', 'ts=ts']);
});

test('one character of Chinese, Japanese or Korean is known as such', () => {
  expect(['検', '検索', 'a', '𠮷'].map(isLoneCharacter)).toEqual([true, false, false, true]);
});

test('an analysed word is the same at the second look', () => {
  expect(analysed('fooBar')).toBe(analysed('fooBar'));
});

/** The words of a text that have one of some terms. */
function wordsWith(text: string, terms: ReadonlySet<string>, each: typeof eachWord): [number, number][] {
  const found: [number, number][] = [];
  each(text, (word, begin, end) => {
    if (word.terms.some(({ term }) => terms.has(term))) found.push([begin, end]);
  });
  return found;
}

describe('words that are like some terms', () => {
  const like =
    (terms: ReadonlySet<string>): typeof eachWord =>
    (text, take) =>
      eachWordLike(text, beginningsOf(terms), take);

  test.each([
    'relational, nationality: conflated filing of happiness',
    'the capability of sensitivities, rationalization and digitizers',
    'fooBar.retryBackoff(src/app/retry_backoff.ts) RETRIES don\u2019t.',
    'Résumé of a CAFÉ, ångström, 検索する用git検索',
  ])('are found as if every word had been looked at: %s', (text) => {
    eachWord(text, ({ terms }) => {
      for (const { term } of terms)
        expect(wordsWith(text, new Set([term]), like(new Set([term])))).toEqual(
          wordsWith(text, new Set([term]), eachWord),
        );
    });
  });

  test('of any text are those that have the terms', () => {
    fc.assert(
      fc.property(anyText(80), fc.nat(20), (text, at) => {
        const all: string[] = [];
        eachWord(text, ({ terms }) => all.push(...terms.map(({ term }) => term)));
        const terms = new Set(all.length === 0 ? ['none'] : [all[at % all.length] as string]);
        expect(wordsWith(text, terms, like(terms))).toEqual(wordsWith(text, terms, eachWord));
      }),
    );
  });
});
