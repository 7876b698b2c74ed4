// `new_task_summary` of InterruptedByNewTask: written everywhere; the name that it had before is read, and stays where it is stored.
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { MAIN } from '../../src/git/layout.ts';
import { writeCanonical } from '../../src/history/chain/canonical.ts';
import { readChain, readCommit } from '../../src/history/chain/chain.ts';
import { readSession } from '../../src/history/chain/session-document.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { transact } from '../../src/history/transaction.ts';
import {
  type CommitType,
  compactSession,
  flushStep,
  observeNote,
  openRepository,
  readLog,
  showRevision,
  startSession,
} from '../../src/index.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

const NEW_TASK = 'Paint the garden shed';
const NOW: CommitType = { kind: 'InterruptedByNewTask', new_task_summary: NEW_TASK };
const BEFORE = { kind: 'InterruptedByNewTask', new_task: NEW_TASK } as const;

/** A store with a session that was saved as before the field got its name. */
function oldStore(): Project {
  const project = makeProject();
  const { repository } = project;
  const { session_id } = startSession(repository, 'Build a shed');
  observeNote(repository, 'of oak');
  flushStep(repository);
  transact(repository, { command: 'stage compact', message: 'compact' }, (transaction) => {
    const head = transaction.read(sessionRef(session_id)) as string;
    const main = transaction.read(MAIN) as string;
    const chain = readChain(repository.objects, head, sessionRef(session_id));
    const oid = writeCanonical(repository.objects, {
      parent: main,
      chain,
      type: BEFORE,
      message: 'saved',
      at: 1_769_040_000,
    });
    transaction.move(MAIN, main, oid);
    transaction.move(archiveRef(session_id), null, head);
    transaction.move('STAGE', sessionRef(session_id), null);
    transaction.move(sessionRef(session_id), head, null);
  });
  return project;
}

/** Reads the session.json of the last commit. */
function stored({ repository }: Project): unknown {
  const oid = repository.refs.read(MAIN) as string;
  return readSession(repository.objects, readCommit(repository.objects, oid).tree, oid).ended?.type;
}

test('a session that a new task interrupts is saved, listed and shown with new_task_summary', () => {
  const project = makeProject();
  startSession(project.repository, 'Build a shed');
  observeNote(project.repository, 'of oak');
  expect(compactSession(project.repository, { type: NOW }).commit_type).toEqual(NOW);
  expect(stored(project)).toEqual(NOW);
  expect([...readLog(project.open())][0]?.commit_type).toEqual(NOW);
  expect(showRevision(project.open(), 'HEAD').commit_type).toEqual(NOW);
});

test('starting a task over another one saves that with new_task_summary', () => {
  const project = makeProject();
  startSession(project.repository, 'Build a shed');
  observeNote(project.repository, 'of oak');
  startSession(project.open(), NEW_TASK, { replace: true });
  expect(stored(project)).toEqual(NOW);
});

test('a program that still says new_task is understood, and the name of today is stored', () => {
  const project = makeProject();
  startSession(project.repository, 'Build a shed');
  observeNote(project.repository, 'of oak');
  expect(compactSession(project.repository, { type: BEFORE }).commit_type).toEqual(NOW);
  expect(stored(project)).toEqual(NOW);
});

test('a commit of before is listed and shown under the name of today, is whole, and is never rewritten', () => {
  const project = oldStore();
  const head = project.repository.refs.read(MAIN);
  expect(stored(project)).toEqual(BEFORE);
  const opened = openRepository({ directory: project.folder });
  expect([...readLog(opened)][0]?.commit_type).toEqual(NOW);
  expect(showRevision(opened, 'HEAD').commit_type).toEqual(NOW);
  expect(checkStore(opened, { full: true, repair: true })).toMatchObject({ healthy: true, findings: [], repaired: [] });
  expect(project.repository.refs.read(MAIN)).toBe(head);
  expect(project.git('show', '-s', '--format=%(trailers:key=Ctx-New-Task,valueonly)', 'main').trim()).toBe(NEW_TASK);
  expect(fsck(project.store)).toBe('');
});
