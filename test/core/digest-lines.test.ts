import { expect, test } from 'vitest';
import { DigestLines } from '../../src/core/records/digest.ts';

/** `{"n":1}` and the end of its line. */
const LINE = 8;

test.each([
  [3 * LINE, '{"n":1}\n{"n":2}\n{"n":3}\n', 'all find room'],
  [3 * LINE - 1, '{"n":1}\n{"n":2}\n{"left_out":1}\n', 'the last finds none'],
  [LINE, '{"n":1}\n{"left_out":2}\n', 'what comes behind one that found none is left out, too'],
  [LINE - 1, '{"left_out":3}\n', 'none finds room'],
])('with room for %i bytes: %j, %s', (room, text) => {
  const lines = new DigestLines(room);
  for (const n of [1, 2, 3]) lines.add({ n });
  expect(lines.text()).toBe(text);
});

test('bytes count, not characters', () => {
  const lines = new DigestLines(LINE + 2);
  lines.add({ n: '漢' });
  expect(lines.text()).toBe('{"left_out":1}\n');
});

test('a short line behind a long one that found no room is left out: those that are held are the first', () => {
  const lines = new DigestLines(2 * LINE);
  lines.add({ n: 1 });
  lines.add({ n: 'far too long' });
  lines.add({ n: 3 });
  expect(lines.text()).toBe('{"n":1}\n{"left_out":2}\n');
});

test('taken bit by bit they are the same file', () => {
  const lines = new DigestLines(2 * LINE);
  const taken: string[] = [];
  for (const n of [1, 2, 3]) {
    lines.add({ n });
    taken.push(...lines.take());
  }
  expect(`${taken.join('')}${lines.end()}`).toBe('{"n":1}\n{"n":2}\n{"left_out":1}\n');
});
