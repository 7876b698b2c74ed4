// Tests which lines of a text a change of it wrote.
import { describe, expect, test } from 'vitest';
import { changedLines } from '../../src/agents/shared/changed-lines.ts';
import { fc } from '../support/property.ts';

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');

describe('the lines that a change wrote', () => {
  test.each<[string, string, string, [number, number][]]>([
    ['none of an equal text', text('a', 'b'), text('a', 'b'), []],
    ['one in the midst', text('a', 'b', 'c'), text('a', 'x', 'c'), [[2, 1]]],
    ['what is put in', text('a', 'b'), text('a', 'x', 'y', 'b'), [[2, 2]]],
    ['nothing of what is taken out', text('a', 'b', 'c'), text('a', 'c'), []],
    ['at the end', text('a'), text('a', 'x'), [[2, 1]]],
    [
      'two far apart',
      text('a', 'b', 'c', 'd', 'e'),
      text('x', 'b', 'c', 'd', 'y'),
      [
        [1, 1],
        [5, 1],
      ],
    ],
    [
      'a bracket as there are others',
      text('f {', '}', 'g {', '}', 'h'),
      text('e {', '}', 'f {', '}', 'g {', '}', 'i'),
      [
        [1, 2],
        [7, 1],
      ],
    ],
    ['one of two that changed places', text('a', 'b', 'c', 'd'), text('c', 'a', 'b', 'd'), [[1, 1]]],
    ['a last line that got its break', 'a\nb', 'a\nb\n', [[3, 1]]],
  ])('%s', (_name, before, after, ranges) => expect(changedLines(before, after)).toEqual(ranges));

  test('are not listed if there are very many of them', () => {
    const old = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
    expect(changedLines(text(...old), text(...old.map((line, index) => (index % 2 ? line : 'x'))))).toBeUndefined();
  });

  test('are all but lines that the text had before, in the order that they had', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const ranges = changedLines(before.join('\n'), after.join('\n')) ?? [];
        const changed = new Set(
          ranges.flatMap(([first, count]) => Array.from({ length: count }, (_, more) => first + more)),
        );
        const kept = after.filter((_, index) => !changed.has(index + 1));
        let at = 0;
        for (const line of kept) {
          at = before.indexOf(line, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});
