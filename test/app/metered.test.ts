// The progress of long work: a repository that counts what is read and written of its objects, and works like any other.
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { metered } from '../../src/app/open.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject } from '../support/store.ts';

test('the bytes of objects are counted as they are read and written', () => {
  const { repository, store } = makeProject();
  ctx.startSession(repository, 'A task');
  ctx.observeNote(repository, 'x');
  const sums: number[] = [];
  const counting = metered(repository, (sum) => sums.push(sum));
  expect(checkStore(counting, { full: true })).toEqual(checkStore(repository, { full: true }));
  const checked = sums.at(-1) ?? 0;
  expect(checked).toBeGreaterThan(500);
  expect(sums).toEqual([...sums].sort((a, b) => a - b));
  ctx.compactSession(counting);
  expect(sums.at(-1)).toBeGreaterThan(checked);
  expect(checkStore(repository, { full: true })).toMatchObject({ healthy: true, findings: [] });
  expect(fsck(store)).toBe('');
});
