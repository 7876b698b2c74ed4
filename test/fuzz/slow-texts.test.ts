// No text makes the search for secrets slow: texts are made of what the rules look for, and work is counted, not timed.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';
import { SLOWEST, slowText, slowUnit, workOf } from '../support/slow-texts.ts';
import { runs } from './fuzz.ts';

/** A length of texts, in characters, which is beyond what is searched in another way in the first of a process. */
const LENGTH = 62 * 400;
/** Most work for a character, some half more than the slowest text that is known. */
const MOST = 100;
/** Factor by which the work may grow with a text of double length. */
const GROWTH = 2.3;

/** Equal values are judged once; these are filled in with another one each time. */
const DIFFERENT = [
  'pass="{17:b}",',
  'password={26:b} ',
  'TOKEN={30:b}\n',
  'postgres://a:{10:b}@h ',
  'session-token={48:b}',
];

const work = (unit: string, length: number): number => workOf(() => findSecrets(slowText(unit, length), {}));

// The patterns are made, and what a first text costs is over.
for (const unit of SLOWEST) findSecrets(slowText(unit, 70_000));

describe('work on a text made to be slow', () => {
  test.each(SLOWEST)('%j: is bounded for each character, and grows with the text alone', (unit) => {
    const once = work(unit, LENGTH);
    expect(once / LENGTH).toBeLessThan(MOST);
    expect(work(unit, 2 * LENGTH) / once).toBeLessThan(GROWTH);
  });

  test.each(DIFFERENT)('%j, each time with another value: is bounded for each character', (unit) => {
    const chance = new Chance(1);
    const text = Array.from({ length: LENGTH / unit.length }, () => fill(unit, chance)).join('');
    expect(workOf(() => findSecrets(text, {})) / text.length).toBeLessThan(MOST / 4);
  });

  test('values that run into the next name are found, each by itself and not as far as a value goes', () => {
    const value = 'aB3xkQ9mZr7Tw2LpaB3xkQ9mZr7Tw2LpaB3xkQ9mZr7Tw2Lp';
    const text = slowText(`session-token=${value}`, LENGTH);
    const found = findSecrets(text, {}).slice(-100);
    const told = found.map(({ start, end }) => text.slice(start, end));
    // The next name touches the value.
    expect(told.slice(0, -1)).toEqual(Array(99).fill(`${value}session-token`));
    expect(told.at(-1)).toBe(value);
  });

  test('texts drawn from the anchors of the rules', () => {
    const { numRuns = 150, seed = 0 } = runs(150);
    const chance = new Chance(seed);
    const slow: string[] = [];
    for (let time = 0; time < numRuns; time++) {
      const unit = slowUnit(chance);
      const each = work(unit, LENGTH) / LENGTH;
      if (each >= MOST) slow.push(`${each.toFixed(1)} ${JSON.stringify(unit)}`);
    }
    expect(slow).toEqual([]);
  });
});
