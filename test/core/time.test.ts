// Durations and times as people write them, and as ctx says them.
import { describe, expect, test } from 'vitest';
import { durationInWords } from '../../src/core/text.ts';
import { readDuration, readMoment, readNow, readTime, showTime } from '../../src/core/time.ts';
import { fc } from '../support/property.ts';
import { errorOf } from '../support/store.ts';

describe('durations', () => {
  test.each<[string | number, number | undefined]>([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['5m', 300],
    ['24h', 86_400],
    ['7d', 604_800],
    ['2w', 1_209_600],
    [' 24 h ', 86_400],
    ['999999999999', 999_999_999_999],
    [0, 0],
    [604_800, 604_800],
    ['', undefined],
    ['h', undefined],
    ['-1', undefined],
    ['+1', undefined],
    ['1.5h', undefined],
    ['1e3', undefined],
    ['24H', undefined],
    ['1y', undefined],
    ['1h 30m', undefined],
    ['0x10', undefined],
    ['٣h', undefined],
    ['1000000000000', undefined],
    [-1, undefined],
    [1.5, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [2 ** 53, undefined],
  ])('%j is %j', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds);
  });
});

describe('times', () => {
  test.each<[string, number | undefined]>([
    ['0', 0],
    ['1769040000', 1_769_040_000],
    [' 1769040000\n', 1_769_040_000],
    ['2026-01-22', 1_769_040_000],
    ['2026-01-22T00:00:00Z', 1_769_040_000],
    ['2026-01-22t00:00:00z', 1_769_040_000],
    ['2026-01-22 00:00:00', 1_769_040_000],
    ['2026-01-22T00:00', 1_769_040_000],
    ['2026-01-22T00:00:00.999Z', 1_769_040_000],
    ['2026-01-22T01:00:00+01:00', 1_769_040_000],
    ['2026-01-22T01:00:00+0100', 1_769_040_000],
    ['2026-01-21T18:30:00-05:30', 1_769_040_000],
    ['1970-01-01', 0],
    ['1969-12-31', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1000000000000', undefined],
    ['yesterday', undefined],
    // Seconds, and no year.
    ['2026', 2_026],
    ['2026-1-2', undefined],
    ['22.01.2026', undefined],
    ['2026-13-01', undefined],
    ['2026-01-22T25:00:00Z', undefined],
    ['2026-01-22T00:00:00Z and more', undefined],
    ['', undefined],
  ])('%j is %j', (text, seconds) => {
    expect(readTime(text)).toBe(seconds);
  });
  test.each(['2026-02-29', '2026-02-30T00:00:00Z', '2026-04-31'])('there is no %s', (text) => {
    expect(readTime(text)).toBeUndefined();
  });

  test('a time without a zone is UTC wherever one is', () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Kolkata';
    try {
      expect(new Date(0).getHours()).toBe(5);
      expect(readTime('2026-01-22 00:00:00')).toBe(1_769_040_000);
      expect(readTime('2026-01-22')).toBe(1_769_040_000);
      expect(showTime(1_769_040_000)).toBe('2026-01-22 00:00:00Z');
    } finally {
      process.env['TZ'] = zone;
    }
  });

  test('what is shown is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(readTime(showTime(seconds))).toBe(seconds);
        expect(readTime(String(seconds))).toBe(seconds);
      }),
    );
  });

  test('a number that is no time is shown as it is', () => {
    expect(showTime(9e15)).toBe('@9000000000000000');
  });
});

describe('moments', () => {
  const NOW = 1_769_040_000;
  test.each<[string, number | undefined]>([
    ['1769000000', 1_769_000_000],
    ['2026-01-22', NOW],
    ['2h', NOW - 7_200],
    ['2h ago', NOW - 7_200],
    ['7d', NOW - 604_800],
    ['9999w', 0],
    ['1769000000000', undefined],
    ['never', undefined],
  ])('%j is %j', (text, seconds) => {
    expect(readMoment(text, text === '9999w' ? 1_000 : NOW)).toBe(seconds);
  });
});

test('CTX_NOW that is no time is an error of the command line, and says what it takes', () => {
  expect(readNow('2026-01-22T00:00:00Z')).toBe(1_769_040_000);
  const error = errorOf(() => readNow('soon\n'));
  expect(error).toMatchObject({ code: 'usage', message: 'CTX_NOW is not a time: "soon\\n"' });
  expect(error.hint).toContain('1769040000');
});

describe('durations in words', () => {
  test.each<[number, string]>([
    [-5, '0 seconds'],
    [0, '0 seconds'],
    [0.9, '0 seconds'],
    [1, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [61, '1 minute 1 second'],
    [3_599, '59 minutes 59 seconds'],
    [3_600, '1 hour'],
    [3_601, '1 hour'],
    [3_660, '1 hour 1 minute'],
    [86_399, '23 hours 59 minutes'],
    [86_400, '1 day'],
    [90_000, '1 day 1 hour'],
    [604_800, '7 days'],
    [604_801, '7 days'],
    [608_400, '7 days 1 hour'],
    [31_536_000, '365 days'],
  ])('%d: %s', (seconds, words) => {
    expect(durationInWords(seconds)).toBe(words);
  });
});
