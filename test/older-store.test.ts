// A store that an older ctx has written (commit 89f42aa) is read, continued and called whole by this one.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../src/app/fsck.ts';
import { undoOperations } from '../src/app/undo/undo.ts';
import { readOperations } from '../src/history/operations/operation-files.ts';
import * as ctx from '../src/index.ts';
import { fakeClock, fsck, git, ROOT, temporaryFolder } from './support/store.ts';

const OLDER = join(ROOT, 'fixtures', 'older-store');
/** When the older ctx was used last, in Unix seconds. */
const LAST = Date.parse('2026-02-04T09:20:00Z') / 1000;

function copied() {
  const folder = temporaryFolder();
  const store = join(folder, '.ctx');
  cpSync(OLDER, store, { recursive: true });
  writeFileSync(join(store, 'settings.json'), '{"fsync": false}', { mode: 0o600 });
  const clock = fakeClock();
  clock.now = LAST + 60;
  return { folder, store, clock, repository: ctx.openRepository({ directory: folder, clock }) };
}

/** The keys of every JSON document and line that a store holds. */
function keysOf(store: string): Set<string> {
  const text = git(store, ['cat-file', '--batch-all-objects', '--batch']);
  return new Set([...text.matchAll(/[{,]"(\w+)":/g)].map(([, key = '']) => key));
}

test('it is read as it was written', () => {
  const { store, repository } = copied();
  expect(
    [...ctx.readLog(repository, { topological: true })].map((entry) => [
      entry.commit_type.kind,
      entry.task_description,
    ]),
  ).toEqual([
    ['Normal', 'Add tracing to the client.'],
    ['StaleAutoCompact', 'Fix the build'],
    ['InterruptedByNewTask', 'Write the changelog'],
    ['Abandoned', 'Move to another runner'],
    ['Normal', 'Retry requests that fail'],
  ]);
  expect(ctx.sessionStatus(repository)).toMatchObject({
    task_description: 'Cache the answers',
    pending_observations: 2,
  });
  expect(checkStore(repository, { full: true })).toMatchObject({ healthy: true, findings: [] });
  expect(fsck(store)).toBe('');
});

test('it is continued, and whole after each change', () => {
  const { folder, store, repository } = copied();
  const before = keysOf(store);
  ctx.flushStep(repository);
  ctx.observeNote(repository, 'Written by a later ctx');
  ctx.flushStep(repository);
  expect([...keysOf(store)].filter((key) => !before.has(key))).toEqual([]);
  expect(checkStore(repository, { full: true })).toMatchObject({ healthy: true, findings: [] });
  ctx.setState(repository, 'done', { text: 'Cached.' });
  ctx.setState(repository, 'confirm');
  ctx.compactSession(repository);
  expect([...ctx.readLog(repository)][0]).toMatchObject({
    commit_type: { kind: 'Normal' },
    task_description: 'Cache the answers',
  });
  undoOperations(repository);
  expect(ctx.sessionStatus(repository)).toMatchObject({ task_description: 'Cache the answers' });
  mkdirSync(join(folder, 'src'), { recursive: true });
  ctx.startSession(repository, 'Another task', { replace: true });
  expect(checkStore(repository, { full: true })).toMatchObject({ healthy: true, findings: [] });
  expect(fsck(store)).toBe('');
  // The older operation log is read together with what was added to it.
  expect(readdirSync(join(store, 'oplog')).length).toBeGreaterThan(0);
  expect([...readOperations(repository)].length).toBeGreaterThan(12);
});
