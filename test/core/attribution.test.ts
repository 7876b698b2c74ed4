// Tests which version of a text each line is from.
import { diffArrays } from 'diff';
import { describe, expect, test } from 'vitest';
import { attribute, type Compare, type Version } from '../../src/core/attribution.ts';
import { fc } from '../support/property.ts';

const compare: Compare = (before, after) => diffArrays([...before], [...after]);
const made = (...lines: string[]): Version => ({ lines, isMade: true });
const seen = (...lines: string[]): Version => ({ lines, isMade: false });
const unseen: Version = { lines: null, isMade: true };

/** Each line with its origin: `a<0` is line `a`, made by version 0. */
function drawn(...versions: Version[]): string[] {
  const { lines = [], origins = [] } = attribute(versions, compare) ?? {};
  const marks = { made: '<', unseen: '~', outside: '!', older: '?' };
  return origins.map(({ kind, version }, index) => `${lines[index]}${marks[kind]}${version ?? ''}`);
}

describe('a line', () => {
  test.each<[string, Version[], string[]]>([
    ['is from the version that made the text', [made('a', 'b')], ['a<0', 'b<0']],
    ['keeps its version while others change around it', [made('a', 'c'), made('a', 'b', 'c')], ['a<0', 'b<1', 'c<0']],
    ['is from its last change', [made('a'), made('b'), made('a')], ['a<2']],
    ['is older than a text that was only read', [seen('a'), made('a', 'b')], ['a?', 'b<1']],
    [
      'was changed outside between two versions',
      [made('a'), seen('a', 'x'), made('a', 'x', 'b')],
      ['a<0', 'x!', 'b<2'],
    ],
    ['may be from a version that nobody saw', [made('a'), unseen, seen('a', 'x')], ['a<0', 'x~1']],
    ['is older if nothing is known before an unseen version', [unseen, seen('a')], ['a?']],
    ['is gone with its text', [made('a'), made()], []],
  ])('%s', (_name, versions, lines) => expect(drawn(...versions)).toEqual(lines));

  test('has an origin in any history, and one that has it', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const version = fc.record({ lines: fc.option(fc.array(line, { maxLength: 8 })), isMade: fc.boolean() });
    fc.assert(
      fc.property(fc.array(version, { maxLength: 8 }), (versions) => {
        const result = attribute(versions, compare);
        const last = versions.findLast(({ lines }) => lines !== null)?.lines ?? null;
        expect(result?.lines ?? null).toEqual(last);
        for (const [index, { kind, version: from, line: number }] of (result?.origins ?? []).entries())
          if (kind === 'made') expect(versions[from]?.lines?.[number - 1]).toBe(last?.[index]);
      }),
    );
  });
});

test('of a text that nobody has seen nothing is known', () => {
  expect(attribute([unseen, unseen], compare)).toBeNull();
});

describe('a line that its version did not write', () => {
  const wrote = (version: Version, ...numbers: number[]): Version => ({
    ...version,
    wrote: (line) => numbers.includes(line),
  });
  test.each<[string, Version[], string[]]>([
    ['is older if nothing was known before', [wrote(made('a', 'x', 'b'), 2)], ['a?', 'x<0', 'b?']],
    ['was changed outside since the version before', [made('a'), wrote(made('a', 'x', 'y'), 3)], ['a<0', 'x!', 'y<1']],
    [
      'may be from a version that nobody saw',
      [made('a'), unseen, wrote(made('a', 'x', 'y'), 3)],
      ['a<0', 'x~1', 'y<2'],
    ],
  ])('%s', (_name, versions, lines) => expect(drawn(...versions)).toEqual(lines));
});
