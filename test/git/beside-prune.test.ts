// Beside the user's own `git gc --prune=now`, `git prune` and `git repack`: nothing that was acknowledged is lost, and nothing is seen as damage.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import {
  compactSession,
  flushStep,
  forget,
  observeNote,
  openRepository,
  type Repository,
  readLog,
  sessionStatus,
  showRevision,
  startSession,
} from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

/** Every loose object of a store. */
const looseOf = ({ store }: Project): string[] =>
  readdirSync(join(store, 'objects'))
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(store, 'objects', name)).map((rest) => name + rest))
    .filter((oid) => /^[0-9a-f]{40}$/.test(oid));

/** Acts as a `git prune` that has walked the refs before some objects were written: those go, and at its end what it tidies up. */
function pruneAllBut(project: Project, reached: ReadonlySet<string>, ends = true): void {
  for (const oid of looseOf(project)) if (!reached.has(oid)) rmSync(loosePath(project.repository.layout.objects, oid));
  if (ends) rmSync(project.repository.layout.witness, { force: true });
}

/** A session with a step, and then something done to it of which a prune knows nothing. */
function pruned(act: (repository: Repository) => void, ends = true): Project {
  const project = makeProject();
  startSession(project.repository, 'Build a shed');
  const reached = new Set(looseOf(project));
  act(project.open());
  pruneAllBut(project, reached, ends);
  return project;
}

const notesIn = (repository: Repository, revision: string): unknown[] =>
  [...showRevision(repository, revision).steps]
    .flatMap(({ observations }) => observations as unknown as { kind: string; content: unknown }[])
    .filter(({ kind }) => kind === 'note')
    .map(({ content }) => content);

describe('what a prune has removed that did not know of it is back with the next command', () => {
  test.each<[string, (repository: Repository) => void, (repository: Repository) => void]>([
    [
      'a step',
      (repository) => {
        observeNote(repository, 'of oak');
        flushStep(repository);
      },
      (repository) => expect(notesIn(repository, 'STAGE')).toEqual(['of oak']),
    ],
    [
      'a long text',
      (repository) => {
        observeNote(repository, 'of oak '.repeat(2000));
        flushStep(repository);
      },
      (repository) => expect(JSON.stringify(notesIn(repository, 'STAGE'))).toContain('of oak'),
    ],
    [
      'a canonical commit',
      (repository) => {
        observeNote(repository, 'of oak');
        compactSession(repository);
      },
      (repository) => expect([...readLog(repository)]).toMatchObject([{ task_description: 'Build a shed' }]),
    ],
    [
      'another session',
      (repository) => void startSession(repository, 'Paint it', { beside: true }),
      (repository) => expect(sessionStatus(repository)).toMatchObject({ task_description: 'Paint it' }),
    ],
  ])('%s', (_name, act, look) => {
    const project = pruned(act);
    expect(fsck(project.store)).not.toBe('');
    look(project.open());
    expect(fsck(project.store)).toBe('');
  });

  test('while a git gc is at work, what is missed is there at once', () => {
    const project = pruned((repository) => {
      observeNote(repository, 'of oak');
      flushStep(repository);
    }, false);
    const holder = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const host = readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
      writeFileSync(project.repository.layout.gcPid, `${holder.pid} ${host}`);
      expect(notesIn(project.open(), 'STAGE')).toEqual(['of oak']);
    } finally {
      holder.kill('SIGKILL');
    }
  });

  test('an object that nothing names as removed by Git is missing, as damage', () => {
    const project = pruned((repository) => {
      observeNote(repository, 'of oak');
      flushStep(repository);
    }, false);
    expect(errorOf(() => notesIn(project.open(), 'STAGE'))).toMatchObject({ code: 'damaged' });
  });
});

describe('second names of objects', () => {
  const names = ({ repository }: Project): string[] =>
    existsSync(repository.layout.secondNames)
      ? readdirSync(repository.layout.secondNames, { recursive: true, encoding: 'utf8' }).filter((name) =>
          /[0-9a-f]{40}/.test(name),
        )
      : [];

  test('go once ctx gc has packed the objects', async () => {
    const project = makeProject();
    startSession(project.repository, 'Build a shed');
    expect(names(project).length).toBeGreaterThan(0);
    await collectGarbage(project.open());
    expect(names(project)).toEqual([]);
  });

  test('go with what is forgotten', () => {
    const project = makeProject();
    startSession(project.repository, 'Build a shed');
    observeNote(project.repository, 'a word to be forgotten: rhubarb');
    flushStep(project.repository);
    forget(project.open(), { text: 'rhubarb' });
    for (const name of names(project)) expect(looseOf(project)).toContain(name.slice(-40));
    rmSync(project.repository.layout.witness);
    openRepository({ directory: project.folder });
    expect(fsck(project.store)).toBe('');
  });
});

/** A loop of one command of Git's, until the end of what is done beside it. */
function gitBeside({ store }: Project, words: readonly string[]): { end: () => Promise<void> } {
  let child: ChildProcess | undefined;
  let isOver = false;
  const over = (async (): Promise<void> => {
    while (!isOver) {
      child = spawn('git', ['--git-dir', store, ...words], { stdio: 'ignore' });
      await new Promise((resolve) => child?.on('close', resolve));
    }
  })();
  return {
    end: () => {
      isOver = true;
      return over;
    },
  };
}

describe.each([[['gc', '--prune=now', '--quiet']], [['prune', '--expire=now']], [['repack', '-a', '-d', '-q']]])(
  'beside git %j, over and over,',
  (words) => {
    test('commands continue, and every note and every commit of theirs is there', async () => {
      const project = makeProject();
      const git = gitBeside(project, words);
      const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      const said: string[] = [];
      startSession(project.open(), 'Task 0');
      for (let round = 1; round <= 24; round += 1) {
        observeNote(project.open(), `note ${round}`);
        said.push(`note ${round}`);
        await tick();
        flushStep(project.open());
        if (round % 6 !== 0) continue;
        compactSession(project.open());
        await tick();
        startSession(project.open(), `Task ${round / 6}`);
      }
      await git.end();
      const repository = project.open();
      expect([...readLog(repository)].map((entry) => entry.task_description)).toEqual([
        'Task 3',
        'Task 2',
        'Task 1',
        'Task 0',
      ]);
      const kept = [...readLog(repository)].flatMap(({ session_id }) => notesIn(repository, session_id as string));
      expect(kept.sort()).toEqual(said.sort());
      expect(fsck(project.store)).toBe('');
    });
  },
);
