/** Tests that a text that is too long is cut so that it stays JSON, however it comes, and nothing else of it changes. */
import { describe, expect, test } from 'vitest';
import { JsonCutter } from '../../src/core/cut-json.ts';
import { fc } from '../support/property.ts';

const MARK = '… (cut off by ctx)';
const LIMITS = { text: 10, all: 1_000_000, later: 2, values: 1_000_000, most: 1_000_000 };

function cut(text: string, size = text.length, limits = LIMITS): { text: string; whole: boolean } {
  const cutter = new JsonCutter(limits);
  const bytes = Buffer.from(text);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) kept.push(cutter.push(bytes.subarray(at, at + size)));
  return { text: Buffer.concat(kept).toString(), whole: cutter.isWhole };
}

describe.each([1, 2, 7, 1000])('in pieces of %i bytes', (size) => {
  test.each([
    ['{"a":1}', '{"a":1}'],
    ['{"a":"0123456789"}', '{"a":"0123456789"}'],
    ['{"a":"012 4567 9 x"}', `{"a":"012 4567${MARK}"}`],
    ['{"a":"012 4567 9 x","b":[true,"y"]}', `{"a":"012 4567${MARK}","b":[true,"y"]}`],
    ['{"a":"012 456\\n\\n9"}', `{"a":"012 456\\n${MARK}"}`],
    ['{"a":"01\\u00e9 789"}', `{"a":"01\\u00e9${MARK}"}`],
    ['{"a":"0123456 é9x"}', `{"a":"0123456${MARK}"}`],
    ['{"a":"01234567é"}', `{"a":"01234567é"}`],
    ['{"a":"012345678é"}', `{"a":"012345678é"}`],
    ['{"a":"0123 \\"6789\\"x\\\\"}', `{"a":"0123${MARK}"}`],
    ['{"0123456 key":1}', `{"0123456${MARK}":1}`],
    ['{"a":"0123456789x"}', `{"a":"${MARK}"}`],
  ])('%s', (given, kept) => {
    expect(cut(given, size)).toEqual({ text: kept, whole: true });
    JSON.parse(kept);
  });
});

test('beyond the limit of all, texts are shorter still', () => {
  expect(cut('["0123456 89x","0 23456789x","0 23456789x"]', 1, { ...LIMITS, all: 30 }).text).toBe(
    `["0123456${MARK}","0${MARK}","0${MARK}"]`,
  );
});

describe.each([1, 1000, 65_536])('in pieces of %i bytes, before a cut', (size) => {
  const limits = { ...LIMITS, text: 10_000 };
  const kept = (text: string): string =>
    (JSON.parse(cut(JSON.stringify([text]), size, limits).text) as string[])[0] ?? '';

  test('removes a run of non-blank characters as a whole, and keeps the text before it', () => {
    const before = `${'word '.repeat(1994)}postgres:`;
    expect(kept(`${before}//admin:hunter2Secret99@db.example.com/app${' more'.repeat(999)}`)).toBe(
      `${'word '.repeat(1994).trimEnd()}${MARK}`,
    );
  });

  test('no more than 4 KiB goes: a longer run is cut', () => {
    expect(kept(`${'word '.repeat(1000)}${'A'.repeat(20_000)}`)).toBe(
      `${'word '.repeat(1000)}${'A'.repeat(904)}${MARK}`,
    );
  });

  test('a text that ends right at the limit stays', () => {
    const text = 'ab cd '.repeat(2000).slice(0, 10_000);
    expect(kept(text)).toBe(text);
    expect(kept(`${text}e`)).not.toBe(`${text}e`);
  });
});

test('it is whole once its first bracket is closed, and not before', () => {
  const cutter = new JsonCutter(LIMITS);
  for (const [piece, whole] of [
    ['  ', false],
    ['{"a":[1,"]}"', false],
    ['],"b":{}', false],
    ['}', true],
  ] as const) {
    cutter.push(Buffer.from(piece));
    expect(cutter.isWhole).toBe(whole);
  }
});

test('any JSON stays JSON of the same shape, and its short texts stay as they are', () => {
  const shapeOf = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, item) =>
      typeof item === 'string' && Buffer.from(JSON.stringify(item)).length > 8 ? 'long' : item,
    );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 40 }), (value, size) => {
      const flat = JSON.parse(JSON.stringify(value), (_, item) =>
        typeof item === 'object' && item && !Array.isArray(item) ? Object.values(item) : item,
      );
      const kept: unknown = JSON.parse(cut(JSON.stringify(flat), size, { ...LIMITS, text: 6 }).text);
      expect(shapeOf(kept)).toEqual(shapeOf(flat));
    }),
  );
});

describe.each([1, 5, 1000])(
  'beyond the limits of all, in pieces of %i bytes, lists and objects lose their ends',
  (size) => {
    test.each([
      ['{"a":[1,2,3,4,5,6],"b":7}', `{"a":[1,2,3,"${MARK}"],"b":7}`],
      ['{"a":{"b":1,"c":2,"d":3,"e":4}}', `{"a":{"b":1,"c":2,"d":3,"${MARK}":true}}`],
      ['{"a":[[1,2],["]",{"}":"\\\\"}],3],"b":["x"]}', `{"a":[[1,2],"${MARK}"],"b":["x"]}`],
      ['[[1,2,3,4,5,6],7]', `[[1,2,3,"${MARK}"],7]`],
    ])('%s', (given, kept) => {
      expect(cut(given, size, { ...LIMITS, values: 4 })).toEqual({ text: kept, whole: true });
      JSON.parse(kept);
    });
  },
);

test('a list that is too long takes nothing from what comes after it', () => {
  const long = JSON.stringify(Array.from({ length: 5000 }, (_, at) => at));
  const given = `{"a":${long},"b":${long},"c":{"d":[1,2]}}`;
  const { text } = cut(given, 100, { ...LIMITS, values: 100 });
  const kept = JSON.parse(text) as { a: unknown[]; b: unknown[]; c: unknown };
  expect(kept.a.length).toBeLessThan(110);
  expect(kept.b.length).toBeGreaterThan(900);
  expect(kept.b.at(-1)).toBe(MARK);
  expect(kept.c).toEqual({ d: [1, 2] });
});

test('whatever it is, what is kept is JSON with the outermost keys that it had', () => {
  const limits = { text: 8, all: 60, later: 5, values: 12, most: 10_000 };
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.integer({ min: 1, max: 60 }), (value, size) => {
      const found = cut(JSON.stringify({ hook: 'x', value: [value, value, value], last: 1 }), size, limits);
      expect(found.whole).toBe(true);
      expect(Object.keys(JSON.parse(found.text) as object)).toEqual(['hook', 'value', 'last']);
    }),
  );
});
