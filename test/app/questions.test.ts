// When ctx asks the user what becomes of an open session, by the setting "questions".
import { describe, expect, test } from 'vitest';
import { handleUserMessage } from '../../src/app/intake/message/message.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import type { Questions } from '../../src/core/session/questions.ts';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;

/** A project with a session in a state that has something to save, and a setting. */
function atWork(questions: Questions | undefined, moves: [ctx.Verb, string][]): Project {
  const project = makeProject();
  ctx.startSession(project.repository, 'Add retry');
  ctx.observeNote(project.repository, 'Decision: full jitter');
  ctx.flushStep(project.repository);
  for (const [verb, text] of moves) ctx.setState(project.repository, verb, { text });
  const { repository } = project;
  const settings = questions ? { ...repository.settings, questions } : repository.settings;
  return { ...project, repository: { ...repository, settings } };
}

const DONE: [ctx.Verb, string][] = [['done', 'Retry added']];
const ASKED: [ctx.Verb, string][] = [['ask', 'Which jitter?']];
const CUT: [ctx.Verb, string][] = [['interrupt', 'wait']];

const endings = ({ repository }: Project): string[] =>
  [...ctx.readLog(repository)].map(
    ({ commit_type, session_state }) => `${commit_type.kind} from ${session_state?.kind}`,
  );
const status = ({ repository }: Project): ctx.ActiveStatus => ctx.sessionStatus(repository) as ctx.ActiveStatus;

describe.each([undefined, 'unfinished'] as const)('"questions" is %s', (questions) => {
  test('a new task behind finished work saves it by itself, and begins', () => {
    const project = atWork(questions, DONE);
    const result = handleUserMessage(project.repository, 'New task: write the docs');
    expect(result).toMatchObject({ action: 'started', choice: null, state_after: { kind: 'Running' } });
    expect(result.compacted?.commit_type).toEqual({
      kind: 'InterruptedByNewTask',
      new_task_summary: 'write the docs',
    });
    expect(endings(project)).toEqual(['InterruptedByNewTask from PendingComplete']);
    expect(status(project).session_state.kind).toBe('Running');
  });

  test('one undo brings the finished session back, and takes the new one away', () => {
    const project = atWork(questions, DONE);
    const { session_id } = status(project);
    handleUserMessage(project.repository, 'New task: write the docs');
    undoOperations(project.repository);
    expect(status(project)).toMatchObject({ session_id, session_state: { kind: 'PendingComplete' } });
    expect(endings(project)).toEqual([]);
  });

  test.each([
    ['Running', []],
    ['AwaitingUser', ASKED],
    ['Interrupted', CUT],
  ] as const)('a new task while the session is %s is asked about', (kind, moves) => {
    const project = atWork(questions, [...moves]);
    const result = handleUserMessage(project.repository, 'New task: write the docs');
    expect(result).toMatchObject({ action: 'asked', choice: { kind: 'new_task' }, state_after: { kind } });
    expect(endings(project)).toEqual([]);
  });

  test('after two days a finished session gives way to a new task too, and anything else is asked about', () => {
    const project = atWork(questions, DONE);
    project.clock.now += 2 * DAY;
    expect(handleUserMessage(project.repository, 'also log it', { dryRun: true })).toMatchObject({
      action: 'asked',
      choice: { kind: 'stale_session' },
    });
    expect(handleUserMessage(project.repository, 'New task: write the docs')).toMatchObject({ action: 'started' });
    expect(endings(project)).toEqual(['InterruptedByNewTask from PendingComplete']);
  });
});

test('"questions" is always: a new task behind finished work is asked about', () => {
  const project = atWork('always', DONE);
  expect(handleUserMessage(project.repository, 'New task: write the docs')).toMatchObject({
    action: 'asked',
    choice: { kind: 'new_task' },
  });
});

describe('"questions" is never', () => {
  test.each([
    ['Running', []],
    ['AwaitingUser', ASKED],
    ['Interrupted', CUT],
    ['PendingComplete', DONE],
  ] as const)('a new task while the session is %s saves it in that state', (kind, moves) => {
    const project = atWork('never', [...moves]);
    expect(handleUserMessage(project.repository, 'New task: write the docs')).toMatchObject({
      action: 'started',
      choice: null,
    });
    expect(endings(project)).toEqual([`InterruptedByNewTask from ${kind}`]);
  });

  test('an unclear message, and one after a pause, continue the session with a note of why nobody was asked', () => {
    const project = atWork('never', DONE);
    project.clock.now += 2 * DAY;
    const result = handleUserMessage(project.repository, 'hmm', { as: 'Unclear' });
    expect(result).toMatchObject({ choice: null, state_after: { kind: 'Running' } });
    const notes = project.git('log', '-1', '--format=%H', 'STAGE').trim();
    expect(project.git('show', `${notes}:step.jsonl`)).toContain('without asking: the setting');
  });
});
