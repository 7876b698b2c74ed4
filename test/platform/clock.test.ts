// The clock of recorded times: the machine's, or fixed by CTX_NOW.
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { errorOf } from '../support/store.ts';

describe('recorded times', () => {
  test.each(['1769040000', '2026-01-22T00:00:00Z', '2026-01-22'])('CTX_NOW=%s stops the clock', (CTX_NOW) => {
    const clock = systemClock({ CTX_NOW });
    expect([clock(), clock()]).toEqual([1_769_040_000, 1_769_040_000]);
  });

  test.each([{}, { CTX_NOW: '' }])('%j is the machine’s, in whole seconds', (environment) => {
    const before = Math.floor(Date.now() / 1000);
    const now = systemClock(environment)();
    expect(Number.isInteger(now)).toBe(true);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('the environment of the process counts', () => {
    process.env['CTX_NOW'] = '77';
    try {
      expect(systemClock()()).toBe(77);
    } finally {
      delete process.env['CTX_NOW'];
    }
  });

  test('what is no time is refused at once, not at the first use', () => {
    expect(errorOf(() => systemClock({ CTX_NOW: 'noon' })).code).toBe('usage');
  });
});
