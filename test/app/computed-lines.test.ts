// The text of a document, whose lines are computed for each pass: its end is held since it was counted, and is the same.
import { expect, test } from 'vitest';
import { linesText } from '../../src/app/transcript/text.ts';

/** More than is held whole. */
const LINES = 3000;
const WIDTH = 4000;

test('the end of computed lines is read without computing the others again, and is what a whole pass gives', () => {
  let passes = 0;
  const lines = function* (): Generator<string> {
    passes += 1;
    for (let index = 0; index < LINES; index += 1) yield `${index} ${'é'.repeat(WIDTH / 2)}`;
  };
  const text = linesText('a.json', lines, 0);
  const read = (from: number): Buffer => Buffer.concat([...text.pieces(from)].map((piece) => Buffer.from(piece)));
  const whole = read(0);
  expect(text.size()).toBe(whole.length);
  passes = 0;
  for (const back of [0, 1, 10, 4096, 64 * 1024])
    expect(read(whole.length - back).equals(whole.subarray(whole.length - back))).toBe(true);
  expect(passes).toBe(0);
  for (const from of [0, 5, whole.length - 3 * 1024 * 1024]) expect(read(from).equals(whole.subarray(from))).toBe(true);
  expect(passes).toBe(3);
});
