// Lines that are made of something else come in small pieces, however long they are.
import { expect, test } from 'vitest';
import { linesText, PIECE } from '../../src/app/transcript/text.ts';

test.each([
  ['', 'short'],
  ['', '😀'.repeat(3 * PIECE)],
  ['a', '😀'.repeat(3 * PIECE)],
  ['a'.repeat(PIECE - 1), '\ud83d '.repeat(3 * PIECE)],
])('%#: no character is cut', (before, text) => {
  const lines = [before, text, 'end'].flatMap((line) => Array.from({ length: 6 }, () => line));
  const made = linesText('x', () => lines, 0);
  const pieces = Array.from(made.pieces(0), (piece) => Buffer.from(piece));
  expect(Buffer.concat(pieces).equals(Buffer.from(`${lines.join('\n')}\n`))).toBe(true);
  const longest = Math.max(...pieces.map(({ length }) => length));
  const isHeld = pieces.length === 1;
  expect(isHeld || longest <= 4 * (PIECE + 1)).toBe(true);
});
