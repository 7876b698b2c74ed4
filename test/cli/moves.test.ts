// The state table through the command line: what each move does from each state, what it records, and what it refuses.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandOf } from '../../src/core/state.ts';
import type { ActiveStatus, CompactResult, LogEntry, MoveResult, Shown, ShownStep } from '../../src/index.ts';
import { fingerprint, fsck, NOON, type Repo, repository, seen, session } from '../support/cli.ts';

const STATES = ['Running', 'AwaitingUser', 'Interrupted', 'PendingComplete', 'Complete', 'Aborted'] as const;
type State = (typeof STATES)[number];
const VERBS = ['ask', 'respond', 'interrupt', 'continue', 'done', 'reopen', 'confirm', 'abort', 'compact'] as const;
type Verb = (typeof VERBS)[number];

/** The table of the design, written down a second time. `saved` is where the session ends and its commit begins. */
const TABLE: Record<State, Partial<Record<Verb, State | 'saved'>>> = {
  Running: {
    ask: 'AwaitingUser',
    done: 'PendingComplete',
    interrupt: 'Interrupted',
    abort: 'Aborted',
    compact: 'saved',
  },
  AwaitingUser: { respond: 'Running', abort: 'Aborted', compact: 'saved' },
  Interrupted: { continue: 'Running', abort: 'Aborted', compact: 'saved' },
  PendingComplete: { confirm: 'Complete', reopen: 'Running', abort: 'Aborted', compact: 'saved' },
  Complete: { compact: 'saved' },
  Aborted: { compact: 'saved' },
};

/** The command lines that lead from a session that runs to each state. */
const WAYS: Record<State, string[][]> = {
  Running: [],
  AwaitingUser: [['stage', 'ask', 'Which jitter?']],
  Interrupted: [['stage', 'interrupt', 'Make it 5']],
  PendingComplete: [['stage', 'done', 'Retry added']],
  Complete: [
    ['stage', 'done', 'Retry added'],
    ['stage', 'confirm', '--no-compact'],
  ],
  Aborted: [['stage', 'abort', '--reason', 'Superseded', '--no-compact']],
};

/** A move as one would type it; those that end a session leave it open, so that its state can be looked at. */
const LINES: Record<Verb, string[]> = {
  ask: ['stage', 'ask', 'And now?'],
  respond: ['stage', 'respond', 'Full jitter'],
  interrupt: ['stage', 'interrupt', 'Stop that'],
  continue: ['stage', 'continue', 'On it'],
  done: ['stage', 'done', 'All tests pass'],
  reopen: ['stage', 'reopen', 'Log it too'],
  confirm: ['stage', 'confirm', '--no-compact'],
  abort: ['stage', 'abort', '--reason', 'No time', '--no-compact'],
  compact: ['stage', 'compact'],
};

/** One session in each state, with a note that waits to be flushed. Whoever moves one on takes a copy. */
const open = {} as Record<State, Repo>;
beforeAll(() => {
  for (const state of STATES) {
    const repo = session();
    for (const line of [...WAYS[state], ['observe', 'note', 'This waits']]) {
      expect(repo.run(['--quiet', ...line]), line.join(' ')).toMatchObject({ code: 0, stderr: '' });
    }
    open[state] = repo;
  }
});

const status = (repo: Repo): ActiveStatus => repo.json<ActiveStatus>(['stage', 'status']);

/** Reads the steps of a session: their records without the values that differ from run to run. */
function stepsOf(repo: Repo, revision = 'STAGE'): (Omit<ShownStep, 'observations'> & { observations: object[] })[] {
  const shown = repo.json<Shown & { steps: ShownStep[] }>(['show', revision]);
  return shown.steps.map((step) => ({
    ...step,
    observations: step.observations.map(({ id: _id, at: _at, version: _version, ...record }) => record),
  }));
}

const WAITING = { kind: 'note', content: 'This waits', role: 'plain' };
const allowed = (state: State): string[] => Object.keys(TABLE[state]);

describe.each(STATES)('a session that is %s', (state) => {
  test('says so, and names the moves that are possible', () => {
    expect(status(open[state])).toMatchObject({ session_state: { kind: state }, pending_observations: 1 });
    expect(status(open[state]).allowed.toSorted()).toEqual(allowed(state).toSorted());
  });

  const legal = VERBS.filter((verb) => TABLE[state][verb] && verb !== 'compact');
  test.for(legal)('moves by %s, in one step that takes along what waited', (verb) => {
    const repo = open[state].copy();
    const before = status(repo);
    const moved = repo.json<MoveResult>(LINES[verb], { now: NOON + 60 });
    expect(moved).toMatchObject({
      session_id: before.session_id,
      from: before.session_state,
      session_state: { kind: TABLE[state][verb] },
      verb,
      step: before.step + 1,
      compacted: null,
    });
    expect(status(repo)).toMatchObject({
      session_state: moved.session_state,
      staging_head: moved.oid,
      step: moved.step,
      pending_observations: 0,
      last_activity: NOON + 60,
    });
    expect(repo.git('rev-parse', `${moved.oid}^`).trim()).toBe(before.staging_head);
    const last = stepsOf(repo).at(-1);
    expect(last?.observations[0]).toEqual(WAITING);
    expect(last?.observations.at(-1)).toEqual({
      kind: 'transition',
      from: before.session_state,
      to: moved.session_state,
      by: verb,
    });
    fsck(repo.dir);
  });

  const illegal = VERBS.filter((verb) => !TABLE[state][verb]);
  test.for(illegal)('has no move %s: what is possible is reported, and nothing changes', (verb) => {
    const repo = open[state];
    const before = fingerprint(repo.store);
    const { exit, ...error } = repo.refused(LINES[verb]);
    expect(exit).toBe(1);
    expect(error).toMatchObject({
      code: 'no_such_move',
      message: `A session that is ${state} has no move "${verb}".`,
      data: { session_state: { kind: state }, verb },
    });
    expect((error.data!['allowed'] as string[]).toSorted()).toEqual(allowed(state).toSorted());
    for (const move of allowed(state)) expect(error.hint).toContain(commandOf(move));
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('is saved by compact from here, as what it is', () => {
    const repo = open[state].copy();
    const before = status(repo);
    const saved = repo.json<CompactResult>(['stage', 'compact'], { now: NOON + 60 });
    expect(saved).toMatchObject({
      session_id: before.session_id,
      session_state: before.session_state,
      commit_type: { kind: state === 'Aborted' ? 'Abandoned' : 'Normal' },
      message: 'Add retry with backoff',
      step_count: before.step + 1,
    });
    expect(repo.json(['stage', 'status'])).toMatchObject({ active: false, allowed: ['start'] });
    const [entry] = repo.json<LogEntry[]>(['log']);
    expect(entry).toMatchObject({
      oid: saved.oid,
      session_state: before.session_state,
      commit_type: saved.commit_type,
    });
    expect(stepsOf(repo, 'HEAD').at(-1)?.observations).toEqual([WAITING]);
    expect(repo.git('rev-parse', `refs/archive/${before.session_id}`).trim()).toBe(saved.work);
    expect(repo.git('for-each-ref', 'refs/sessions')).toBe('');
    fsck(repo.dir);
  });
});

test('what is refused is reported to a person with the moves that are possible', () => {
  expect(seen(open.AwaitingUser.run(['stage', 'done', 'x']))).toMatchInlineSnapshot(`
    "exit 1
    err| error: A session that is AwaitingUser has no move "done".
    err| hint: Possible now: ctx stage respond, ctx stage abort, ctx stage compact"
  `);
  expect(seen(open.Complete.run(['stage', 'abort']))).toMatchInlineSnapshot(`
    "exit 1
    err| error: A session that is Complete has no move "abort".
    err| hint: Possible now: ctx stage compact"
  `);
});

describe('what a move records', () => {
  const records = (state: State, line: string[], input?: string): object[] => {
    const repo = open[state].copy();
    const { session_id } = status(repo);
    expect(repo.run(line, { input, now: NOON + 7 }), line.join(' ')).toMatchObject({ code: 0, stderr: '' });
    const text = JSON.stringify(stepsOf(repo, session_id).at(-1)?.observations.slice(1));
    return JSON.parse(text.replaceAll(session_id, '<session>').replace(/note:[0-9a-f-]{36}/g, 'note:<id>')) as object[];
  };
  const transition = (by: string, from: object, to: object): object => ({ kind: 'transition', from, to, by });
  const running = { kind: 'Running' };
  const asked = { kind: 'AwaitingUser', question: 'Which jitter?', asked_at: NOON };
  const done = { kind: 'PendingComplete', summary: 'Retry added' };
  const note = (role: string, content: string): object => ({ kind: 'note', content, role });

  test('ask: the question, and when it was asked', () => {
    expect(records('Running', ['stage', 'ask', 'Which', 'one?'])).toEqual([
      note('question', 'Question for user: Which one?'),
      transition('ask', running, { kind: 'AwaitingUser', question: 'Which one?', asked_at: NOON + 7 }),
    ]);
  });

  test('respond: the answer, and that it mentions the task', () => {
    expect(records('AwaitingUser', ['stage', 'respond', 'Full jitter'])).toEqual([
      note('response', 'User response: Full jitter'),
      { kind: 'relation', from: 'note:<id>', label: 'Mentions', to: 'task:<session>', confidence: 'high' },
      transition('respond', asked, running),
    ]);
  });

  test('interrupt: what the user said', () => {
    expect(records('Running', ['stage', 'interrupt', 'Make it 5, not 3'])).toEqual([
      note('intervention', 'User intervention: Make it 5, not 3'),
      transition('interrupt', running, { kind: 'Interrupted', user_message: 'Make it 5, not 3' }),
    ]);
  });

  test('continue: its note, and nothing if there is none', () => {
    const from = { kind: 'Interrupted', user_message: 'Make it 5' };
    expect(records('Interrupted', ['stage', 'continue', 'Now 5'])).toEqual([
      note('continuation', 'Now 5'),
      transition('continue', from, running),
    ]);
    expect(records('Interrupted', ['stage', 'continue'])).toEqual([transition('continue', from, running)]);
  });

  test('done: its summary, which may be left out', () => {
    expect(records('Running', ['stage', 'done', 'Retry added'])).toEqual([transition('done', running, done)]);
    expect(records('Running', ['stage', 'done'])).toEqual([
      transition('done', running, { kind: 'PendingComplete', summary: '' }),
    ]);
  });

  test('reopen: what is still to do', () => {
    expect(records('PendingComplete', ['stage', 'reopen', 'Log it too'])).toEqual([
      note('continuation', 'User requested continuation: Log it too'),
      transition('reopen', done, running),
    ]);
  });

  test('confirm: that the user did', () => {
    expect(records('PendingComplete', ['stage', 'confirm'])).toEqual([
      note('confirmation', 'User confirmed task complete'),
      transition('confirm', done, { kind: 'Complete' }),
    ]);
  });

  test('abort: why', () => {
    expect(records('AwaitingUser', ['stage', 'abort', '--reason', 'Superseded'])).toEqual([
      transition('abort', asked, { kind: 'Aborted', reason: 'Superseded' }),
    ]);
    expect(records('Running', ['stage', 'abort'])).toEqual([
      transition('abort', running, { kind: 'Aborted', reason: '' }),
    ]);
  });

  test.for([
    ['Running', ['stage', 'ask', '-'], 'question'],
    ['AwaitingUser', ['stage', 'respond', '-'], 'content'],
    ['Running', ['stage', 'interrupt', '-'], 'user_message'],
    ['Interrupted', ['stage', 'continue', '-'], 'content'],
    ['Running', ['stage', 'done', '-'], 'summary'],
    ['PendingComplete', ['stage', 'reopen', '-'], 'content'],
    ['Running', ['stage', 'abort', '--reason', '-'], 'reason'],
  ] as const)('%s: %j takes its text from standard input, to the last line feed', ([state, line]) => {
    expect(JSON.stringify(records(state, [...line], 'two\nlines ü\n'))).toContain('two\\nlines ü\\n');
  });
});

describe('the end of a session', () => {
  test('confirm saves it as a Normal commit, under its task or a message of the user', () => {
    const repo = open.PendingComplete.copy();
    expect(seen(repo.run(['stage', 'confirm']))).toMatchInlineSnapshot(`
      "exit 0
      out| Complete
      out| Step 3 <oid1>
      out| Saved as <oid2> Normal: Add retry with backoff
      out|   3 steps kept under refs/archive/<id1>"
    `);
    const other = open.PendingComplete.copy();
    expect(seen(other.run(['stage', 'confirm', '-m', 'Retry with backoff, five times']))).toMatchInlineSnapshot(`
      "exit 0
      out| Complete
      out| Step 3 <oid1>
      out| Saved as <oid2> Normal: Retry with backoff, five times
      out|   3 steps kept under refs/archive/<id1>"
    `);
    expect(
      other.git('log', '-1', '--format=%B', 'main').replaceAll(/[0-9a-f-]{36,40}/g, '<id>'),
    ).toMatchInlineSnapshot(`
      "Retry with backoff, five times

      Ctx-Type: Normal
      Ctx-Session: <id>
      Ctx-Task: Add retry with backoff
      Ctx-State: Complete
      Ctx-Work: <id>
      Ctx-Steps: 3

      "
    `);
  });

  test('abort saves it as an Abandoned commit', () => {
    const repo = open.Interrupted.copy();
    expect(seen(repo.run(['stage', 'abort', '--reason', 'Superseded']))).toMatchInlineSnapshot(`
      "exit 0
      out| Aborted: Superseded
      out| Step 3 <oid1>
      out| Saved as <oid2> Abandoned: Add retry with backoff
      out|   3 steps kept under refs/archive/<id1>"
    `);
    expect(repo.json<LogEntry[]>(['log'])[0]).toMatchObject({
      commit_type: { kind: 'Abandoned' },
      session_state: { kind: 'Aborted', reason: 'Superseded' },
    });
  });

  test('ctx abort of a session that had no run is the same, with its options', () => {
    const repo = open.Interrupted.copy();
    expect(repo.json(['abort', '--reason', 'Superseded', '--no-compact'])).toMatchObject({
      session_state: { kind: 'Aborted', reason: 'Superseded' },
    });
    expect(repo.json<LogEntry[]>(['log'])).toEqual([]);
  });

  test('what compaction leaves has one parent, the files that the design names, and a message of one line', () => {
    const repo = open.PendingComplete.copy();
    const before = repo.git('rev-parse', 'main');
    repo.run(['stage', 'confirm']);
    expect(repo.git('log', '-1', '--format=%P', 'main')).toBe(before);
    expect(repo.git('ls-tree', '--name-only', 'main')).toMatchInlineSnapshot(`
      "edges.jsonl
      notes.jsonl
      session.json
      summary.md
      "
    `);
    expect(repo.git('show', 'main:summary.md')).toMatchInlineSnapshot(`
      "# Add retry with backoff

      **Task:** Add retry with backoff

      **How it ended:** Complete: the user confirmed it.

      **Last answer:**

      > Retry added

      ## Notes

      - This waits
      "
    `);
  });

  test('with --no-compact it stays open; compact saves it as what it was', () => {
    const repo = open.PendingComplete.copy();
    expect(seen(repo.run(['stage', 'confirm', '--no-compact']))).toMatchInlineSnapshot(`
      "exit 0
      out| Complete
      out| Step 3 <oid1>"
    `);
    expect(repo.json<LogEntry[]>(['log'])).toEqual([]);
    expect(repo.json<CompactResult>(['stage', 'compact'])).toMatchObject({
      session_state: { kind: 'Complete' },
      commit_type: { kind: 'Normal' },
    });
  });

  test('a message beside --no-compact is kept as a note', () => {
    const repo = open.PendingComplete.copy();
    repo.run(['stage', 'confirm', '--no-compact', '-m', 'Nice work']);
    expect(stepsOf(repo).at(-1)?.observations).toContainEqual({ kind: 'note', content: 'Nice work', role: 'plain' });
  });
});

test.each(VERBS)('if no session is active there is no %s', (verb) => {
  const repo = shared();
  const before = fingerprint(repo.store);
  expect(repo.refused(LINES[verb])).toEqual({
    exit: 1,
    code: 'no_active_session',
    message: 'No session is active.',
    hint: 'Begin one with: ctx start "<task>"',
    data: null,
  });
  expect(fingerprint(repo.store)).toEqual(before);
});

let bare: Repo | undefined;
function shared(): Repo {
  bare ??= repository();
  return bare;
}

test('nothing is left in pending once everything is flushed', () => {
  const repo = open.Running.copy();
  repo.run(['stage', 'done']);
  expect(fingerprint(join(repo.store, 'pending'))).toEqual({});
});
