// Taking gc.pid while a `git gc` begins: at the very moment that would hurt most.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, type StatSyncOptions, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { takePacking } from '../../src/git/packing.ts';
import { encodeHolder, type Holder, thisProcess } from '../../src/platform/holder.ts';
import { errorOf, makeProject } from '../support/store.ts';

/** Functions that run behind a look at nothing, and before a file goes from its place. */
const meanwhile = vi.hoisted(() => ({
  foundNothing: (_path: string): void => undefined,
  beforeGoing: (_path: string): void => undefined,
  links: true,
}));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const looking =
    (look: (path: string, options: StatSyncOptions) => unknown) =>
    (path: string, options: StatSyncOptions): unknown => {
      const found = look(path, options);
      if (!found) meanwhile.foundNothing(path);
      return found;
    };
  return {
    ...real,
    statSync: looking(real.statSync as never),
    lstatSync: looking(real.lstatSync as never),
    unlinkSync: (path: string) => {
      meanwhile.beforeGoing(path);
      real.unlinkSync(path);
    },
    renameSync: (from: string, to: string) => {
      meanwhile.beforeGoing(from);
      real.renameSync(from, to);
    },
    linkSync: (from: string, to: string) => {
      if (!meanwhile.links) throw Object.assign(new Error('no links here'), { code: 'EPERM' });
      real.linkSync(from, to);
    },
  };
});

afterEach(() => {
  meanwhile.foundNothing = () => undefined;
  meanwhile.beforeGoing = () => undefined;
  meanwhile.links = true;
});

/** Text of a `git gc` that runs. */
const LIVING = `${process.ppid} ${hostname()}`;

/** A store, and a `git gc` that begins there once, when it is told to. */
function place() {
  const project = makeProject();
  const gcPid = join(project.store, 'gc.pid');
  let begun = false;
  const begin = (path: string): void => {
    if (path !== gcPid || begun) return;
    begun = true;
    writeFileSync(gcPid, LIVING);
  };
  const refused = (): void => {
    const { code, message } = errorOf(() => takePacking(project.open({ lockWait: 0 })));
    expect([begun, code, message]).toEqual([
      true,
      'busy',
      `git gc is at work on the store: process ${LIVING.replace(' ', ' on ')}.`,
    ]);
    expect(readFileSync(gcPid, 'utf8')).toBe(LIVING);
    expect(readdirSync(project.store).filter((name) => name.startsWith('LOCK'))).toEqual([]);
  };
  return { ...project, gcPid, begin, refused };
}

describe('a git gc that begins', () => {
  test('when nobody was seen at work keeps its gc.pid', () => {
    const { begin, refused } = place();
    meanwhile.foundNothing = begin;
    refused();
  });

  test.each([
    ['of a process that has ended', `${spawnSync('true').pid} ${hostname()}`],
    ['that says nothing', ''],
  ])('when a gc.pid was seen %s keeps its own', (_words, stale) => {
    for (const links of [true, false]) {
      const { gcPid, begin, refused } = place();
      writeFileSync(gcPid, stale);
      meanwhile.beforeGoing = begin;
      meanwhile.links = links;
      refused();
    }
  });
});

test('a stale gc.pid that somebody else takes away at this moment is nobody’s', () => {
  const { open, store, gcPid } = place();
  writeFileSync(gcPid, '');
  meanwhile.beforeGoing = (path) => {
    if (path !== gcPid) return;
    meanwhile.beforeGoing = () => undefined;
    spawnSync('rm', [gcPid]);
  };
  const release = takePacking(open({ lockWait: 0 }));
  expect(readFileSync(gcPid, 'utf8')).toBe(`${process.pid} ${hostname()}`);
  release();
  expect(readdirSync(store).filter((name) => /^(LOCK|gc)/.test(name))).toEqual([]);
});

describe('a ctx that was killed while it packed, and whose number another process has now', () => {
  /** Its two files, the second one so many minutes old. */
  function killed(minutes: number, more: Partial<Holder> = {}) {
    const project = place();
    const holder: Holder = { ...thisProcess('nonce'), pid: process.ppid, started: '1', ...more };
    writeFileSync(join(project.store, 'LOCK.packing'), encodeHolder(holder));
    writeFileSync(project.gcPid, `${holder.pid} ${holder.host}`);
    const then = Date.now() / 1000 - minutes * 60;
    utimesSync(project.gcPid, then, then);
    return project;
  }

  test.each<[string, Partial<Holder>]>([
    ['since', {}],
    ['since the machine was started again', { boot: 'another', started: '' }],
    ['since, on a machine that has another name by now', { host: 'before' }],
  ])('%s, holds nobody up', (_words, holder) => {
    const { open, gcPid } = killed(11 * 60, holder);
    const release = takePacking(open({ lockWait: 0 }));
    expect(readFileSync(gcPid, 'utf8')).toBe(`${process.pid} ${hostname()}`);
    release();
  });

  test('is no other one: a Git that has just written the same, or another number, is at work', () => {
    const { open, gcPid, store } = killed(0);
    const refused = (): void =>
      expect(errorOf(() => takePacking(open({ lockWait: 0 }))).message).toContain('git gc is at work');
    refused();
    writeFileSync(join(store, 'LOCK.packing'), encodeHolder({ ...thisProcess('nonce'), started: '1' }));
    utimesSync(gcPid, 1, Date.now() / 1000 - 11 * 3600);
    refused();
  });
});
