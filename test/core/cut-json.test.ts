/** What is too long is cut so that it stays JSON, however it comes, and nothing else of it changes. */
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
    ['{"a":"0123456789x"}', `{"a":"0123456789${MARK}"}`],
    ['{"a":"0123456789x","b":[true,"y"]}', `{"a":"0123456789${MARK}","b":[true,"y"]}`],
    ['{"a":"012345678\\n9"}', `{"a":"012345678\\n${MARK}"}`],
    ['{"a":"012345\\u00e9789"}', `{"a":"012345\\u00e9${MARK}"}`],
    ['{"a":"01234567é9x"}', `{"a":"01234567é${MARK}"}`],
    ['{"a":"012345678é"}', `{"a":"012345678é"}`],
    ['{"a":"0123456789\\"x\\\\"}', `{"a":"0123456789${MARK}"}`],
    ['{"0123456789key":1}', `{"0123456789${MARK}":1}`],
  ])('%s', (given, kept) => {
    expect(cut(given, size)).toEqual({ text: kept, whole: true });
    JSON.parse(kept);
  });
});

test('beyond the limit of all, texts are shorter still', () => {
  expect(cut('["0123456789x","0123456789x","0123456789x"]', 1, { ...LIMITS, all: 30 }).text).toBe(
    `["0123456789${MARK}","01${MARK}","01${MARK}"]`,
  );
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
