// Tests that a user's message moves the session, and that a question of ctx is kept until it is answered, and loses nothing.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handleChoice, handleUserMessage } from '../../src/app/intake/message/message.ts';
import type { HookPart } from '../../src/app/intake/message/options.ts';
import { activeSession } from '../../src/app/session/active.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;

/** A project with a session in a state that has something to save. */
function atWork(moves: [ctx.Verb, string][] = []): Project {
  const project = makeProject();
  ctx.startSession(project.repository, 'Add retry');
  ctx.observeNote(project.repository, 'Decision: full jitter');
  ctx.flushStep(project.repository);
  for (const [verb, text] of moves) ctx.setState(project.repository, verb, { text });
  return project;
}

/** An agent's hook that works on the current session, whose transcript tells nothing new. */
const hookOf = ({ repository }: Project): HookPart => ({
  timeLeft: () => 1000,
  hasNoTranscript: false,
  cannotAsk: false,
  beginsConversation: false,
  finished: () => null,
  stageTrouble: () => undefined,
  find: () => activeSession(repository),
  unanswered: () => null,
  settle: () => undefined,
  increment: ({ chain, session }) => ({ chain, session, records: [], interrupted: null }),
  beginning: () => ({}),
  isRepeated: () => false,
  taken: () => {},
});

const status = ({ repository }: Project): ctx.ActiveStatus => ctx.sessionStatus(repository) as ctx.ActiveStatus;
const waiting = ({ store }: Project): string[] =>
  existsSync(join(store, 'choices')) ? readdirSync(join(store, 'choices')) : [];
const log = ({ repository }: Project): (string | undefined)[] =>
  [...ctx.readLog(repository)].map((entry) => entry.message);

/** The contents of the notes and tasks of a session, and what raised a question, in order. */
function told(project: Project, revision: string): string[] {
  const lines = project.git('log', '--reverse', '--format=%H', revision).trim().split('\n');
  return lines.flatMap((oid) => {
    const listed = project.git('ls-tree', '--name-only', oid).split('\n');
    if (!listed.includes('step.jsonl')) return [];
    return project
      .git('show', `${oid}:step.jsonl`)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; content?: string; message?: string })
      .flatMap(({ kind, content, message }) => (kind === 'choice' ? [`asked: ${message}`] : (content ?? [])));
  });
}

test('the first message is the task', () => {
  const project = makeProject();
  const result = handleUserMessage(project.repository, 'Add retry', { as: 'NewTask', agent: 'claude-code' });
  expect(result).toMatchObject({
    action: 'started',
    state_before: null,
    state_after: { kind: 'Running' },
    choice: null,
  });
  expect(status(project)).toMatchObject({ task_description: 'Add retry', agent: 'claude-code', step: 1 });
});

test('an answer, a change, a confirmation: one step each, and the last one saves the session', () => {
  const project = atWork([['ask', 'Which jitter?']]);
  expect(handleUserMessage(project.repository, 'Full', { as: 'Response' })).toMatchObject({
    classification: 'Response',
    confidence: 1,
    action: 'responded',
    state_before: { kind: 'AwaitingUser' },
    state_after: { kind: 'Running' },
    staleness: 'fresh',
    commit: null,
  });
  ctx.setState(project.repository, 'done', { text: 'Done' });
  handleUserMessage(project.repository, 'Make it 5', { as: 'Modification' });
  expect(status(project)).toMatchObject({ step: 6, session_state: { kind: 'Running' } });
  ctx.setState(project.repository, 'done', { text: 'Done again' });
  const ended = handleUserMessage(project.repository, 'Ship it', { as: 'Confirmation' });
  expect(ended).toMatchObject({ action: 'confirmed', state_after: null, session_id: null });
  expect(ended.commit).toBe(project.git('rev-parse', 'main').trim());
  expect(ended.compacted?.commit_type).toEqual({ kind: 'Normal' });
  expect(told(project, ended.compacted?.work ?? '')).toEqual([
    'Add retry',
    'Decision: full jitter',
    'Question for user: Which jitter?',
    'User response: Full',
    'User requested continuation: Make it 5',
    'User confirmed task complete',
  ]);
  expect(fsck(project.store)).toBe('');
});

test('a message that is only classified changes nothing', () => {
  const project = atWork();
  const before = status(project);
  for (const as of ['Clarification', 'Confirmation'] as const)
    expect(handleUserMessage(project.repository, 'What does that mean?', { as }).commit).toBeNull();
  for (const as of ['Abandon', 'NewTask', 'Modification'] as const)
    expect(handleUserMessage(project.repository, 'x', { as, dryRun: true })).toMatchObject({ dry_run: true });
  expect(status(project)).toEqual(before);
  expect(waiting(project)).toEqual([]);
});

describe('a new task while one is unfinished', () => {
  function asked(): Project {
    const made = atWork([['done', 'Retry added']]);
    const { settings } = made.repository;
    const project = {
      ...made,
      repository: { ...made.repository, settings: { ...settings, questions: 'always' } },
    } as const;
    const result = handleUserMessage(project.repository, 'Write the docs', { as: 'NewTask' });
    expect(result).toMatchObject({
      action: 'asked',
      choice: { kind: 'new_task' },
      state_after: { kind: 'PendingComplete' },
    });
    return project;
  }

  test('is asked about once; what comes meanwhile waits for the answer', () => {
    const project = asked();
    expect(waiting(project)).toHaveLength(1);
    expect(ctx.flushStep(project.repository)).toMatchObject({ flushed: 1, committed: true });
    ctx.observeNote(project.repository, 'meanwhile');
    expect(ctx.flushStep(project.repository)).toMatchObject({ flushed: 0, held: 1, committed: false });
    expect(status(project)).toMatchObject({ pending_observations: 1, choice: { kind: 'new_task' } });
  });

  test('fresh: the old one is saved as it was, and what came meanwhile goes to the new one', () => {
    const project = asked();
    ctx.observeNote(project.repository, 'meanwhile');
    const result = handleChoice(project.repository, 'A');
    expect(result).toMatchObject({
      action: 'started',
      compacted: {
        commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'Write the docs' },
        message: 'Saved before starting new task: Add retry',
        session_state: { kind: 'PendingComplete' },
      },
    });
    expect(status(project)).toMatchObject({
      task_description: 'Write the docs',
      pending_observations: 1,
      choice: null,
    });
    ctx.flushStep(project.repository);
    expect(told(project, 'STAGE')).toEqual(['Write the docs', 'meanwhile']);
    const old = told(project, result.compacted?.work ?? '');
    expect(old.at(-1)).toBe('asked: Write the docs');
    expect(old).not.toContain('meanwhile');
    expect(waiting(project)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });

  test('a question of ctx alone leaves no commit, in the session that was asked or in the one that it begins', () => {
    const began = asked();
    handleChoice(began.repository, 'A');
    ctx.startSession(began.repository, 'next', { replace: true });
    expect(log(began)).toEqual(['Saved before starting new task: Add retry']);
    const empty = makeProject();
    ctx.startSession(empty.repository, 'Add retry');
    handleUserMessage(empty.repository, 'Write the docs', { as: 'NewTask' });
    ctx.flushStep(empty.repository);
    expect(handleChoice(empty.repository, 'A').compacted).toMatchObject({ oid: null });
    handleUserMessage(empty.repository, 'Fix the build', { as: 'NewTask' });
    ctx.observeNote(empty.repository, 'meanwhile');
    ctx.startSession(empty.repository, 'next', { replace: true });
    expect(log(empty)).toEqual(['Saved before starting new task: Write the docs']);
  });

  test('continue: the message is kept, the session stays where it was', () => {
    const project = asked();
    ctx.observeNote(project.repository, 'meanwhile');
    handleChoice(project.repository, 'continue');
    expect(status(project)).toMatchObject({
      session_state: { kind: 'PendingComplete' },
      pending_observations: 0,
      choice: null,
    });
    expect(told(project, 'STAGE').slice(-3)).toEqual(['asked: Write the docs', 'meanwhile', 'Write the docs']);
  });

  test('a next message that answers is the answer; any other continues the session', () => {
    const answered = asked();
    expect(handleUserMessage(answered.repository, 'Option A')).toMatchObject({
      classification: 'Response',
      action: 'started',
    });
    const other = asked();
    handleUserMessage(other.repository, 'Also add logging', { as: 'Modification' });
    expect(status(other)).toMatchObject({ session_state: { kind: 'Running' }, choice: null });
    expect(told(other, 'STAGE').slice(-2)).toEqual(['Write the docs', 'User requested continuation: Also add logging']);
    expect(waiting(other)).toEqual([]);
  });

  test('an answer that says more begins the new task with it', () => {
    const project = asked();
    expect(handleUserMessage(project.repository, 'A, and make them short')).toMatchObject({
      classification: 'Response',
      action: 'started',
    });
    expect(status(project).task_description).toBe('Write the docs\n\nand make them short');
    expect(waiting(project)).toEqual([]);
    const agreed = asked();
    handleUserMessage(agreed.repository, 'Yes, save it. Keep them short.');
    expect(status(agreed).task_description).toBe('Write the docs\n\nYes, save it. Keep them short.');
    const unsure = asked();
    expect(handleUserMessage(unsure.repository, 'Yes, but first mend the retry').commit).toBeNull();
    expect(status(unsure).task_description).toBe('Add retry');
    const on = asked();
    handleUserMessage(on.repository, 'B, but log every attempt');
    expect(status(on)).toMatchObject({ task_description: 'Add retry', session_state: { kind: 'Running' } });
    expect(told(on, 'STAGE').at(-1)).toBe('User requested continuation: B, but log every attempt');
  });

  test('what an agent says that a message is wins: only a response, or the mere key, is an answer then', () => {
    for (const as of ['Clarification', 'Modification', 'Confirmation'] as const) {
      for (const words of ['Yes', 'Option A', 'Yes, save it. Keep them short.', 'Start the new one']) {
        const project = asked();
        const result = handleUserMessage(project.repository, words, { as });
        expect(result).toMatchObject({ classification: as, reason: 'The agent says so.' });
        expect(result.compacted?.commit_type.kind).toBe(as === 'Confirmation' ? 'Normal' : undefined);
        expect(waiting(project)).toEqual([]);
      }
    }
    const abandoned = asked();
    expect(handleUserMessage(abandoned.repository, 'Yes', { as: 'Abandon' }).action).toBe('abandoned');
    for (const [words, as] of [
      ['Yes', 'Response'],
      ['A', 'Clarification'],
      [' a) ', 'NewTask'],
    ] as const) {
      const project = asked();
      expect(handleUserMessage(project.repository, words, { as })).toMatchObject({
        classification: 'Response',
        action: 'started',
      });
      expect(status(project).task_description).toBe('Write the docs');
    }
  });

  test.each(['Never mind', 'Cancel', 'stop'])('%s waves it away, and not the task', (words) => {
    const project = asked();
    const before = status(project).session_state;
    expect(handleUserMessage(project.repository, words)).toMatchObject({ action: 'continued', compacted: null });
    expect(status(project)).toMatchObject({ session_state: before, choice: null });
    expect(told(project, 'STAGE').at(-1)).toBe('Write the docs');
    handleUserMessage(project.repository, words);
    expect(log(project)).toHaveLength(1);
    const named = asked();
    handleUserMessage(named.repository, words, { as: 'Abandon' });
    expect(log(named)).toHaveLength(1);
  });

  test('does not keep a session from being saved that was left alone for more than a week', () => {
    const project = asked();
    project.clock.now += 8 * DAY;
    const result = handleUserMessage(project.repository, 'Add a cache', { as: 'Modification' });
    expect(result).toMatchObject({ action: 'started', compacted: { commit_type: { kind: 'StaleAutoCompact' } } });
    expect(status(project)).toMatchObject({ task_description: 'Add a cache', choice: null });
    const [archive = ''] = project.git('for-each-ref', '--format=%(refname)', 'refs/archive').split('\n');
    expect(told(project, archive)).toContain('asked: Write the docs');
    ctx.setState(project.repository, 'ask', { text: 'Which?' });
    expect(waiting(project)).toEqual([]);
    const late = asked();
    late.clock.now += 8 * DAY;
    expect(handleUserMessage(late.repository, 'B')).toMatchObject({ action: 'continued', compacted: null });
    expect(status(late).task_description).toBe('Add retry');
    for (const { store } of [project, late]) expect(fsck(store)).toBe('');
  });

  test('no end of the session loses the message that raised the question', () => {
    const project = asked();
    const { work } = ctx.compactSession(project.repository);
    expect(told(project, work)).toContain('asked: Write the docs');
    ctx.startSession(project.repository, 'next');
    expect(waiting(project)).toEqual([]);
    expect(errorOf(() => handleChoice(project.repository, 'A')).code).toBe('no_choice');
  });

  test('refuses what is no answer, and the question stays open', () => {
    const project = asked();
    expect(errorOf(() => handleChoice(project.repository, 'C')).code).toBe('invalid_input');
    expect(waiting(project)).toHaveLength(1);
  });

  test('another new task asks again, and keeps both messages', () => {
    const project = asked();
    const result = handleUserMessage(project.repository, 'Fix the build', { as: 'NewTask' });
    expect(result.choice?.kind).toBe('new_task');
    expect(told(project, 'STAGE')).toContain('Write the docs');
    handleChoice(project.repository, 'fresh');
    expect(status(project).task_description).toBe('Fix the build');
  });

  test('one that is announced is no answer to the question about another', () => {
    const project = asked();
    const result = handleUserMessage(project.repository, 'New task: fix the build');
    expect(result).toMatchObject({ classification: 'NewTask', choice: { kind: 'new_task' }, compacted: null });
    expect(told(project, 'STAGE')).toContain('Write the docs');
    handleChoice(project.repository, 'fresh');
    expect(status(project).task_description).toBe('fix the build');
  });

  test('a damaged question is named, and nothing is answered or flushed', () => {
    const project = asked();
    const file = join(project.store, 'choices', waiting(project)[0] as string);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Write the docs', 'Write the dogs'));
    const head = project.git('rev-parse', 'STAGE');
    expect(errorOf(() => handleChoice(project.repository, 'A'))).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('choices/') as string,
    });
    expect(errorOf(() => ctx.flushStep(project.repository)).code).toBe('damaged');
    expect(project.git('rev-parse', 'STAGE')).toBe(head);
  });
});

describe('a session that was left alone', () => {
  test('for a day: is asked about, with the message kept', () => {
    const project = atWork();
    project.clock.now += DAY;
    const result = handleUserMessage(project.repository, 'Also log', { as: 'Modification' });
    expect(result).toMatchObject({
      action: 'asked',
      staleness: 'ask',
      idle_secs: DAY,
      choice: { kind: 'stale_session' },
    });
    handleChoice(project.repository, 'continue');
    expect(told(project, 'STAGE').slice(-2)).toEqual([
      'User chose to continue after idle period',
      'User intervention: Also log',
    ]);
  });

  test('is saved after more than a week, and the message continues without it', () => {
    const project = atWork();
    project.clock.now += 7 * DAY + 1;
    const result = handleUserMessage(project.repository, 'Write the docs', { as: 'Modification' });
    expect(result).toMatchObject({
      action: 'started',
      staleness: 'auto_compact',
      compacted: { commit_type: { kind: 'StaleAutoCompact', idle_duration_secs: 7 * DAY + 1 } },
    });
    expect(log(project)).toEqual(['Auto-saved: session idle for 7 days: Add retry']);
    expect(status(project).task_description).toBe('Write the docs');
  });
});

test('a session that was confirmed and not saved yet is saved before the next message counts', () => {
  const project = atWork([['done', 'Added']]);
  handleUserMessage(project.repository, 'Looks good', { as: 'Confirmation', hook: hookOf(project) });
  expect(status(project).session_state).toEqual({ kind: 'Complete' });
  const result = handleUserMessage(project.repository, 'Write the docs', { as: 'Modification', hook: hookOf(project) });
  expect(result).toMatchObject({ action: 'started', compacted: { commit_type: { kind: 'Normal' } } });
});

test('Abandon ends it as Abandoned', () => {
  const project = atWork();
  const { compacted } = handleUserMessage(project.repository, 'Never mind', { as: 'Abandon' });
  expect(compacted).toMatchObject({
    commit_type: { kind: 'Abandoned' },
    session_state: { kind: 'Aborted', reason: 'Never mind' },
  });
});
