// The questions that ctx asks, word for word, and which answer means which option.
import { describe, expect, test } from 'vitest';
import {
  type ChoiceKind,
  choiceBy,
  choiceLabelled,
  choiceWithMore,
  offersChoice,
  questionOf,
} from '../../src/core/choice.ts';

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

test.each(['Yes', 'ok', 'Sure, go ahead', 'yes please do that, thanks'])(
  'a plain yes takes the first option: %s',
  (said) => {
    expect(['stale_session', 'new_task', 'unclear'].map((kind) => choiceBy(kind as ChoiceKind, said))).toEqual([
      'continue',
      'fresh',
      'continue',
    ]);
  },
);

test.each(['no', 'Nope.', 'not yet', 'Not now, thanks', 'No, not yet', 'no thank you'])(
  'a plain no refuses the new request, and nothing else that is asked: %s',
  (said) => {
    expect(['stale_session', 'new_task', 'unclear'].map((kind) => choiceBy(kind as ChoiceKind, said))).toEqual([
      null,
      'continue',
      null,
    ]);
  },
);

test.each(['Ok then A please', 'Well, A', 'Alright, let us go with A please', 'Fine: A.'])(
  'a letter that is led up to picks its option: %s',
  (said) => {
    expect([choiceBy('new_task', said), choiceBy('stale_session', said)]).toEqual(['fresh', 'continue']);
    expect(choiceBy('new_task', said.replace('A please', 'a test').replace('A', 'a test'))).toBeNull();
  },
);

describe('an answer that shares no word with the options', () => {
  const old = ['finish the old one first', "let's finish this first", 'No, finish that one first please', 'finish it'];
  const stay = ['stay on the current task', 'Please stay with this one for now', 'Not yet, stay on it'];
  const same = ['same task', 'still the same', 'the same one', "It's still the same task", 'Same.'];
  const back = ['pick up where we left off', "Let's pick it back up where we stopped", 'weiter', 'Bitte weitermachen!'];
  const begun = ['a new one', 'something new', 'new task', 'neue Aufgabe', 'Bitte eine neue Aufgabe', 'etwas Neues'];
  const more = [
    'finish this with a test',
    'finish the old tests first',
    'finish this first and then start on the docs',
    'stay on port 80',
    'use the same one in the cache',
    'not the same',
    'the same error again',
    'do the same',
    'pick up the branch where we left off',
    'no tests for it',
    'not now but later',
    'weiter mit den Tests',
    'neue Aufgabe: ein Dach bauen',
  ];
  test.each<[ChoiceKind]>([['stale_session'], ['new_task'], ['unclear']])('to %s', (kind) => {
    for (const said of [...old, ...stay, ...same, ...back])
      expect([said, choiceBy(kind, said)]).toEqual([said, 'continue']);
    for (const said of begun) expect([said, choiceBy(kind, said)]).toEqual([said, 'fresh']);
    for (const said of more) expect([said, choiceBy(kind, said)]).toEqual([said, null]);
  });
});

test('an option in words of its own may have more text after it', () => {
  expect(choiceWithMore('new_task', 'Start the new request, also use CSS variables')).toBe('fresh');
  expect(choiceWithMore('new_task', 'Start the server, then the client')).toBe(null);
  expect(choiceBy('unclear', 'it is a new thing')).toBe('fresh');
});

describe('an answer that names an option in more words', () => {
  const second = [
    'b) start fresh',
    'B, start fresh',
    'B) fresh',
    'B - save it',
    '(b)',
    'option 2',
    'the second',
    'second one',
  ];
  const chosen = [
    'I choose B',
    "let's go with b",
    'yes, b',
    'the latter',
    'B please, thanks',
    'the second one, start fresh',
  ];
  const first = [
    'A) continue',
    'a, continue',
    'the first',
    'first one',
    'A - keep going',
    'option 1',
    'A: continue that work',
  ];
  const begun = [
    'start the new one',
    'yes, save that',
    'A) save that',
    'a, start the new one',
    'the first',
    'the new one',
  ];
  const saved = ['save and start the new one', 'save the current work and start fresh', 'yes, start the new request'];
  const kept = [
    'B, continue',
    'the second',
    'B) continue where we left off',
    'yes, continue',
    'keep the old task',
    'continue with the same task',
  ];
  test.each<[ChoiceKind, string, readonly string[]]>([
    ['stale_session', 'fresh', [...second, ...chosen]],
    ['unclear', 'fresh', [...second, ...chosen]],
    ['stale_session', 'continue', first],
    ['unclear', 'continue', first],
    ['new_task', 'fresh', [...begun, ...saved]],
    ['new_task', 'continue', kept],
  ])('to %s: %s', (kind, choice, answers) => {
    for (const answer of answers) expect([answer, choiceBy(kind, answer)]).toEqual([answer, choice]);
  });

  const others = [
    'A test fails',
    'a) rename x, b) add tests',
    'first fix the tests',
    '2 tests fail',
    'A and B',
    'no way',
  ];
  const unsure = [
    'save it and continue',
    "don't continue",
    'b is undefined',
    'save the request',
    'resume the old download',
  ];
  const changes = ['A) but use a map', 'second, add logging', 'start the server', 'keep the old name', 'save the file'];
  test.each<[ChoiceKind]>([['stale_session'], ['new_task'], ['unclear']])(
    'what says more or both is none to %s',
    (kind) => {
      for (const answer of [...others, ...unsure, ...changes])
        expect([answer, choiceBy(kind, answer)]).toEqual([answer, null]);
    },
  );
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
      [kind, 'thanks', null],
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

describe('an option that was picked, and more', () => {
  test.each<[ChoiceKind, string, string | null]>([
    ['new_task', 'A, and make them short', 'fresh'],
    ['new_task', 'A and then do the tests', 'fresh'],
    ['new_task', 'A. Also save the notes', 'fresh'],
    ['new_task', 'Option A, and use vitest', 'fresh'],
    ['new_task', "I'd go with option A. Use vitest", 'fresh'],
    ['new_task', 'B but rename it first', 'continue'],
    ['stale_session', 'b, and keep them short', 'fresh'],
    ['stale_session', '1 and run the tests', 'continue'],
    ['unclear', 'the second one, but without the cache', 'fresh'],
    ['new_task', 'New task: build a roof', null],
    ['stale_session', 'A new request: build a roof', null],
    ['unclear', 'different thing: build a roof', null],
    ['new_task', 'Start the new request: build a roof', 'fresh'],
    ['new_task', 'A test fails', null],
    ['new_task', 'a, b and c fail', null],
    ['new_task', '1. Fix the tests\n2. Write the docs', null],
    ['new_task', 'Also add logging', null],
    ['new_task', 'The option a user has is too slow', null],
    ['new_task', '', null],
    ['new_task', 'A '.repeat(500_000), null],
  ])('to %s: %s', (kind, text, choice) => {
    expect(choiceWithMore(kind, text)).toBe(choice);
  });
});

describe('an answer that begins with its option and has more text', () => {
  const letters = ['A. Use pg', 'a) use pg', 'A - use pg', 'A — use pg', '(A) use pg', '**A**: use pg', 'A\nUse pg'];
  const same = ['A. Write it in C', 'A. Use a B-tree', 'A) Save that and start on your new request. Use pg'];
  const labels = [
    'Save that and start on your new request. Use pg',
    'save that and start on your new request and use pg',
  ];
  const agreed = [
    'Yes, save it. Use pg as the driver.',
    'yes, start it, and call the module pool.ts',
    'Sure, go ahead, save it. Can you use pg?',
    'Ok. Please start it now. Use pg',
  ];
  test('says yes to the new request', () => {
    for (const said of [...letters, ...same, ...labels, ...agreed])
      expect([said, choiceBy('new_task', said), choiceWithMore('new_task', said, 'Write docs')]).toEqual([
        said,
        null,
        'fresh',
      ]);
    expect(choiceWithMore('stale_session', 'B. Make it German')).toBe('fresh');
    expect(choiceWithMore('stale_session', 'save it and start fresh with the roof')).toBe('fresh');
    expect(choiceWithMore('unclear', 'A. Make it German')).toBe('continue');
  });

  const lists = ['a) rename x, b) add tests', 'A. fix x\nB. fix y', 'a, b and c fail', 'A and B', 'A. B. Smith saw it'];
  const names = ['A better idea: use pg', 'A/B test it', 'A-frame is broken', 'A test fails. Use pg'];
  const both = ['A. Continue where we left off. Use pg', 'A. No wait, B'];
  const heldBack = [
    'Yes, but first fix the bug in docs',
    'Yes, fix the typo in the docs',
    'yes, once the tests are green',
    'Yes, not yet',
    'yes, finish the docs, then that',
    'Ok now fix the typo',
  ];
  const ofTheWork = ['Yes, that looks right', 'Yes, the tests pass', 'Yes, ship it', 'Yes, never mind', 'Yes, why?'];
  test('ends no session where it only looks so', () => {
    const unsure = [
      ...[
        'ok, hang on',
        'Yes, but keep it open',
        'Sure, keep at it',
        'Yes, go back to fixing it',
        'Yes, leave it open',
      ],
      ...['Yes, pick it back up', 'Yes, keep both', 'Ok, explain', 'ok, run it', 'Yes. Use pg', 'yes and use pg'],
      ...['Sure, go ahead. Use pg.', 'Yes, save it. Or wait', 'Yes, do it, but use pg'],
      ...['A... actually no, continue', 'A, or rather B please', 'A. Never mind', 'A, cancel', 'A - will I lose it?'],
    ];
    for (const said of [...lists, ...names, ...both, ...heldBack, ...ofTheWork, ...unsure])
      expect([said, choiceBy('new_task', said), choiceWithMore('new_task', said, 'Write docs')]).toEqual([
        said,
        null,
        null,
      ]);
  });
});

test('a label of an option, with its key or without, is that option; nothing else is', () => {
  expect(offersChoice('Which color?\n- Red\n- Continue where we left off')).toBe(false);
  for (const kind of ['stale_session', 'new_task', 'unclear'] as const) {
    const labels = questionOf(kind, 'Add retry').options.map(({ key, label }) => `- ${key}) ${label}`);
    expect(offersChoice(`Should I?\n${labels.join('\n')}`)).toBe(true);
    const [first, second] = questionOf(kind, 'Add retry').options.map(({ key, label }) => [key, label] as const);
    for (const option of [first, second]) {
      const [key, label] = option as readonly ['A' | 'B', string];
      for (const said of [label, `${key}) ${label}`, `${key}. ${label}`, `${key}: ${label.toLowerCase()}.`])
        expect([said, choiceLabelled(kind, said)]).toEqual([said, choiceBy(kind, key)]);
      for (const said of [key, 'yes', 'fresh', `${label} now`, `${key === 'A' ? 'B' : 'A'}) ${label}`])
        expect([said, choiceLabelled(kind, said)]).toEqual([said, null]);
    }
  }
});
