// The hunk of last resort: it must apply, whatever the texts hold.
import { applyPatch } from 'diff';
import { expect, test } from 'vitest';
import { replacement } from '../../src/core/hunk.ts';
import { fc } from '../support/property.ts';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', ' x', '-y', '+z', '\\ w', 'é\r')), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

test('it makes the one text of the other, and back', () => {
  fc.assert(
    fc.property(text, text, fc.nat(4), (before, after, context) => {
      fc.pre(before !== after);
      const file = { oldFileName: 'a', newFileName: 'a', oldHeader: '', newHeader: '' };
      const options = { autoConvertLineEndings: false };
      expect(applyPatch(before, { ...file, hunks: [replacement(before, after, context)] }, options)).toBe(after);
      expect(applyPatch(after, { ...file, hunks: [replacement(after, before, context)] }, options)).toBe(before);
    }),
  );
});

test('it shows no more than the context around what differs', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n';
  expect(replacement(before, before.replace('e', 'E\nE'), 3)).toEqual({
    oldStart: 2,
    oldLines: 7,
    newStart: 2,
    newLines: 8,
    lines: [' b', ' c', ' d', '-e', '+E', '+E', ' f', ' g', ' h'],
  });
});

test('distinguishes a last line without a line feed from one with it', () => {
  expect(replacement('a\nb', 'a\nb\n', 3).lines).toEqual([' a', '-b', '\\ No newline at end of file', '+b']);
});
