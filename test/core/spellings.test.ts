// A text that goes is found however JSON, URLs and forms write it, in all of it and nothing else, in time that grows with the bytes alone.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forgetText, forgottenFinder, NOTHING_FORGOTTEN } from '../../src/core/forgotten.ts';
import { readingsOf } from '../../src/core/spellings.ts';
import { type Finder, foundIn, literalFinder, replacePieces, replaceText } from '../../src/core/stretches.ts';

const hash = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');
const MARKER = /\[forgotten:[0-9a-f]{8}\]/g;

/** Both finders: of what goes, and of what must not come back. */
const findersOf = (text: string): Finder[] => [
  literalFinder(new Map([[text, '#']])),
  forgottenFinder({ ...NOTHING_FORGOTTEN, texts: [forgetText(text, hash)] }, hash) as Finder,
];
const told = (finder: Finder, text: string): string => replaceText(text, finder).replace(MARKER, '#');

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
/** Every code unit as an escape. */
const units = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
const percents = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

const form = (text: string): string => new URLSearchParams({ '': text.toWellFormed() }).toString().slice(1);

const WAYS: readonly [text: string, way: string][] = [
  ['sl/ash-aa1', 'sl%2fash-aa1'],
  ['sl/ash-aa1', 'sl\\u002fash-aa1'],
  ['sl/ash-aa1', 'sl\\/ash-aa1'],
  ['grün-kk3 x', 'gr%c3%bcn-kk3%20x'],
  ['grün-kk3 x', 'gr\\u00FCn-kk3 x'],
  ['grün-kk3 x', 'gr\\\\u00fcn-kk3 x'],
  ['two wo+rd-bb2', 'two+wo%2Brd-bb2'],
  ['two wo+rd-bb2', 'two%20wo+rd-bb2'],
  ['a&b=c<d>-mm4', 'a\\u0026b=c\\u003cd\\u003e-mm4'],
  [`q"u'o-oo6`, 'q\\u0022u\\u0027o-oo6'],
  [`q"u'o-oo6`, 'q%22u%27o-oo6'],
  [`q"u'o-oo6`, 'q\\\\\\"u\\\\u0027o-oo6'],
  ['one line\nand-pp7', 'one line\r\nand-pp7'],
  ['one line\nand-pp7', 'one line\\r\\nand-pp7'],
  ['one line\nand-pp7', 'one%20line%0D%0Aand-pp7'],
  ['one line\r\nand-pp7', 'one line\nand-pp7'],
  ['a smile \u{1f600}-rr8', 'a smile \\ud83d\\uDE00-rr8'],
  ['C:\\new\\u-ss9', 'C:\\\\new\\\\u-ss9'],
  ['100%25 of it+tt', '100%2525%20of%20it%2btt'],
  ['lone \ud83d-uu1', 'lone \\ud83d-uu1'],
  ['sl/ash-aa1', '%73l%5C%2Fash-aa1'],
  ['grün-kk3 x', 'gr%5cu00fcn-kk3+x'],
  [`q"u'o-oo6`, 'q%5C%5C%5C%22u%27o-oo6'],
];

describe('a text', () => {
  it.each(WAYS)('%j is found as %s', (text, way) => {
    for (const finder of findersOf(text)) {
      expect(told(finder, way)).toBe('#');
      expect(told(finder, `ü "${way}" and ${text}, \\"${way}\\n`)).toBe('ü "#" and #, \\"#\\n');
    }
  });

  it.each([...new Set(WAYS.map(([text]) => text))])(
    '%j is found as it may be written up to three levels deep',
    (text) => {
      for (const finder of findersOf(text)) {
        for (const way of [text, units(text), percents(text), encodeURIComponent(text.toWellFormed())])
          for (const deep of [way, json(way), json(json(way))]) expect(told(finder, deep)).toBe('#');
        expect(told(finder, json(json(json(text))))).toBe('#');
        for (const way of [json(text), units(text), json(json(text)), json(units(text)), json(json(json(text)))])
          for (const url of [percents(way), encodeURIComponent(way), form(way)]) expect(told(finder, url)).toBe('#');
        for (const url of [percents(json(text)), encodeURIComponent(units(text)), form(json(text))])
          for (const deep of [json(url), units(url), json(units(url))]) expect(told(finder, deep)).toBe('#');
      }
    },
  );

  it.each([
    ['two words-bb2', 'two\\+words-bb2'],
    ['sl/ash-aa1', 'sl%2gash-aa1'],
    ['sl/ash-aa1', 'sl\\u02fash-aa1'],
    ['one line\nand-pp7', 'one line\rand-pp7'],
  ])('%j is not found in a text without it: %s', (text, other) => {
    for (const finder of findersOf(text)) expect(told(finder, other)).toBe(other);
  });

  const plainWays = (text: string): string[] =>
    [text, json(text), json(json(text)), json(json(json(text)))].concat(percents(text), units(text));
  const urlWays = (text: string): string[] => [
    percents(text),
    percents(json(text)),
    encodeURIComponent(json(json(text))),
  ];

  it.each([`q"ü\nnsecret`, '\nsecret-vv2'])(
    '%j is found across the borders of pieces, wherever escapes are cut',
    (text) => {
      // At each level they mean backslashes, and go together in pairs.
      for (const [between, ways] of [
        ['\\'.repeat(16), plainWays(text)],
        ['%5c'.repeat(16), urlWays(text)],
      ] as const) {
        // Longer than the longest spelling of all of it.
        const all = Array.from({ length: 8 }, () => ways).flat();
        const content = Buffer.from(all.join(between));
        for (const finder of findersOf(text))
          for (let size = 301; size < 421; size += 1) {
            const pieces = function* (): Generator<Buffer> {
              for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
            };
            const out = Buffer.concat([...replacePieces(pieces(), finder)].map((piece) => Buffer.from(piece)));
            expect(out.toString().replace(MARKER, '#')).toBe(all.map(() => '#').join(between));
            expect(foundIn(pieces(), finder)).toBe(true);
          }
      }
    },
  );
});

it('reads bytes a bounded number of times, and once if nothing in them is an escape', () => {
  const read = (text: string): number => [...readingsOf(Buffer.from(text))].length;
  expect(read('plain text, 100 % of it')).toBe(1);
  expect(read(String.raw`\d \w C:\qemp`)).toBe(1);
  expect(read('\\'.repeat(10_000))).toBe(4);
  expect(read(`${'\\'.repeat(1000)}%41+\r\n${'%25'.repeat(1000)}`)).toBeLessThan(26);
});
