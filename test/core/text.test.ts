// One line of a stranger's text: bounded, without controls, never half a character.
import { describe, expect, test } from 'vitest';
import { fill, head, LINE_LIMIT, oneLine, plural, truncate, withoutMiddle } from '../../src/core/text.ts';
import { fc, hostileText } from '../support/property.ts';

/** A high surrogate without its low one, or the other way round. */
const isTorn = (text: string): boolean => !text.isWellFormed();

describe('one line', () => {
  test.each<[string, string]>([
    ['plain', 'plain'],
    ['  around  ', 'around'],
    [' before', 'before'],
    ['after ', 'after'],
    ['two  blanks', 'two blanks'],
    [' ', ''],
    ['a\nb', 'a b'],
    ['a\r\n\r\nb', 'a b'],
    ['a\t \v\f b', 'a b'],
    ['a\u2028b\u2029c', 'a b c'],
    ['a\u0085b\u00a0c', 'a b c'],
    ['a\0b\x1b[31mc', 'a b [31mc'],
    ['a\x7fb\x9bc', 'a b c'],
    ['a\u202eb\u2066c\u200ed', 'a b c d'],
    ['\ufeffa', 'a'],
    ['\ud800', '\ufffd'],
    ['a\udc00b', 'a\ufffdb'],
    ['\n\r\t ', ''],
    [`${'\n'.repeat(1000)}a ${' '.repeat(1000)}b`, 'a b'],
    ['', ''],
  ])('%j is %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test('is at most 200 code units, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(600), fc.constantFrom(undefined, 1, 2, 20, 180), (text, limit) => {
        const line = limit === undefined ? oneLine(text) : oneLine(text, limit);
        const isOne = !/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]| {2}|^ | $/u.test(line);
        return isOne && line.length <= (limit ?? LINE_LIMIT) && !isTorn(line);
      }),
      { numRuns: 500 },
    );
    expect(LINE_LIMIT).toBe(200);
  });

  test('a text of megabytes costs no more than its beginning', () => {
    const text = Buffer.alloc(40_000_000, 'word ').toString('latin1');
    const started = performance.now();
    expect(oneLine(text)).toHaveLength(200);
    expect(performance.now() - started).toBeLessThan(400);
  });
});

describe('cutting', () => {
  test.each<[string, number, string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['😀😀', 4, '😀😀'],
    ['😀😀', 3, '😀…'],
    // The cut would fall into the second face.
    ['a😀b😀c', 5, 'a😀b…'],
    ['a😀b😀c', 6, 'a😀b…'],
    ['😀x', 2, '…'],
  ])('%j to %i: %j', (text, limit, expected) => {
    expect(truncate(text, limit)).toBe(expected);
  });

  test('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (text, limit) => {
        const [cut, begun] = [truncate(text, limit), head(text, limit)];
        const isHead = text.startsWith(begun) && begun.length >= Math.min(text.length, limit - 1);
        return cut.length <= limit && begun.length <= limit && isHead && !isTorn(cut) && !isTorn(begun);
      }),
      { numRuns: 500 },
    );
  });
});

test('counting in words', () => {
  expect([plural(0, 'file'), plural(1, 'file'), plural(2, 'file')]).toEqual(['0 files', '1 file', '2 files']);
  expect(plural(2, 'entry', 'entries')).toBe('2 entries');
});

describe('filling a template', () => {
  test.each<[string, string]>([
    ['idle for {duration}: {task}', 'idle for 7 days: {duration} $& t'],
    ['{unknown} {} { duration } {duration', '{unknown} {} { duration } {duration'],
    ['{constructor} {toString} {__proto__}', '{constructor} {toString} {__proto__}'],
    ['', ''],
  ])('%j is %j', (template, expected) => {
    // An inserted value is not read again, and means nothing to a regular expression.
    expect(fill(template, { duration: '7 days', task: '{duration} $& t' })).toBe(expected);
  });
});

describe('without its middle', () => {
  test.each([
    ['short', 'short'],
    ['exactly 10', 'exactly 10'],
    ['0123456789abcdef', '01234…\n[ctx left out 6 characters here]\n…bcdef'],
    ['0123\u{1f600}6789ab\u{1f600}cdef', '0123…\n[ctx left out 10 characters here]\n…cdef'],
  ])('%j is %j', (text, expected) => {
    expect(withoutMiddle(text, 10)).toBe(expected);
  });

  test('no character is halved, and none is counted twice', () => {
    fc.assert(
      fc.property(hostileText(), fc.integer({ min: 2, max: 40 }), (text, limit) => {
        const whole = text.toWellFormed();
        const cut = withoutMiddle(whole, limit);
        expect(isTorn(cut)).toBe(false);
        if (whole.length <= limit) expect(cut).toBe(whole);
      }),
    );
  });
});
