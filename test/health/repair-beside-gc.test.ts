// Repairs beside a `git gc`, which takes loose objects away without asking for our lock.
import { mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setAside } from '../../src/git/set-aside.ts';
import { repairStore } from '../../src/health/repair/repair.ts';
import { makeProject } from '../support/store.ts';

test('an object that is gone since its folder was listed is not torn, and the repair continues', () => {
  const { repository, store } = makeProject();
  const folder = join(store, 'objects', 'ab');
  mkdirSync(folder, { recursive: true });
  const names = ['1', '2', '3'].map((digit) => digit.repeat(38));
  for (const name of names) writeFileSync(join(folder, name), 'torn');
  const done: string[] = [];
  for (const sentence of repairStore(repository, false)) {
    if (done.length === 0) unlinkSync(join(folder, names[1] as string));
    done.push(sentence);
  }
  expect(done).toEqual([names[0], names[2]].map((name) => `Set the torn object ab${name} aside in lost/.`));
  expect(readdirSync(join(store, 'lost'))).toHaveLength(2);
});

test('a file that is gone before it can be set aside is reported to be gone; one that is there is moved', () => {
  const { repository, store } = makeProject();
  const path = join(store, 'oplog', 'torn.json');
  expect(setAside(repository, path)).toBe(false);
  writeFileSync(path, 'torn');
  expect(setAside(repository, path)).toBe(true);
});
