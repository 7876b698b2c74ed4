// Stores that have lost their pointers, on the command line: damaged, never taken for no store, and no place for a new one.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FsckResult } from '../../src/app/fsck.ts';
import type { ListedSession, LogEntry } from '../../src/index.ts';
import { folder, fsck, json, type Repo, refused, repository, session, write } from '../support/cli.ts';

let sound: Repo;
let main: string;
beforeAll(() => {
  sound = session('The first task');
  sound.run(['observe', 'note', 'saved', '--flush']);
  sound.run(['stage', 'compact']);
  sound.run(['stage', 'start', 'The second task']);
  sound.run(['observe', 'note', 'flushed', '--flush']);
  sound.run(['observe', 'note', 'waiting']);
  main = sound.git('rev-parse', 'main').trim();
});

function without(...names: string[]): Repo {
  const repo = sound.copy();
  for (const name of names) rmSync(join(repo.store, name), { recursive: true });
  return repo;
}

const DAMAGED = { exit: 5, code: 'damaged', hint: expect.stringContaining('ctx fsck --repair') };

test('without any pointer or log it is damaged, and its objects bring main and the sessions back', () => {
  const repo = without('HEAD', 'refs', 'logs', 'oplog', 'STAGE');
  for (const words of [['stage', 'status'], ['init'], ['stage', 'status']])
    expect(repo.refused(words)).toMatchObject(DAMAGED);
  expect(repo.json<FsckResult>(['fsck', '--full', '--repair'])).toMatchObject({ healthy: true });
  expect(repo.git('rev-parse', 'main').trim()).toBe(main);
  expect(repo.json<ListedSession[]>(['stage', 'list'])).toMatchObject([{ step: 2, pending_observations: 1 }]);
  expect(repo.json<LogEntry[]>(['log'])).toMatchObject([{ task_description: 'The first task' }]);
  fsck(repo.dir);
});

test.each([[[]], [['logs']]])('without its objects it is damaged, and gets no empty main: %j', (more) => {
  const repo = without('HEAD', 'refs', 'objects', 'cache', ...more);
  for (const words of [['stage', 'status'], ['init']]) expect(repo.refused(words)).toMatchObject(DAMAGED);
  const told = repo.run(['fsck', '--full', '--repair']);
  expect(told.code).toBe(5);
  expect(told.stdout).toContain('Could not restore refs/heads/main: ');
  expect(told.stdout).toContain(`damage refs/heads/main: it is missing, and so is all that it named, ${main} last`);
  expect(existsSync(join(repo.store, 'refs/heads/main'))).toBe(false);
  expect(readdirSync(join(repo.store, 'pending'))).toHaveLength(1);
  // A fetch from a backup brings it all back.
  repo.run(['git', 'fetch', '--refetch', sound.store, '+refs/*:refs/remotes/backup/*']);
  repo.run(['fsck', '--repair']);
  expect(repo.git('rev-parse', 'main').trim()).toBe(main);
});

describe('what is no store is none', () => {
  test.each<[what: string, make: (store: string) => void]>([
    ['a folder of somebody else’s', (store) => write(join(store, 'pending/notes.txt'), 'x')],
    ['a folder of objects alone', (store) => mkdirSync(join(store, 'objects/pack'), { recursive: true })],
  ])('%s', (_what, make) => {
    const dir = folder();
    make(join(dir, '.ctx'));
    expect(refused(['stage', 'status'], { cwd: dir })).toMatchObject({ exit: 1, code: 'not_a_repository' });
    expect(json(['init'], { cwd: dir })).toMatchObject({ created: true });
    fsck(dir);
  });

  test('one that was killed before its first pointer is made by the next init', () => {
    const { dir, store, refused: refusedIn, json: jsonIn } = repository();
    for (const name of ['HEAD', 'refs/heads/main', 'logs', 'key']) rmSync(join(store, name), { recursive: true });
    expect(refusedIn(['stage', 'status'])).toMatchObject({ exit: 1, code: 'not_a_repository' });
    expect(jsonIn(['init'])).toMatchObject({ created: true });
    fsck(dir);
  });
});
