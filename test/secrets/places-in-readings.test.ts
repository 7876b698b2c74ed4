// Keywords of a reading, from those of the text and a search of what is near its escapes: the same as a search of it all.
import { describe, expect, test } from 'vitest';
import { searchBatch, visitPlaces } from '../../src/secrets/batch-search.ts';
import { keywordsOf } from '../../src/secrets/matcher.ts';
import { engineOf } from '../../src/secrets/options.ts';
import { LONGEST_KEYWORD, placesInReading } from '../../src/secrets/places-in-readings.ts';
import { readingsOf } from '../../src/secrets/reading.ts';
import { fc } from '../support/property.ts';

const { prefilter } = engineOf();
const WORDS = [...new Set(keywordsOf(new Set()).flatMap(({ words }) => words))];

/** Lists the keywords and their places, in the order of the text. */
function placesIn(search: (visit: (target: { names: readonly string[] }, at: number) => void) => void): string[] {
  const found: string[] = [];
  search(({ names }, at) => found.push(`${String(at).padStart(6)} ${names.join()}`));
  return found.sort();
}

/** Both ways, for the first reading of a text. */
function bothWays(text: string): { again: string[] | undefined; all: string[] } {
  const [reading] = readingsOf(text, 0);
  if (!reading) throw new Error('reads as it is written');
  const searched = placesInReading(searchBatch(prefilter, new Set([text])), text, reading);
  return {
    again: searched && placesIn((visit) => visitPlaces(searched, reading.text, 0, visit)),
    all: placesIn((visit) => prefilter(reading.text, 0, visit)),
  };
}

const far = ' plain words and numbers 12345'.repeat(10);

describe('what is found', () => {
  test.each([
    ['in a keyword of the text', `token ${far}\\/${far} token`, 2],
    ['in one that an escape has a part of', `${far}t\\u006fken${far}`, 1],
    ['in one that begins with an escape', `${far}\\u006bennwort${far}`, 1],
    ['in one that ends with an escape', `${far}kennwor\\u0074${far}`, 1],
    ['in one that is before an escape', `${far}token\\u003d${far}`, 1],
    ['in one that is behind an escape', `${far}\\u003dtoken${far}`, 1],
    ['not in one that an escape was part of', `${far}\\u0EAA${far}`, 0],
  ])('%s', (_name, text, count) => {
    const { again, all } = bothWays(text);
    expect(again).toEqual(all);
    expect(all).toHaveLength(count);
  });

  test('is what a search of all of it finds', () => {
    /** A keyword with one of its characters escaped. */
    const escaped = fc.tuple(fc.constantFrom(...WORDS), fc.nat()).map(([word, nth]) => {
      const at = nth % word.length;
      const code = word.charCodeAt(at).toString(16).padStart(4, '0');
      return `${word.slice(0, at)}\\u${code}${word.slice(at + 1)}`;
    });
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 2, arbitrary: escaped },
      { weight: 1, arbitrary: fc.constantFrom('\\/', '\\u003d', '\\\\\\/', '\\u005f', '\\u0041KIA', '\\u') },
      { weight: 2, arbitrary: fc.constant(far) },
      { weight: 2, arbitrary: fc.constantFrom('a', '\n', '"', '\\n', ' ') },
    );
    let compared = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), (pieces) => {
        const text = `${pieces.join('')}\\/`;
        const { again, all } = bothWays(text);
        if (again === undefined) return;
        compared += 1;
        expect(again).toEqual(all);
      }),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

test('a text that is full of escapes, or was not searched, is searched as it reads', () => {
  expect(bothWays('a\\/b'.repeat(100)).again).toBeUndefined();
  const text = `${far}\\/${far}`;
  const [reading] = readingsOf(text, 0);
  expect(placesInReading(searchBatch(prefilter, new Set(['another'])), text, reading as never)).toBeUndefined();
  expect(placesInReading(undefined, text, reading as never)).toBeUndefined();
});

test('a URL has other signs too, and is searched as it reads', () => {
  const { again } = bothWays(`${far}a%3Db${far}`);
  expect(again).toBeUndefined();
});

test('no keyword is longer than is reckoned with', () => {
  expect(Math.max(...WORDS.map((word) => word.length))).toBeLessThanOrEqual(LONGEST_KEYWORD);
});
