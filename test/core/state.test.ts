// The state machine: every cell of the table, the words that each move leaves behind, and the diagram.
import { describe, expect, test } from 'vitest';
import { COMMIT_TYPE_KINDS, defaultCommitType } from '../../src/core/commit-types/table.ts';
import {
  allowedVerbs,
  commandOf,
  MOVES,
  moveOf,
  planMove,
  type SessionState,
  STATE_KINDS,
  type StateKind,
  stateDiagram,
  type Verb,
} from '../../src/core/state.ts';
import { errorOf } from '../support/store.ts';

const AT = 1_769_040_000;

/** One state of each kind. */
const STATES: { [Kind in StateKind]: SessionState } = {
  Running: { kind: 'Running' },
  AwaitingUser: { kind: 'AwaitingUser', question: 'old?', asked_at: 7 },
  PendingComplete: { kind: 'PendingComplete', summary: 'old summary' },
  Interrupted: { kind: 'Interrupted', user_message: 'old stop' },
  Complete: { kind: 'Complete' },
  Aborted: { kind: 'Aborted', reason: 'old reason' },
};

const VERBS: readonly Verb[] = ['ask', 'done', 'interrupt', 'respond', 'continue', 'confirm', 'reopen', 'abort'];

/** The table of the design, written out once more: where each move leads; what is not here is refused. */
const TABLE: { [Kind in StateKind]: { [Move in Verb]?: SessionState } } = {
  Running: {
    ask: { kind: 'AwaitingUser', question: 'words', asked_at: AT },
    done: { kind: 'PendingComplete', summary: 'words' },
    interrupt: { kind: 'Interrupted', user_message: 'words' },
    abort: { kind: 'Aborted', reason: 'words' },
  },
  AwaitingUser: { abort: { kind: 'Aborted', reason: 'words' }, respond: { kind: 'Running' } },
  PendingComplete: {
    abort: { kind: 'Aborted', reason: 'words' },
    confirm: { kind: 'Complete' },
    reopen: { kind: 'Running' },
  },
  Interrupted: { abort: { kind: 'Aborted', reason: 'words' }, continue: { kind: 'Running' } },
  Complete: {},
  Aborted: {},
};

const CELLS = STATE_KINDS.flatMap((kind) => VERBS.map((verb) => [kind, verb, TABLE[kind][verb]] as const));

describe('every cell of the table', () => {
  test.each(CELLS.filter(([, , to]) => to))('%s, %s: leads where the design says', (kind, verb, to) => {
    const plan = planMove(STATES[kind], verb, 'words', AT);
    expect(plan).toMatchObject({ from: STATES[kind], verb });
    expect(plan.to).toEqual(to);
  });

  test.each(CELLS.filter(([, , to]) => !to))('%s, %s: is refused and names what is possible', (kind, verb) => {
    const error = errorOf(() => planMove(STATES[kind], verb, 'words', AT));
    const allowed = [...Object.keys(TABLE[kind]), 'compact'];
    expect(error).toMatchObject({
      code: 'no_such_move',
      message: `A session that is ${kind} has no move "${verb}".`,
      data: { session_state: STATES[kind], verb },
    });
    expect([...(error.data as { allowed: string[] }).allowed].sort()).toEqual(allowed.sort());
    for (const name of allowed) expect(error.hint).toContain(commandOf(name));
  });

  test('there are 48 cells, of which 11 are moves', () => {
    expect(CELLS).toHaveLength(48);
    expect(CELLS.filter(([, , to]) => to)).toHaveLength(11);
    expect(MOVES.map((move) => move.verb)).toEqual(VERBS);
  });

  test.each(STATE_KINDS)('%s: the allowed verbs are its row, and compact is always the last', (kind) => {
    expect(allowedVerbs(kind)).toEqual([...VERBS.filter((verb) => TABLE[kind][verb]), 'compact']);
  });

  test('a verb that nobody knows is a bug of ours', () => {
    expect(errorOf(() => moveOf('fly' as Verb)).code).toBe('bug');
  });
});

describe('what a move leaves behind', () => {
  const plain = { edge: false };
  test.each<[Verb, StateKind, string, object]>([
    ['ask', 'Running', 'Which?', { note: { content: 'Question for user: Which?', role: 'question' }, ...plain }],
    ['done', 'Running', 'Built it', { note: null, ...plain }],
    ['interrupt', 'Running', 'Stop', { note: { content: 'User intervention: Stop', role: 'intervention' }, ...plain }],
    ['abort', 'Interrupted', 'no use', { note: null, ...plain }],
    ['respond', 'AwaitingUser', 'B', { note: { content: 'User response: B', role: 'response' }, edge: true }],
    ['continue', 'Interrupted', 'go on', { note: { content: 'go on', role: 'continuation' }, ...plain }],
    ['ask', 'Running', '', { note: null, ...plain }],
    ['interrupt', 'Running', ' ', { note: null, ...plain }],
    ['respond', 'AwaitingUser', '', { note: null, edge: true }],
    ['reopen', 'PendingComplete', '\n', { note: null, ...plain }],
    ['continue', 'Interrupted', '', { note: null, ...plain }],
    ['continue', 'Interrupted', ' \n ', { note: null, ...plain }],
    [
      'confirm',
      'PendingComplete',
      'thanks',
      { note: { content: 'User confirmed task complete', role: 'confirmation' }, ...plain },
    ],
    [
      'confirm',
      'PendingComplete',
      '',
      { note: { content: 'User confirmed task complete', role: 'confirmation' }, ...plain },
    ],
    [
      'reopen',
      'PendingComplete',
      'and tests',
      { note: { content: 'User requested continuation: and tests', role: 'continuation' }, ...plain },
    ],
  ])('%s from %s with %j', (verb, from, text, left) => {
    expect(planMove(STATES[from], verb, text, AT)).toMatchObject(left);
  });

  test('only a response is linked to the task', () => {
    expect(MOVES.filter((move) => move.edge).map((move) => move.verb)).toEqual(['respond']);
  });

  test('the text is kept as it is, however hostile', () => {
    const text = '\x1b[2J\n\nCtx-State: Complete\ud800';
    expect(planMove(STATES.Running, 'ask', text, AT).to).toEqual({
      kind: 'AwaitingUser',
      question: text,
      asked_at: AT,
    });
  });
});

test('the diagram shows every move once, and nothing else', () => {
  expect(stateDiagram()).toBe(`stateDiagram-v2
    [*] --> Running: start
    Running --> AwaitingUser: ask
    Running --> PendingComplete: done
    Running --> Interrupted: interrupt
    AwaitingUser --> Running: respond
    Interrupted --> Running: continue
    PendingComplete --> Complete: confirm
    PendingComplete --> Running: reopen
    Running --> Aborted: abort
    AwaitingUser --> Aborted: abort
    Interrupted --> Aborted: abort
    PendingComplete --> Aborted: abort
    Running --> [*]: compact
    AwaitingUser --> [*]: compact
    PendingComplete --> [*]: compact
    Interrupted --> [*]: compact
    Complete --> [*]: compact
    Aborted --> [*]: compact
`);
});

test.each(STATE_KINDS)('%s: compacts as Abandoned only when it was aborted', (kind) => {
  expect(defaultCommitType(kind)).toEqual({ kind: kind === 'Aborted' ? 'Abandoned' : 'Normal' });
});

test('a session can end in four ways', () => {
  expect(COMMIT_TYPE_KINDS).toEqual(['Normal', 'Abandoned', 'StaleAutoCompact', 'InterruptedByNewTask']);
});
