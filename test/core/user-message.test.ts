// The table of messages: what each class does in each state.
import { describe, expect, test } from 'vitest';
import type { Choice } from '../../src/core/choice.ts';
import { CLASSES, type Classification } from '../../src/core/message-class.ts';
import {
  type Circumstances,
  CONTINUED,
  choicePlan,
  type Deed,
  leftChoicePlan,
  messagePlan,
  stalePlan,
} from '../../src/core/session/user-message.ts';
import { MOVES, planMove, type SessionState, STATE_KINDS } from '../../src/core/state.ts';

/** A deed in short: `move respond`, `end Abandoned`, `start`, `ask new_task`. */
function short(deed: Deed): string {
  if (deed.do === 'move') return `${deed.verb}${deed.text === '' ? '' : ' text'}`;
  if (deed.do === 'end') return `end ${deed.type?.kind ?? 'by its state'}`;
  if (deed.do === 'ask') return `ask ${deed.kind}`;
  if (deed.do === 'keep') return `keep ${deed.words}`;
  return deed.do === 'note' ? `note ${deed.content}` : `start ${deed.task}`;
}

const of = (state: Circumstances['state'], classification: Classification, hook = false): string =>
  messagePlan({ state, classification, message: 'text', hook }).deeds.map(short).join(', ');

const ACTIVE = ['Running', 'AwaitingUser', 'PendingComplete', 'Interrupted'] as const;
const taken = {
  Running: 'interrupt text',
  AwaitingUser: 'respond text',
  PendingComplete: 'reopen text',
  Interrupted: 'continue text',
};

describe.each(ACTIVE)('in %s', (state) => {
  test.each<[Classification, string]>([
    ['Response', taken[state]],
    ['Modification', taken[state]],
    ['Confirmation', state === 'PendingComplete' ? 'confirm, end by its state' : ''],
    ['Abandon', 'abort text, end by its state'],
    ['NewTask', 'ask new_task'],
    ['Clarification', ''],
    ['Unclear', 'ask unclear'],
  ])('%s', (classification, deeds) => {
    expect(of(state, classification)).toBe(deeds);
  });
});

test.each<[Classification, string]>([
  ['Response', 'start text'],
  ['Modification', 'start text'],
  ['NewTask', 'start text'],
  ['Clarification', 'start text'],
  ['Confirmation', ''],
  ['Abandon', ''],
])('without a session: %s', (classification, deeds) => {
  expect(of(null, classification)).toBe(deeds);
});

test('a hook takes up at once what cuts in, and leaves what was confirmed to the end of the turn', () => {
  expect(of('Running', 'Modification', true)).toBe('interrupt text, continue');
  expect(of('PendingComplete', 'Confirmation', true)).toBe('confirm');
});

test('where nobody can be asked, the session takes up what would have been asked about, and says so', () => {
  for (const state of ACTIVE)
    for (const classification of ['NewTask', 'Unclear'] as const) {
      const told = { state, classification, message: 'text', hook: true, cannotAsk: true };
      const [note, ...moves] = messagePlan(told).deeds;
      expect(note).toMatchObject({ do: 'note', content: expect.stringMatching(/^ctx continued .*, without asking: /) });
      expect(moves.map(short).join(', ')).toBe(of(state, 'Modification', true));
    }
  expect(stalePlan('ask', 1, true)).toMatchObject([{ do: 'note', content: expect.stringContaining('idle period') }]);
  expect(stalePlan('auto_compact', 1, true).map(short)).toEqual(['end StaleAutoCompact']);
});

test('every move that the table of messages makes is one of the state table', () => {
  const states: Record<string, SessionState> = {
    Running: { kind: 'Running' },
    AwaitingUser: { kind: 'AwaitingUser', question: '?', asked_at: 0 },
    PendingComplete: { kind: 'PendingComplete', summary: '' },
    Interrupted: { kind: 'Interrupted', user_message: '' },
  };
  expect(MOVES.length).toBeGreaterThan(0);
  for (const kind of ACTIVE)
    for (const classification of CLASSES)
      for (const hook of [true, false]) {
        let state = states[kind] as SessionState;
        for (const deed of messagePlan({ state: kind, classification, message: 'x', hook }).deeds)
          if (deed.do === 'move') state = planMove(state, deed.verb, deed.text, 1).to;
        expect(STATE_KINDS).toContain(state.kind);
      }
});

describe('idle time', () => {
  test.each([
    ['fresh', []],
    ['ask', ['ask stale_session']],
    ['auto_compact', ['end StaleAutoCompact']],
  ] as const)('%s', (staleness, deeds) => {
    expect(stalePlan(staleness, 700_000).map(short)).toEqual(deeds);
  });
});

describe('an answer to a question of ours', () => {
  const plan = (kind: Parameters<typeof choicePlan>[0], choice: 'continue' | 'fresh', classification: Classification) =>
    choicePlan(kind, choice, { state: 'PendingComplete', classification, message: 'text', hook: false }).deeds.map(
      short,
    );

  test('fresh saves the session and starts with the message that raised the question, whatever was asked', () => {
    for (const kind of ['stale_session', 'new_task', 'unclear'] as const)
      expect(plan(kind, 'fresh', 'Modification')).toEqual(['end InterruptedByNewTask', 'start text']);
  });

  test('fresh saves the session and starts nothing with words that are no task', () => {
    for (const classification of ['Confirmation', 'Abandon'] as const)
      expect(plan('stale_session', 'fresh', classification)).toEqual(['end InterruptedByNewTask']);
  });

  test('continue applies the message, and says that the user continued', () => {
    expect(plan('stale_session', 'continue', 'Modification')).toEqual([`note ${CONTINUED}`, 'reopen text']);
    expect(plan('stale_session', 'continue', 'Confirmation')).toEqual([
      `note ${CONTINUED}`,
      'confirm',
      'end by its state',
    ]);
    expect(plan('unclear', 'continue', 'Unclear')).toEqual(['reopen text']);
  });

  test('continue never asks again, and never loses the message', () => {
    for (const kind of ['stale_session', 'new_task', 'unclear'] as const)
      for (const classification of CLASSES) {
        const deeds = plan(kind, 'continue', classification);
        expect(deeds.some((deed) => deed.startsWith('ask'))).toBe(false);
        expect(deeds.some((deed) => /text|confirm/.test(deed))).toBe(true);
      }
  });
});

test.each<[Choice, Classification, string]>([
  ['fresh', 'NewTask', 'start text'],
  ['fresh', 'Modification', 'start text'],
  ['fresh', 'Confirmation', ''],
  ['continue', 'NewTask', 'start task, note text'],
  ['continue', 'Confirmation', 'start task, note text'],
])('%s, said of a session that is saved already, to a message that is %s', (choice, classification, expected) => {
  const { deeds } = leftChoicePlan(choice, { task: 'task', classification, message: 'text' });
  expect(deeds.map(short).join(', ')).toBe(expected);
});
