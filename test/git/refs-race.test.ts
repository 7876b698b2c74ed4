// Moves of refs with Git at work in between: its step happens at the very moment that would hurt most.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MAIN } from '../../src/git/layout.ts';
import { FileRefs } from '../../src/git/refs/refs.ts';
import { layoutOf, sessionRef } from '../../src/history/names/layout.ts';
import { fsck, git, makeProject } from '../support/store.ts';

/** Functions that run just before or behind a call of the file system. */
const hooks = vi.hoisted(() => ({
  beforeUnlink: (_path: string): void => undefined,
  afterRename: (_to: string): void => undefined,
}));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    unlinkSync: (path: string) => {
      hooks.beforeUnlink(path);
      fs.unlinkSync(path);
    },
    renameSync: (from: string, to: string) => {
      fs.renameSync(from, to);
      hooks.afterRename(to);
    },
  };
});

const STORY = { at: 1, message: 'test' };
const REF = sessionRef('0199a000-0000-7000-8000-000000000001');

function place() {
  const { store } = makeProject();
  const refs = new FileRefs(layoutOf(store), { fsync: false }, 500);
  return { store, refs, main: refs.read(MAIN) as string };
}

test('the lock that Git takes as soon as ours has become the ref is Git’s, and stays', () => {
  const { store, refs, main } = place();
  const lock = join(store, `${REF}.lock`);
  hooks.afterRename = (to) => {
    if (to === join(store, REF)) writeFileSync(lock, 'git is at work', { flag: 'wx' });
  };
  try {
    refs.move({ pointer: REF, old: null, new: main }, STORY);
  } finally {
    hooks.afterRename = () => undefined;
  }
  expect(refs.read(REF)).toBe(main);
  expect(readFileSync(lock, 'utf8')).toBe('git is at work');
});

test('a ref that Git packs while we delete it does not come back', () => {
  const { store, refs, main } = place();
  refs.move({ pointer: REF, old: null, new: main }, STORY);
  const lock = join(store, 'packed-refs.lock');
  hooks.beforeUnlink = (path) => {
    if (path !== join(store, REF) || existsSync(lock)) return;
    // Acts as `git pack-refs`: it has read the loose ref before, and now puts its file in place.
    hooks.beforeUnlink = () => undefined;
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(join(store, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${main} ${REF}\n`);
  };
  try {
    refs.move({ pointer: REF, old: main, new: null }, STORY);
  } finally {
    hooks.beforeUnlink = () => undefined;
  }
  expect(refs.read(REF)).toBeNull();
  expect(git(store, ['for-each-ref', '--format=%(refname)'])).toBe(`${MAIN}\n`);
  expect(fsck(store)).toBe('');
});
