/** The spinner draws the newest text, but not more often than an eye can follow, and leaves nothing behind. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { spinner } from '../../src/cli/spinner.ts';

function drawn(shows: readonly (readonly [at: number, text: string])[]): string {
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

test('what comes within 80 ms of the last picture is not drawn', () => {
  const text = drawn([
    [0, 'one'],
    [79, 'two'],
    [80, 'three'],
    [159, 'four'],
    [160, 'five'],
  ]);
  expect(text.match(/one|two|three|four|five/g)).toEqual(['one', 'three', 'five']);
});

test('control characters of what is shown do not reach the terminal', () => {
  expect(drawn([[0, 'a\u001b]0;title\u0007b']])).not.toContain('\u001b]');
});

test('if nothing was shown nothing is written', () => {
  expect(drawn([])).toBe('');
});
