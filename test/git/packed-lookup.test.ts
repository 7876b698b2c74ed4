// One ref in a large packed-refs is found as it is in the whole of it, and without reading the whole of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packedRefsOf } from '../../src/git/refs/packed-lookup.ts';
import { byBytes, checkPackedRefs, readPackedRefs, withRefs } from '../../src/git/refs/packed-refs.ts';
import '../support/property.ts';
import { isPointer } from '../../src/history/names/layout.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

const HEADER = '# pack-refs with: peeled fully-peeled sorted ';
const oid = (number: number): string => number.toString(16).padStart(40, '0');
const session = (number: number): string => `0197c2d0-${number.toString(16).padStart(4, '0')}-7000-8000-0123456789ab`;
const archived = (number: number): string => `refs/archive/${session(number)}`;

/** A file of such lines. */
function fileOf(lines: readonly string[], header: string | null = HEADER): string {
  const path = join(temporaryFolder(), 'packed-refs');
  writeFileSync(path, `${[...(header === null ? [] : [header]), ...lines].join('\n')}\n`);
  return path;
}

/** So many archived sessions, every second number taken. */
const many = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${oid(at)} ${archived(2 * at + 1)}`);
const MANY = 2_000;

/** Names of refs of anybody's, short and long, that sort before, between and after ctx's own. */
const strangers = fc.constantFrom(
  'refs/heads/a',
  'refs/archive/zz',
  `refs/archived/${'long/'.repeat(700)}x`,
  'refs/notes/commits',
  'refs/remotes/origin/main',
  `refs/tags/${'t'.repeat(3_000)}`,
  'refs/tags/v1',
  'refs/sessions/short',
);

test('what is asked for one by one is what is in the whole file, whoever else has refs and tags in it', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(9_999), { minLength: 0, maxLength: 400 }),
      fc.uniqueArray(fc.nat(9_999), { minLength: 0, maxLength: 30 }),
      fc.uniqueArray(strangers),
      fc.array(fc.nat(9_999), { minLength: 10, maxLength: 40 }),
      (ended, open, others, asked) => {
        const refs = [...ended.map(archived), ...open.map((one) => `refs/sessions/${session(one)}`), ...others];
        const peeled = (ref: string): string => (ref.startsWith('refs/tags/') ? `\n^${oid(7)}` : '');
        const lines = refs.sort(byBytes).map((ref, at) => `${oid(at + 1)} ${ref}${peeled(ref)}`);
        const path = fileOf(lines);
        const whole = readPackedRefs(path, isPointer);
        const packed = packedRefsOf(path, isPointer);
        for (const one of [...asked, ...ended.slice(0, 10)])
          expect(packed.get(archived(one))).toBe(whole.get(archived(one)) ?? null);
        for (const prefix of ['refs/archive/', 'refs/sessions/', 'refs/heads/', 'refs/zz/'])
          expect(packed.below(prefix)).toEqual([...whole.keys()].filter((ref) => ref.startsWith(prefix)).sort());
      },
    ),
    { numRuns: 60 },
  );
});

test('the first, the last, and what would stand before, between and behind them', () => {
  const packed = packedRefsOf(fileOf(many(MANY)), isPointer);
  expect(packed.get(archived(1))).toBe(oid(0));
  expect(packed.get(archived(2 * MANY - 1))).toBe(oid(MANY - 1));
  for (const none of [0, 2, MANY, 2 * MANY, 9_999]) expect(packed.get(archived(none))).toBe(null);
});

describe('what is odd', () => {
  const odd = (at: number, line: string): string[] => many(MANY).map((one, index) => (index === at ? line : one));

  test('is not met by who looks elsewhere', () => {
    const path = fileOf(odd(150, 'no ref at all'));
    expect(packedRefsOf(path, isPointer).get(archived(2 * MANY - 1))).toBe(oid(MANY - 1));
    expect(errorOf(() => readPackedRefs(path, isPointer)).message).toBe('packed-refs is damaged: line 152 is no ref');
  });

  test('is named by the number of its line where it is met', () => {
    const path = fileOf(odd(MANY - 1, 'no ref at all'));
    const error = errorOf(() => packedRefsOf(path, isPointer).get(archived(2 * MANY - 1)));
    expect(error.message).toBe(`packed-refs is damaged: line ${MANY + 1} is no ref`);
  });

  test('such as a cut-off end is met whatever is asked for', () => {
    const path = fileOf(many(MANY));
    writeFileSync(path, `${HEADER}\n${many(MANY).join('\n')}`);
    expect(errorOf(() => packedRefsOf(path, isPointer).get(archived(1))).message).toContain('its last line is cut off');
  });

  test.each([
    ['without a header', null],
    ['whose header says nothing of an order', '# pack-refs with: peeled '],
  ])('such as a file %s is read whole, in whatever order it is', (_words, header) => {
    const packed = packedRefsOf(fileOf(many(MANY).reverse(), header), isPointer);
    for (const one of [0, 700, MANY - 1]) expect(packed.get(archived(2 * one + 1))).toBe(oid(one));
    expect(packed.below('refs/archive/')).toHaveLength(MANY);
  });

  test('such as a folder in its place is reported', () => {
    const path = join(temporaryFolder(), 'packed-refs');
    mkdirSync(path);
    expect(errorOf(() => packedRefsOf(path, isPointer).get(archived(1))).code).toBe('damaged');
  });
});

test('who asks for many reads it once, and a file that has changed is looked at again', () => {
  const path = fileOf(many(MANY));
  const packed = packedRefsOf(path, isPointer);
  for (let one = 0; one < 300; one += 1) expect(packed.get(archived(2 * one + 1))).toBe(oid(one));
  writeFileSync(path, `${HEADER}\n${oid(9)} ${archived(1)}\n`);
  expect([packed.get(archived(1)), packed.get(archived(3))]).toEqual([oid(9), null]);
});

test('refs that are put in are in order among those of others, which stay as they are', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(strangers),
      fc.uniqueArray(fc.nat(99), { maxLength: 20 }),
      fc.uniqueArray(fc.nat(99), { maxLength: 20 }),
      fc.constantFrom(HEADER, '# pack-refs with: peeled ', null),
      (others, before, values, header) => {
        const ref = (name: string): string =>
          `${oid(3)} ${name}${name.startsWith('refs/tags/') && header !== null ? `\n^${oid(4)}` : ''}`;
        const lines = [...others.map(ref), ...before.map((one) => `${oid(1)} ${archived(one)}`)];
        const sorted = lines.sort((one, other) => byBytes(one.slice(41), other.slice(41)));
        const old = readOrNothing(fileOf(sorted, header));
        const text =
          sorted.length === 0 && header === null ? '' : `${[...(header ? [header] : []), ...sorted].join('\n')}\n`;
        const next = withRefs(text, new Map(values.map((one) => [archived(one), oid(2)])));
        const path = join(temporaryFolder(), 'packed-refs');
        writeFileSync(path, next);
        checkPackedRefs(path);
        const all = new Map([...old, ...values.map((one): [string, string] => [archived(one), oid(2)])]);
        expect(new Map([...readPackedRefs(path, isPointer)].sort())).toEqual(new Map([...all].sort()));
        expect(next.split('\n').filter((line) => line.startsWith('^'))).toHaveLength(text.split('\n^').length - 1);
        expect(next.split('\n')[0]).toContain(' sorted ');
        expect(next.split('\n')[0]?.includes('fully-peeled')).toBe(header === HEADER || text === '');
      },
    ),
  );
});

const readOrNothing = (path: string): Map<string, string> => {
  try {
    return readPackedRefs(path, isPointer);
  } catch {
    return new Map();
  }
};
