/** All ways to look for keywords find what a plain search finds, wherever it stands and in whatever case. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ATOMS } from '../../src/secrets/atoms.ts';
import { hasNoKeyword, searchBatch, visitPlaces } from '../../src/secrets/batch-search.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { keywordsOf, RULES } from '../../src/secrets/matcher.ts';
import { NAME_FOLLOWS, NAME_KEYWORDS } from '../../src/secrets/name-keywords.ts';
import {
  type Atoms,
  type AtomTable,
  type Keywords,
  prefilterOf,
  searchAtoms,
  searchBytes,
} from '../../src/secrets/prefilter.ts';
import { orPartial } from '../../src/secrets/rule.ts';
import { atomsModule, chooseAtoms, ownText } from '../support/atoms.ts';
import { CARRIERS, Chance, sampleOf } from '../support/secrets-corpus.ts';

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
  // In both classes: each has targets of its own.
  keyword('both'),
  keyword('both', true),
];

/** Each word leads to itself. */
const ATOMS_OF_ALL: AtomTable = {
  asWritten: KEYWORDS.flatMap(({ words, anyCase }) => (anyCase ? [] : [...words, ...words])),
  anyCase: KEYWORDS.flatMap(({ words, anyCase }) => (anyCase ? [...words, ...words] : [])),
  follows: {},
};

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
  [
    'word by word',
    (keywords, text, from) => places((visit) => void searchAtoms(() => keywords, ATOMS_OF_ALL)(text, from, visit)),
  ],
  ['by three bytes', (keywords, text, from) => places((visit) => searchBytes(keywords)(text, from, visit))],
  [
    'first the one, then the other',
    (keywords, text, from) => places((visit) => prefilterOf(() => keywords, ATOMS_OF_ALL)(text, from, visit)),
  ],
  [
    'beside others of a value',
    (keywords, text, from) => {
      const texts = new Set(['sk', 'ask', text, 're_', 'b', `PASS${text}`, 'api_', 'key']);
      return places((visit) =>
        visitPlaces(
          searchBatch(
            prefilterOf(() => keywords, ATOMS_OF_ALL),
            texts,
          ),
          text,
          from,
          visit,
        ),
      );
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
    ['both BOTH', ['0 both false', '0 both true', '5 both true']],
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

  test.each([65_532, 65_533, 65_534, 65_535, 65_536, 131_070])('once each, about %d characters in', (before) => {
    const text = 'x'.repeat(before);
    expect(search(KEYWORDS, `${text}Q~`, 0)).toEqual([`${before} Q~ false`]);
    expect(search(KEYWORDS, `${text}Q~y`, 0)).toEqual([`${before} Q~ false`]);
    expect(search(KEYWORDS, `${text}sk-`, 0)).toEqual([`${before} sk- false`]);
  });
});

test('a text that grows when it is written in lower case is not searched atom by atom', () => {
  expect(searchAtoms(() => KEYWORDS, ATOMS_OF_ALL)('İ sk-', 0, () => undefined)).toBe(false);
  expect(WAYS[2]?.[1](KEYWORDS, 'İ sk-', 0)).toEqual(['2 sk- false']);
});

test('a text that is none of the value is searched by itself', () => {
  const searched = searchBatch(
    prefilterOf(() => KEYWORDS, ATOMS_OF_ALL),
    new Set(['sk-', 'ask']),
  );
  expect(places((visit) => visitPlaces(searched, 're_', 0, visit))).toEqual(['0 re_ false']);
});

test('of many texts or long ones nothing is remembered, and each is searched by itself', () => {
  const long = `${'x'.repeat(70_000)}sk-`;
  const many = Array.from({ length: 40 }, (_, index) => `${'y'.repeat(30_000)}ask ${index}`);
  for (const [texts, text, found] of [
    [[long, 'sk-'], long, ['70000 sk- false']],
    [many, many[7], ['30000 ask false']],
  ] as const) {
    const searched = searchBatch(
      prefilterOf(() => KEYWORDS, ATOMS_OF_ALL),
      new Set<string>(texts),
    );
    expect(places((visit) => visitPlaces(searched, text as string, 0, visit))).toEqual(found);
    expect(hasNoKeyword(searched, text as string)).toBe(false);
    expect(searched.places?.get(text as string)).toBeUndefined();
  }
});

describe('atoms', () => {
  const wordsOf = (anyCase: boolean): string[] => [
    ...new Set(keywordsOf(new Set()).flatMap((one) => (one.anyCase === anyCase ? one.words : []))),
  ];
  const rowsOf = (atoms: Atoms): [atom: string, words: string[]][] =>
    atoms.flatMap((atom, index) => (index % 2 === 0 ? [[atom, (atoms[index + 1] as string).split('\n')]] : []));
  const FOLLOWS: Readonly<Record<string, string>> = Object.assign(
    {},
    ...RULES.map(({ follows = {} }) => follows),
    NAME_FOLLOWS,
  );
  const TABLE = fileURLToPath(new URL('../../src/secrets/atoms.ts', import.meta.url));

  test('lead to every keyword of the rules, and to nothing else', () => {
    const wordsOfAtoms = (atoms: Atoms): string[] => rowsOf(atoms).flatMap(([, own]) => own);
    const isDone =
      JSON.stringify(ATOMS.follows) === JSON.stringify(FOLLOWS) &&
      JSON.stringify(wordsOfAtoms(ATOMS.asWritten).sort()) === JSON.stringify(wordsOf(false).sort()) &&
      JSON.stringify(wordsOfAtoms(ATOMS.anyCase).sort()) === JSON.stringify(wordsOf(true).sort());
    if (!isDone && process.env['UPDATE'] === '1') {
      const sample = ownText();
      const tables = {
        asWritten: chooseAtoms(wordsOf(false), sample),
        anyCase: chooseAtoms(wordsOf(true), sample.toLowerCase()),
      };
      writeFileSync(TABLE, atomsModule(tables, FOLLOWS));
      throw new Error('The table is made anew: run this again.');
    }
    const hint = 'a rule has other keywords than the table: run this with UPDATE=1';
    expect(wordsOfAtoms(ATOMS.asWritten).sort(), hint).toEqual(wordsOf(false).sort());
    expect(wordsOfAtoms(ATOMS.anyCase).sort(), hint).toEqual(wordsOf(true).sort());
    expect(ATOMS.follows, hint).toEqual(FOLLOWS);
    for (const [atom, words] of [...rowsOf(ATOMS.asWritten), ...rowsOf(ATOMS.anyCase)])
      expect(words.filter((word) => !word.includes(atom))).toEqual([]);
  });

  test('are fewer than half as many as the keywords', () => {
    const atoms = [...rowsOf(ATOMS.asWritten), ...rowsOf(ATOMS.anyCase)];
    expect(atoms.length).toBeLessThan((wordsOf(false).length + wordsOf(true).length) / 2);
  });

  test.each(['_', 'key', 'api_key'])('%j leads to each place of its words', (atom) => {
    const search = searchAtoms(() => [{ words: ['api_key', 'my_key'], anyCase: true, target: 'k' }], {
      asWritten: [],
      anyCase: [atom, ['api_key', ...(atom === 'api_key' ? [] : ['my_key'])].join('\n')],
      follows: {},
    });
    const found = (text: string, from = 0): string[] => places((visit) => void search(text, from, visit));
    expect(found('an API_KEY, api_key')).toEqual(['12 k', '3 k']);
    expect(found('an API_KEY, api_key', 4)).toEqual(['12 k']);
    expect(found('MY_key')).toEqual(atom === 'api_key' ? [] : ['0 k']);
    expect(found('api-key _key y')).toEqual([]);
    expect(found(`${'_key '.repeat(9)}api_key`)).toEqual(['45 k']);
    expect(found('_key api_key', 5)).toEqual(['5 k']);
    expect(found('_key api_key', 6)).toEqual([]);
  });
});

describe('what follows a keyword', () => {
  const search = prefilterOf(() => [{ words: ['SK'], anyCase: false, target: 'k' }], {
    asWritten: ['SK', 'SK'],
    anyCase: [],
    follows: { SK: orPartial('[0-9a-f]{4}') },
  });
  test.each([
    ['SK and SKIP it', []],
    ['SKIP SKab12', ['0 k', '5 k']],
    ['SKIP SKab1 more', []],
    ['in the end SKa', ['11 k']],
    ['SKa\nthe next text', ['0 k']],
    [`SK${'x'.repeat(81)}\n`, []],
  ])('%j', (text, found) => {
    expect(places((visit) => void search(text, 0, visit))).toEqual(found);
  });

  test('what begins before `from` leads to nothing', () => {
    expect(places((visit) => void search('SKab12 SK,', 1, visit))).toEqual([]);
  });

  const rules = RULES.filter(({ follows }) => follows);

  test('belongs to one rule', () => {
    const words = rules.flatMap(({ follows = {} }) => Object.keys(follows));
    expect(words).toHaveLength(new Set(words).size);
    const names = Object.keys(NAME_FOLLOWS);
    expect(names.filter((word) => !NAME_KEYWORDS.includes(word))).toEqual([]);
    expect(RULES.flatMap(({ keywords }) => keywords.filter((word) => names.includes(word)))).toEqual([]);
    for (const word of words) expect(RULES.filter(({ keywords }) => keywords.includes(word))).toHaveLength(1);
    expect(rules.filter(({ anyCase, lead }) => anyCase || lead)).toEqual([]);
  });

  test('hides nothing that a name identifies', () => {
    const name = fc.constantFrom(
      ...[
        'pass',
        'password',
        'Passwort',
        'PASSE',
        'mot_de_passe',
        'passed',
        'pass.',
        'pass! ',
        'token',
        'tokens',
        'tokenS',
        'psk',
        'PSK2',
      ],
      ...[
        '_key',
        '_keys',
        'api_key',
        '_auth',
        '_authToken',
        'api.key',
        'API.Key',
        'obj.keys',
        'master.key_2',
        'sas.key',
      ],
    );
    const piece = fc.oneof(
      name,
      fc.constantFrom('=', ': ', '"', ' ', '\n', '_', 'x', 'my-', 's', 'Kq7mZ2pLw9XvB4tR', '3fT8'),
    );
    const worn = {};
    for (let time = 0; time < 2; time++) findSecrets('x'.repeat(40_000), worn);
    let some = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), name, fc.boolean(), (pieces, last, grows) => {
        const text = `${pieces.join('')}${last}=Kq7mZ2pLw9XvB4tR`;
        const found = findSecrets(text, worn, grows);
        expect(findSecrets(text, {}, grows)).toEqual(found);
        some += found.length;
      }),
      { seed: 5, numRuns: 800 },
    );
    expect(some).toBeGreaterThan(200);
  });

  test.each(rules.map(({ name }) => name))('hides no secret of %s, whole or begun', (name) => {
    const chance = new Chance(11);
    // One that has seen much searches by bytes, where it does not matter what follows.
    const worn = {};
    for (let time = 0; time < 2; time++) findSecrets('x'.repeat(40_000), worn);
    let some = 0;
    for (let time = 0; time < 6; time++) {
      const sample = sampleOf(name, time, chance);
      for (const carrier of Object.values(CARRIERS)) {
        const text = carrier(sample, chance)?.text ?? '';
        const found = findSecrets(text, worn);
        expect(findSecrets(text, {})).toEqual(found);
        some += found.length;
      }
      for (let end = sample.text.length - sample.secret.length; end < sample.text.length; end++)
        expect(findSecrets(sample.text.slice(0, end), {}, true)).toEqual(
          findSecrets(sample.text.slice(0, end), worn, true),
        );
    }
    expect(some).toBeGreaterThan(6);
  });
});

test('no keyword of the rules spans two texts', () => {
  const words = keywordsOf(new Set()).flatMap((keywords) => keywords.words);
  expect(words.length).toBeGreaterThan(500);
  expect(words.filter((word) => word.includes('\n'))).toEqual([]);
});

test('the other way is taken after 64 KB, and finds the same', () => {
  const search = prefilterOf(() => KEYWORDS, ATOMS_OF_ALL);
  const text = `${'x'.repeat(1000)} sk-`;
  for (let time = 0; time < 100; time++) expect(places((visit) => search(text, 0, visit))).toEqual(['1001 sk- false']);
});
