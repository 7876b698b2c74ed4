/** All ways to look for keywords find what a plain search finds, wherever it stands and in whatever case. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keywordsOf } from '../../../src/core/redaction/matcher.ts';
import { NAME_KEYWORDS } from '../../../src/core/redaction/names.ts';
import { type Keywords, prefilterOf, searchPairs, searchWords } from '../../../src/core/redaction/prefilter.ts';
import { RAREST } from '../../../src/core/redaction/rarest.ts';
import { RULES } from '../../../src/core/redaction/rules.ts';
import { isFree, searchedTogether, visitPlaces } from '../../../src/core/redaction/together.ts';

const keyword = (word: string, anyCase = false): Keywords<string> => ({
  words: [word],
  anyCase,
  target: `${word} ${anyCase}`,
});
const KEYWORDS = [
  keyword('sk-'),
  keyword('ask'),
  keyword('re_'),
  keyword('eyJ'),
  keyword('Q~'),
  keyword('api_key', true),
  keyword('pass', true),
  keyword('bearer ', true),
  keyword('://', true),
];

type Search = (keywords: readonly Keywords<string>[], text: string, from: number) => string[];

/** Calls back in no order that counts. */
function places(search: (visit: (target: string, at: number) => void) => void): string[] {
  const found: string[] = [];
  search((target, at) => found.push(`${at} ${target}`));
  return found.sort();
}

const plain: Search = (keywords, text, from) =>
  places((visit) => {
    const same = (a: string, b: string): boolean => a === b || (/[A-Z]/.test(a) && a.toLowerCase() === b);
    for (const {
      words: [word = ''],
      anyCase,
      target,
    } of keywords)
      for (let at = from; at + word.length <= text.length; at++) {
        const here = text.slice(at, at + word.length);
        if (
          here === word ||
          (anyCase && [...here].length === word.length && [...here].every((one, index) => same(one, word[index] ?? '')))
        )
          visit(target, at);
      }
  });

const WAYS: [string, Search][] = [
  ['word by word', (keywords, text, from) => places((visit) => void searchWords(keywords)(text, from, visit))],
  ['by pairs', (keywords, text, from) => places((visit) => searchPairs(keywords)(text, from, visit))],
  [
    'first the one, then the other',
    (keywords, text, from) => places((visit) => prefilterOf(keywords)(text, from, visit)),
  ],
  [
    'beside others of a value',
    (keywords, text, from) => {
      const texts = new Set(['sk', 'ask', text, 're_', 'b', `PASS${text}`, 'api_', 'key']);
      return places((visit) => visitPlaces(searchedTogether(prefilterOf(keywords), texts), text, from, visit));
    },
  ],
];

describe.each(WAYS)('%s', (_, search) => {
  test.each([
    ['', []],
    ['sk', []],
    ['sk-', ['0 sk- false']],
    ['ask-', ['0 ask false', '1 sk- false']],
    ['SK- Re_', []],
    ['API_key=PASSpassPaSs', ['0 api_key true', '12 pass true', '16 pass true', '8 pass true']],
    ['a://b c://', ['1 :// true', '7 :// true']],
    ['é→sk-', ['2 sk- false']],
    // The sign of Kelvin is a `k` in lower case, and none in ASCII.
    ['api_\u212aey', []],
  ])('%j', (text, found) => {
    expect(search(KEYWORDS, text, 0)).toEqual(found);
  });

  test('what begins before `from` is left out, what begins there is not', () => {
    expect(search(KEYWORDS, 'sk-sk-', 1)).toEqual(['3 sk- false']);
    expect(search(KEYWORDS, 'sk-sk-', 3)).toEqual(['3 sk- false']);
    expect(search(KEYWORDS, 'api_key', 1)).toEqual([]);
  });

  test('finds what a plain search finds', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...KEYWORDS.flatMap(({ words: [word = ''] }) => [word, word.toUpperCase(), word.slice(1)]),
        'İ',
        '\u212a',
        '→',
        '😀',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(20), (pieces, from) => {
        const text = pieces.join('');
        if (search === WAYS[0]?.[1] && text.toLowerCase().length !== text.length) return;
        expect(search(KEYWORDS, text, Math.min(from, text.length))).toEqual(
          plain(KEYWORDS, text, Math.min(from, text.length)),
        );
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  test('across the stretches of a long text', () => {
    const text = `${'x'.repeat(65_534)}sk-${'x'.repeat(65_530)}PASS`;
    expect(search(KEYWORDS, text, 0)).toEqual(['131067 pass true', '65534 sk- false']);
  });
});

test('a text that grows when it is written in lower case is not searched word by word', () => {
  expect(searchWords(KEYWORDS)('İ sk-', 0, () => undefined)).toBe(false);
  expect(WAYS[2]?.[1](KEYWORDS, 'İ sk-', 0)).toEqual(['2 sk- false']);
});

test('a text that is none of the value is searched by itself', () => {
  const searched = searchedTogether(prefilterOf(KEYWORDS), new Set(['sk-', 'ask']));
  expect(places((visit) => visitPlaces(searched, 're_', 0, visit))).toEqual(['0 re_ false']);
});

test('of many texts or long ones nothing is remembered, and each is searched by itself', () => {
  const long = `${'x'.repeat(70_000)}sk-`;
  const many = Array.from({ length: 40 }, (_, index) => `${'y'.repeat(30_000)}ask ${index}`);
  for (const [texts, text, found] of [
    [[long, 'sk-'], long, ['70000 sk- false']],
    [many, many[7], ['30000 ask false']],
  ] as const) {
    const searched = searchedTogether(prefilterOf(KEYWORDS), new Set<string>(texts));
    expect(places((visit) => visitPlaces(searched, text as string, 0, visit))).toEqual(found);
    expect(isFree(searched, text as string)).toBe(false);
    expect(searched.places?.get(text as string)).toBeUndefined();
  }
});

/** Characters of code, output and JSON by how often they stand there, the commonest first; all others are rarer. */
const BY_FREQUENCY =
  ' etaoinsrlcdpumhgf.,"\'()-_:/=;bykvw0123456789xzjq{}[]<>*#`|\\+@&!?$%^~ETAOINSRLCDPUMHGFBYKVWXZJQ';

/** What is left to search for stands nowhere by chance. */
const LEAST_LEFT = 4;

/**
 * Which character of a word is the rarest: of several, the first. No more than the tenth; and a part of a name
 * that many names end in would be found for each of them.
 */
function rarestOf(word: string): number {
  const own = word.replace(/[-_ .]?key$/, '');
  const last = Math.max(1, Math.min(10, own.length, word.length - LEAST_LEFT + 1));
  const ranks = [...word].slice(0, last).map((character) => {
    const rank = BY_FREQUENCY.indexOf(character);
    return rank < 0 ? BY_FREQUENCY.length : rank;
  });
  return ranks.indexOf(Math.max(...ranks));
}

// What it should be stands in the failure: put that into src/core/redaction/rarest.ts.
test('the table of rarest characters is the one of the rules', () => {
  const rows = [
    ...RULES.map(({ name, keywords }): [string, readonly string[]] => [name, keywords]),
    ['secret', NAME_KEYWORDS] as const,
  ].map(([name, words]): [string, number[]] => [name, words.map(rarestOf)]);
  expect(RAREST).toEqual(Object.fromEntries(rows.filter(([, places]) => places.some((place) => place > 0))));
});

test('a word is found by any of its characters', () => {
  const found = (rarest: readonly number[], text: string, from = 0): string[] =>
    places(
      (visit) => void searchWords([{ words: ['api_key'], anyCase: true, rarest, target: 'k' }])(text, from, visit),
    );
  for (const rarest of [[0], [3], [6]]) {
    expect(found(rarest, 'my API_KEY, api_key')).toEqual(['12 k', '3 k']);
    expect(found(rarest, 'my API_KEY, api_key', 4)).toEqual(['12 k']);
    expect(found(rarest, 'api-key _key y')).toEqual([]);
  }
});

test('no keyword of the rules stands in two texts at once', () => {
  const words = keywordsOf(new Set()).flatMap((keywords) => keywords.words);
  expect(words.length).toBeGreaterThan(500);
  expect(words.filter((word) => word.includes('\n'))).toEqual([]);
});

test('the other way is taken after 64 KB, and finds the same', () => {
  const search = prefilterOf(KEYWORDS);
  const text = `${'x'.repeat(1000)} sk-`;
  for (let time = 0; time < 100; time++) expect(places((visit) => search(text, 0, visit))).toEqual(['1001 sk- false']);
});
