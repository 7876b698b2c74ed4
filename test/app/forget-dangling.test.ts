// Forgetting leaves no object behind that nothing names: neither what waiting records need, nor what was only written on the way.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ForgetTarget, forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeCommand } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { showRevision } from '../../src/app/show.ts';
import { openRepository, type Repository } from '../../src/history/store/repository.ts';
import { type History, makeHistory } from '../support/history.ts';
import { git, temporaryFolder } from '../support/store.ts';

const TEXT = 'the forgetful world';
const lines = (bytes: number): string => `${'0123456 789abcde\n'.repeat(Math.ceil(bytes / 17))}and ${TEXT}\n`;
const ran = ({ repository }: History, bytes = 8000): string =>
  observeCommand(repository, { command: 'cat it', exit_code: 0, output: lines(bytes) }).records[0] ?? '';
const wrote = (history: History, name = 'a.txt'): void => history.write(name, lines(10));
const flushes = (history: History): unknown => flushStep(history.open());
const danglingIn = ({ store }: History): string =>
  git(store, ['fsck', '--strict', '--full', '--dangling', '--no-progress']);
const objectsBeside = ({ store }: History, session: string): string[] =>
  readdirSync(join(store, 'pending', session, 'objects'));

describe('nothing dangles once it was forgotten', () => {
  type Deed = (history: History) => unknown;
  it.each<[string, Deed[]]>([
    ['the content of a waiting record', [wrote]],
    ['an output that waits', [ran]],
    ['an output in pieces that waits', [(history) => ran(history, 9 * 1024 * 1024)]],
    ['a content that waits and was taken in before', [wrote, flushes, (history) => wrote(history, 'b.txt')]],
    ['an output', [ran, flushes]],
    ['a content', [wrote, flushes]],
  ])('%s', (_name, deeds) => {
    const history = begun();
    for (const deed of deeds) deed(history);
    expectNothingDangles(history, { text: TEXT });
  });

  it.each<[string, Deed[]]>([
    ['a record that waits', []],
    ['a record with an output', [flushes]],
  ])('%s', (_name, deeds) => {
    const history = begun();
    const id = ran(history);
    for (const deed of deeds) deed(history);
    expectNothingDangles(history, { id });
  });
});

function begun(): History {
  const history = makeHistory();
  startSession(history.repository, 'Look at the world');
  return history;
}

function expectNothingDangles(history: History, target: ForgetTarget): void {
  forget(history.open(), target);
  expect(danglingIn(history)).toBe('');
  flushes(history);
  expect(danglingIn(history)).toBe('');
  expect(checkStore(history.open(), { full: true }).findings).toEqual([]);
}

it('what waits has its new content beside it, and takes it along', () => {
  const history = makeHistory();
  const { session_id } = startSession(history.repository, 'Look at the world');
  wrote(history);
  const before = objectsBeside(history, session_id);
  forget(history.open(), { text: TEXT });
  const after = objectsBeside(history, session_id);
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
  flushes(history);
  const { 'a.txt': content } = history.filesOf(showRevision(history.open(), 'STAGE').oid);
  expect(content).toMatch(/and \[forgotten:\w+\]\n$/);
});

it('what somebody else has put there stays, though nothing names it', () => {
  const history = makeHistory();
  startSession(history.repository, 'Look at the world');
  const own = git(history.store, ['hash-object', '-w', '--stdin'], 'of somebody else').trim();
  wrote(history);
  forget(history.open(), { text: TEXT });
  expect(danglingIn(history)).toBe(`dangling blob ${own}\n`);
});

/** Called where a forgetting is worked out and written, but for the plan that begins it. */
const moment = vi.hoisted(() => ({ before: (): void => undefined }));
vi.mock('../../src/history/forget/plan-file.ts', async (original) => {
  const actual = await original<typeof import('../../src/history/forget/plan-file.ts')>();
  const encodePlan: typeof actual.encodePlan = (store, plan) => {
    moment.before();
    return actual.encodePlan(store, plan);
  };
  return { ...actual, encodePlan };
});

/** The store as a forgetting leaves it that is killed before it has begun. */
function killed(history: History): string {
  const store = join(temporaryFolder(), '.ctx');
  moment.before = () => cpSync(history.store, store, { recursive: true });
  try {
    forget(history.open(), { text: TEXT });
  } finally {
    moment.before = () => undefined;
  }
  // Nobody holds them any more.
  for (const lock of ['LOCK', 'LOCK.packing', 'LOCK.catalog']) rmSync(join(store, lock), { force: true });
  return store;
}

describe('what a forgetting has written that was killed before it had begun lies apart', () => {
  it.each<[string, (repository: Repository) => unknown, boolean]>([
    ['the next change', (repository) => observeAndFlush(repository), false],
    ['a repair', (repository) => checkStore(repository, { repair: true }), false],
    ['the same forgetting', (repository) => forget(repository, { text: TEXT }), true],
  ])('%s removes it', (_name, next, isForgotten) => {
    const history = begun();
    ran(history);
    flushes(history);
    const store = killed(history);
    const left = readdirSync(join(store, 'forgetting'));
    expect(danglingIn({ ...history, store })).toBe('');
    expect(left.filter((name) => /^[0-9a-f]{40}$/.test(name)).length).toBeGreaterThan(2);
    next(openRepository({ store }));
    expect(existsSync(join(store, 'forgetting'))).toBe(false);
    expect(danglingIn({ ...history, store })).toBe('');
    expect(checkStore(openRepository({ store }), { full: true }).findings).toEqual([]);
    const all = git(store, ['cat-file', '--batch-all-objects', '--batch', '--unordered']);
    expect(all.includes(TEXT)).toBe(!isForgotten);
  });

  it('is removed at once if the forgetting fails', () => {
    const history = begun();
    ran(history);
    flushes(history);
    moment.before = () => {
      moment.before = () => undefined;
      throw new Error('no room');
    };
    expect(() => forget(history.open(), { text: TEXT })).toThrow('no room');
    expect(existsSync(join(history.store, 'forgetting'))).toBe(false);
    expect(danglingIn(history)).toBe('');
  });
});

function observeAndFlush(repository: Repository): void {
  observeCommand(repository, { command: 'true', exit_code: 0 });
  flushStep(repository);
}
