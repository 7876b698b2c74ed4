// The questions that ctx asks, word for word, and which answer means which option.
import { describe, expect, test } from 'vitest';
import { type ChoiceKind, choiceBy, questionOf } from '../../src/core/choice.ts';

describe('the questions are those of the design', () => {
  test.each<[ChoiceKind, string]>([
    [
      'stale_session',
      'Welcome back! You were working on: Add retry\n\nWould you like to:\nA) Continue that work\nB) Save it and start fresh',
    ],
    [
      'new_task',
      'You have unfinished work on: Add retry\n\nShould I:\nA) Save that and start on your new request\nB) Continue where we left off',
    ],
    ['unclear', 'Are you continuing the current task or starting something new?'],
  ])('%s', (kind, message) => {
    const question = questionOf(kind, 'Add retry');
    expect(question).toMatchObject({ kind, message });
    expect(question.options.map(({ key }) => key)).toEqual(['A', 'B']);
  });
});

describe('an answer', () => {
  test.each<[ChoiceKind, string, string | null]>([
    ['stale_session', 'A', 'continue'],
    ['stale_session', 'b', 'fresh'],
    ['new_task', 'A', 'fresh'],
    ['new_task', 'B)', 'continue'],
    ['unclear', 'A', 'continue'],
    ['unclear', 'option b', 'fresh'],
    ['stale_session', 'Option A, please', 'continue'],
    ['stale_session', 'A.', 'continue'],
    ['stale_session', 'A) Continue that work', 'continue'],
    ['new_task', 'Save that and start on your new request', 'fresh'],
    ...(['stale_session', 'new_task', 'unclear'] as const).flatMap((kind): [ChoiceKind, string, string | null][] => [
      [kind, 'continue', 'continue'],
      [kind, ' Continue! ', 'continue'],
      [kind, 'fresh', 'fresh'],
      [kind, "Let's start fresh", 'fresh'],
      [kind, 'start something new', 'fresh'],
      [kind, 'continue where we left off', 'continue'],
      [kind, 'C', null],
      [kind, '', null],
      [kind, 'Yes', null],
      [kind, 'Also add logging', null],
      [kind, 'Continue with the tests and add a cache', null],
      [kind, 'A test fails', null],
      [kind, 'new tests are needed', null],
      [kind, 'A '.repeat(500_000), null],
    ]),
  ])('to %s: %s', (kind, text, choice) => {
    expect(choiceBy(kind, text)).toBe(choice);
  });
});
