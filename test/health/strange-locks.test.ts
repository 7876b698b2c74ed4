// Tests files in the place of LOCK that are none: out of the way, and kept if there is anything to keep.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setStrangeLocksAside, strangeLocks } from '../../src/health/strange-locks.ts';
import { makeProject } from '../support/store.ts';

const keptIn = (store: string): string[] => (existsSync(join(store, 'lost')) ? readdirSync(join(store, 'lost')) : []);

test.each<[what: string, make: (path: string) => unknown, kept: number]>([
  ['a folder', (path) => mkdirSync(path), 1],
  ['a pipe', (path) => spawnSync('mkfifo', [path]), 0],
])('%s', (_what, make, kept) => {
  const { repository, store } = makeProject();
  make(join(store, 'LOCK'));
  expect(setStrangeLocksAside(repository)).toEqual(['LOCK']);
  expect([...strangeLocks(repository.layout)]).toEqual([]);
  expect(keptIn(store)).toHaveLength(kept);
});
