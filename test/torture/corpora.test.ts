// Tests the harness's counts of fuzzing and of strangers with made-up suites: no failure may pass for a success.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/store.ts';
import { countCases } from './corpora.ts';

/** A project of its own with one suite; gives what vitest must be told to run it. */
function suite(text: string): string[] {
  const root = temporaryFolder();
  mkdirSync(join(root, 'made-up'));
  const tell = `(await import('node:fs')).appendFileSync(process.env.TORTURE_CASES, 'made-up/suite.test.ts 7\\n');`;
  writeFileSync(join(root, 'made-up', 'suite.test.ts'), `${tell}\n${text}\n`);
  return ['--root', root, '--globals'];
}

const PASSES = `test('one', () => expect(1).toBe(1)); test('two', () => expect(1).toBe(1));`;

test.each<[string, string[], row: (string | number)[], losses: RegExp[]]>([
  ['passes', suite(PASSES), [2, 7, 0], []],
  ['skips a test', suite(`${PASSES} test.skip('three', () => {}); test.todo('four');`), [2, 7, 0], []],
  ['fails', suite(`${PASSES} test('three', () => expect(1).toBe(2));`), [3, 7, 1], [/^three: .*expected 1 to be 2/]],
  [
    'leaves an error behind that belongs to no test',
    suite(`${PASSES} void Promise.reject(new Error('made up'));`),
    [2, 7, 0],
    [/^vitest ended with 1, and no test has failed: .*Error: made up/s],
  ],
  [
    'cannot be run',
    suite(`throw new Error('made up');`),
    [0, 7, 0],
    [/^made-up\/suite\.test\.ts could not be run: made up/],
  ],
  [
    'is none that vitest could run',
    ['--no-such-option'],
    [0, 0, 0],
    [/^no suite has run$/, /^vitest ended with 1, and no test has failed: /],
  ],
])('a suite that %s', async (_words, suites, row, losses) => {
  const counted = await countCases(1, suites);
  expect(counted.rows.at(-1)).toEqual(['all', ...row]);
  expect(counted.losses).toEqual(losses.map((loss) => expect.stringMatching(loss)));
});
