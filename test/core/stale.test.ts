// The stale rules at their edges.
import { describe, expect, test } from 'vitest';
import { idleSeconds, type Staleness, staleness } from '../../src/core/stale.ts';
import { DEFAULT_SETTINGS } from '../../src/history/store/settings.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('with the default thresholds', () => {
  test.each<[string, number, Staleness]>([
    ['just now', 0, 'fresh'],
    ['23:59:58', DAY - 2, 'fresh'],
    ['23:59:59', DAY - 1, 'fresh'],
    ['24 h', DAY, 'ask'],
    ['24 h and a second', DAY + 1, 'ask'],
    ['7 d less a second', 7 * DAY - 1, 'ask'],
    ['7 d', 7 * DAY, 'ask'],
    ['7 d and a second', 7 * DAY + 1, 'auto_compact'],
    ['a year', 365 * DAY, 'auto_compact'],
  ])('%s', (_words, idle, expected) => {
    expect(staleness(idle, DEFAULT_SETTINGS)).toBe(expected);
  });
});

describe('with thresholds of one’s own', () => {
  test.each<[number, number, number, Staleness]>([
    // Both the same: there is one second in which it asks.
    [9, 10, 10, 'fresh'],
    [10, 10, 10, 'ask'],
    [11, 10, 10, 'auto_compact'],
    // Zero: always asks, and compacts from the first second on.
    [0, 0, 0, 'ask'],
    [1, 0, 0, 'auto_compact'],
    [0, 0, 5, 'ask'],
  ])('idle %i, ask from %i, compact beyond %i: %s', (idle, ask_threshold, auto_compact_threshold, expected) => {
    expect(staleness(idle, { ask_threshold, auto_compact_threshold })).toBe(expected);
  });
});

test.each([
  [100, 100, 0],
  [100, 130, 30],
  // The clock of another machine was ahead.
  [130, 100, 0],
])('last activity %i, now %i: idle for %i seconds', (last, now, idle) => {
  expect(idleSeconds(last, now)).toBe(idle);
});
