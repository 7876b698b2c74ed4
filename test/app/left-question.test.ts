// A question of ctx's whose session something else than its answer has saved: it waits on, and the next message answers it or goes past it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { handleChoice, handleUserMessage } from '../../src/app/intake/message/message.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { readChoice, writeChoice } from '../../src/history/pending/choices.ts';
import { hasLeftovers } from '../../src/history/transaction.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const WEEK = 8 * 86_400;

/** A session that has something to save, and was asked whether to begin another task; something came since. */
function asked(): Project {
  const project = makeProject();
  ctx.startSession(project.repository, 'Add retry');
  ctx.observeNote(project.repository, 'Decision: full jitter');
  expect(handleUserMessage(project.repository, 'Write the docs', { as: 'NewTask' }).choice?.kind).toBe('new_task');
  ctx.observeNote(project.repository, 'meanwhile');
  return project;
}

const ENDS: [string, (project: Project) => unknown][] = [
  ['compact', ({ repository }) => ctx.compactSession(repository)],
  ['cleanup', later(({ repository }) => ctx.cleanupStaleSessions(repository))],
  ['abort', ({ repository }) => ctx.setState(repository, 'abort', { text: 'enough', compact: true })],
];

function later(end: (project: Project) => unknown): (project: Project) => unknown {
  return (project) => {
    project.clock.now += WEEK;
    return end(project);
  };
}

const choices = ({ store }: Project): string[] =>
  existsSync(join(store, 'choices')) ? readdirSync(join(store, 'choices')) : [];
const refs = (project: Project, folder: string): string[] =>
  project.git('for-each-ref', '--format=%(refname)', folder).split('\n').filter(Boolean);

/** Contents of a session's tasks and notes, in order. */
function told(project: Project, revision: string): string[] {
  const oids = project.git('log', '--reverse', '--format=%H', revision).trim().split('\n');
  const steps = oids.filter((oid) => project.git('ls-tree', '--name-only', oid).includes('step.jsonl'));
  const lines = steps.flatMap((oid) => project.git('show', `${oid}:step.jsonl`).trim().split('\n'));
  return lines.flatMap((line) => (JSON.parse(line) as { content?: string }).content ?? []);
}

const ended = (end: (project: Project) => unknown): Project => {
  const project = asked();
  end(project);
  expect(refs(project, 'refs/sessions')).toEqual([]);
  expect(choices(project)).toHaveLength(1);
  expect(told(project, refs(project, 'refs/archive')[0] as string)).not.toContain('meanwhile');
  return project;
};

describe.each(ENDS)('%s saves the session', (_, end) => {
  test.each<[string, (project: Project) => ctx.MessageResult]>([
    ['choose A', ({ repository }) => handleChoice(repository, 'A')],
    ['A', ({ repository }) => handleUserMessage(repository, 'A')],
  ])('%s begins what had raised the question, with what came since', (_words, answer) => {
    const project = ended(end);
    expect(answer(project)).toMatchObject({ classification: 'Response', action: 'started', compacted: null });
    ctx.flushStep(project.repository);
    expect(told(project, 'STAGE')).toEqual(['Write the docs', 'meanwhile']);
    expect(choices(project)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });

  test('B continues the task in a session of its own, which keeps what was postponed', () => {
    const project = ended(end);
    handleUserMessage(project.repository, 'B');
    ctx.flushStep(project.repository);
    expect(told(project, 'STAGE')).toEqual(['Add retry', 'Write the docs', 'meanwhile']);
    expect(choices(project)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });

  test('a message that is no answer goes past it: what came since stays with the session that was asked', () => {
    const project = ended(end);
    expect(handleUserMessage(project.repository, 'Fix the login', { as: 'NewTask' }).action).toBe('started');
    ctx.observeNote(project.repository, 'next');
    ctx.flushStep(project.repository);
    expect(told(project, 'STAGE')).toEqual(['Fix the login', 'next']);
    expect(told(project, refs(project, 'refs/archive')[0] as string).at(-1)).toBe('meanwhile');
    expect(choices(project)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });
});

test('what an agent says that a message is decides also of a question that is left', () => {
  const project = ended(({ repository }) => ctx.compactSession(repository));
  expect(handleUserMessage(project.repository, 'Yes', { as: 'Confirmation' }).action).toBe('acknowledged');
  expect(refs(project, 'refs/sessions')).toEqual([]);
});

test.each(['start', 'start --replace'])('%s by hand says what begins: nothing is asked any more', (how) => {
  const project = asked();
  if (how === 'start') ctx.compactSession(project.repository);
  ctx.startSession(project.repository, 'Fix the login', { replace: true });
  expect(choices(project)).toEqual([]);
  ctx.flushStep(project.repository);
  expect(told(project, refs(project, 'refs/archive')[0] as string)).toContain('meanwhile');
  expect(errorOf(() => handleChoice(project.repository, 'A')).code).toBe('no_choice');
  expect(fsck(project.store)).toBe('');
});

test.each([
  ['A', 'Write the docs', ['Write the docs', 'meanwhile']],
  ['B', 'Add retry', ['Add retry', 'Write the docs', 'meanwhile']],
  ['Fix the login', 'Fix the login', ['Fix the login']],
])(
  'confirmed by hand and not saved yet, %s is taken up all the same, and saves it first',
  (message, task, expected) => {
    const project = asked();
    ctx.setState(project.repository, 'done', { text: 'Done' });
    ctx.setState(project.repository, 'confirm');
    const result = handleUserMessage(project.repository, message, message.length > 1 ? { as: 'NewTask' } : {});
    expect(result).toMatchObject({ action: 'started', compacted: { commit_type: { kind: 'Normal' } } });
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ task_description: task });
    ctx.flushStep(project.repository, { note: 'last' });
    expect(told(project, 'STAGE')).toEqual([...expected, 'last']);
    expect(choices(project)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  },
);

test('status shows the question if no session is active, and an undo brings it back with its session', () => {
  const project = asked();
  const question = (ctx.sessionStatus(project.repository) as ctx.ActiveStatus).choice;
  const { session_id } = ctx.compactSession(project.repository);
  const answer_with = `ctx choose <A|B|continue|fresh> --session ${session_id}`;
  expect(ctx.sessionStatus(project.repository)).toMatchObject({ active: false, choice: question, answer_with });
  undoOperations(project.repository);
  expect(ctx.sessionStatus(project.repository)).toMatchObject({ active: true, choice: question });
  handleUserMessage(project.repository, 'A');
  ctx.flushStep(project.repository);
  expect(told(project, 'STAGE')).toEqual(['Write the docs', 'meanwhile']);
});

test('what waits behind it is no leftover: nothing of it is to be kept before the answer', () => {
  const project = asked();
  ctx.compactSession(project.repository);
  expect(hasLeftovers(project.repository)).toBe(false);
  expect(checkStore(project.repository)).toMatchObject({ findings: [], healthy: true });
  handleUserMessage(project.repository, 'thanks');
  expect(hasLeftovers(project.repository)).toBe(true);
  ctx.recoverSession(project.repository);
  expect(told(project, refs(project, 'refs/archive')[0] as string).at(-1)).toBe('meanwhile');
});

test('an answer that was cut off leaves it waiting', () => {
  const project = asked();
  const { session_id } = ctx.compactSession(project.repository);
  const choice = readChoice(project.repository, session_id);
  if (!choice) throw new Error('it waits');
  const picked = '01a21b67-29c9-7841-8000-6b0a7b2297b3';
  writeChoice(project.repository, { ...choice, answered: { ref: sessionRef(picked), head: 'f'.repeat(40) } });
  expect(errorOf(() => handleChoice(project.repository, 'no answer')).code).toBe('invalid_input');
  expect(readChoice(project.repository, session_id)).toEqual(choice);
  handleChoice(project.repository, 'A');
  ctx.flushStep(project.repository);
  expect(told(project, 'STAGE')).toEqual(['Write the docs', 'meanwhile']);
});
