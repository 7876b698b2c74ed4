// Ids: UUIDv7 whose order is the order of making, whatever the clock does.
import { describe, expect, test } from 'vitest';
import { idAfter, uuidSource } from '../../src/platform/ids.ts';
import { fc } from '../support/property.ts';
import { ended, startChild } from '../support/store.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Random numbers that would turn every order around if anything before them were the same. */
const falling = (): (() => number) => {
  let next = 2 ** 48;
  return () => {
    next = (next - 1) % 2 ** 48;
    return next;
  };
};

/** The first position at which an id is not behind the one before it. */
const disorder = (ids: readonly string[]): number =>
  ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as string));

describe('an id', () => {
  test('is a UUIDv7: milliseconds, their fraction, a counter, random bits', () => {
    const ids = uuidSource(
      () => 0x0123_4567_89ab + 0.5,
      () => 0xeeee_eeee_eeee,
    );
    expect(ids()).toBe('01234567-89ab-7800-8000-eeeeeeeeeeee');
    expect(ids()).toBe('01234567-89ab-7800-8001-eeeeeeeeeeee');
    expect(uuidSource()()).toMatch(UUID_7);
  });

  test('is of the machine’s own clock, whatever CTX_NOW says', () => {
    process.env['CTX_NOW'] = '2001-01-01';
    try {
      const id = uuidSource()();
      const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      expect(Math.abs(milliseconds - Date.now())).toBeLessThan(10_000);
    } finally {
      delete process.env['CTX_NOW'];
    }
  });

  test('is never the same: random bits differ', () => {
    const tails = new Set(
      Array.from(
        { length: 1_000 },
        uuidSource(() => 1_000),
      ).map((id) => id.slice(-12)),
    );
    expect(tails.size).toBe(1_000);
  });
});

test('the id after another one is a UUIDv7 that follows it', () => {
  const digits = fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16));
  const hex = (length: number): fc.Arbitrary<string> =>
    fc.array(digits, { minLength: length, maxLength: length }).map((list) => list.join(''));
  // As far as a date reaches.
  const id = fc.tuple(hex(7), hex(4), hex(3), hex(3), hex(12)).map(([a, b, c, d, e]) => `0${a}-${b}-7${c}-8${d}-${e}`);
  fc.assert(
    fc.property(fc.oneof(id, fc.constant('01a205da-ffff-7fff-bfff-ffffffffffff')), (before) => {
      const after = idAfter(before);
      expect(after).toMatch(UUID_7);
      expect(after > before).toBe(true);
    }),
  );
});

describe('order', () => {
  test('within the same millisecond, and beyond a full counter', () => {
    const ids = Array.from(
      { length: 40_000 },
      uuidSource(() => 1_769_040_000_000, falling()),
    );
    expect(disorder(ids)).toBe(-1);
    expect(ids.every((id) => UUID_7.test(id))).toBe(true);
  });

  test('when the clock goes back, stops or jumps ahead', () => {
    const times = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(times, (offsets) => {
        let call = 0;
        const clock = (): number => 1_769_040_000_000 + (offsets[call++ % offsets.length] as number);
        return disorder(Array.from({ length: 100 }, uuidSource(clock, falling()))) === -1;
      }),
    );
  });

  test('when a full counter has borrowed from the clock and the clock catches up', () => {
    let now = 1_769_040_000_000;
    const make = uuidSource(() => now, falling());
    const ids = Array.from({ length: 0x4000 + 1 }, make);
    for (let step = 0; step < 4; step += 1) {
      now += 1 / 4096;
      ids.push(make());
    }
    expect(disorder(ids)).toBe(-1);
  });

  test('across two sources, as soon as the clock moves by a 4,096th of a millisecond', () => {
    let ticks = 0;
    const clock = (): number => 1_769_040_000_000 + ticks++ / 4096;
    const sources = [uuidSource(clock, falling()), uuidSource(clock, falling())] as const;
    const ids = Array.from({ length: 20_000 }, (_, index) => sources[index % 2 === 0 ? 0 : 1]());
    expect(disorder(ids)).toBe(-1);
  });

  test('across two sources with the machine’s own clock', () => {
    const sources = [uuidSource(), uuidSource()] as const;
    const ids = Array.from({ length: 2_000 }, (_, index) => {
      // Longer than the clock's own grain, shorter than anything that writes a file.
      for (const until = performance.now() + 0.002; performance.now() < until; );
      return sources[index % 2 === 0 ? 0 : 1]();
    });
    expect(disorder(ids)).toBe(-1);
  });

  test('across processes: each one’s ids are behind those of the one before it', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      ids.push(uuidSource()());
      const { out } = await ended(await startChild('const ids = ctx.uuidSource(); console.log(ids() + " " + ids())'));
      ids.push(...out.trim().split(' '));
    }
    expect(ids).toHaveLength(9);
    expect(disorder(ids)).toBe(-1);
  });
});
