/** The spinner draws the newest text, but not more often than an eye can follow, and leaves nothing behind. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { spinner } from '../../src/cli/spinner.ts';

function drawn(shows: readonly (readonly [at: number, text: string | (() => string)])[]): string {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, clearLine() {}, cursorTo() {} });
  let now = 0;
  const progress = spinner(false, stream, () => now);
  for (const [at, text] of shows) {
    now = at;
    progress.show(text);
  }
  progress.end();
  return String(stream.read() ?? '');
}

test('nothing is drawn in the first half second, and then no more often than every 80 ms', () => {
  const text = drawn([
    [0, 'none'],
    [499, 'early'],
    [500, 'one'],
    [579, 'two'],
    [580, 'three'],
    [659, 'four'],
    [660, 'five'],
  ]);
  expect(text.match(/none|early|one|two|three|four|five/g)).toEqual(['one', 'three', 'five']);
});

test('a text that is wider than the terminal is cut', () => {
  expect(drawn([[500, 'x'.repeat(200)]])).toContain(`${'x'.repeat(76)}…`);
  expect(drawn([[500, 'x'.repeat(200)]])).not.toContain('x'.repeat(77));
});

test('a text that is not drawn is not even made', () => {
  const made: number[] = [];
  const text = (at: number) => (): string => `${made.push(at)}`;
  drawn([
    [0, text(0)],
    [500, text(500)],
    [510, text(510)],
  ]);
  expect(made).toEqual([500]);
});

test('control characters of what is shown do not reach the terminal', () => {
  expect(drawn([[500, 'a\u001b]0;title\u0007b']])).toContain('title');
  expect(drawn([[500, 'a\u001b]0;title\u0007b']])).not.toContain('\u001b]');
});

test('if nothing was shown nothing is written', () => {
  expect(drawn([])).toBe('');
});
