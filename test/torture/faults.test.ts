// The table of what faults have hit: each kind has its column, and none is left out.
import { expect, test } from 'vitest';
import { type Swept, sweptTable } from './faults.ts';
import { byStrace, INJECTIONS } from './strace.ts';
import { newTally } from './tally.ts';

const swept = (...modes: string[]): Swept => ({
  ready: { scenario: 0, title: 'init', calls: 7, writes: 3, losses: [] },
  tallies: modes.map((mode, index) => ({ ...newTally('init', mode), points: 5, hits: 5 - index })),
});

test.each([
  ['before calls of the program', ['kill', 'EIO']],
  ['by strace', INJECTIONS.map(byStrace)],
])('hits of points are shown by command and kind: faults %s', (_, modes) => {
  const [head, , row, all] = sweptTable([swept(...modes)], modes, [], 0).split('\n');
  expect(head?.trim().split(/ {2,}/).slice(2)).toEqual([...modes, 'losses']);
  for (const line of [row, all])
    expect(line?.match(/\d of \d/g)).toEqual(modes.map((_mode, index) => `${5 - index} of 5`));
});

test('reports a result without a column', () => {
  expect(() => sweptTable([swept('strace kill')], ['kill'], [], 0)).toThrow(
    'There is no column for init, strace kill.',
  );
});
