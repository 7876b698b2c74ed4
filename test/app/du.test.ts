// Tests the disk usage: nothing is left out, nothing counts twice, and each thing has its owner.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as ctx from '../../src/index.ts';
import { makeProject } from '../support/store.ts';

/** A saved session, and an open one that waits; both saw the same file. */
function lived() {
  const project = makeProject();
  const { repository, folder } = project;
  writeFileSync(join(folder, 'same.txt'), 'seen by both\n'.repeat(200));
  const first = ctx.startSession(repository, 'first').session_id;
  ctx.observeFileRead(repository, 'same.txt', folder);
  ctx.flushStep(repository);
  ctx.compactSession(repository);
  const second = ctx.startSession(repository, 'second').session_id;
  ctx.observeFileRead(repository, 'same.txt', folder);
  ctx.flushStep(repository);
  ctx.observeNote(repository, 'it waits');
  return { ...project, first, second };
}

/** Bytes of all files below a folder. */
const bytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const sum = ({ loose, packed }: ctx.DiskUsageRow): number => loose + packed;

describe.each<ctx.DiskUsageKey>(['session', 'kind', 'age'])('by %s', (by) => {
  test.each(['loose', 'packed'])('the total is what the disk says, %s', (how) => {
    const { repository, store, git } = lived();
    if (how === 'packed') git('gc', '-q');
    const usage = ctx.diskUsage(repository, by);
    expect(sum(usage.total)).toBe(bytes(store));
    expect(usage.rows.reduce((all, row) => all + sum(row), 0)).toBe(sum(usage.total));
    expect(usage.total.objects).toBe(
      Number(git('cat-file', '--batch-all-objects', '--batch-check').split('\n').length) - 1,
    );
    expect(usage.total.packed > 0).toBe(how === 'packed');
    expect(usage.rows.map((row) => sum(row))).toEqual(usage.rows.map((row) => sum(row)).toSorted((a, b) => b - a));
  });
});

test('what two sessions need counts for the one that had it first', () => {
  const { repository, first, second } = lived();
  const { rows } = ctx.diskUsage(repository, 'session');
  const of = (name: string): ctx.DiskUsageRow => rows.find((row) => row.name === name) as ctx.DiskUsageRow;
  expect(of(first).loose - of(second).loose).toBeGreaterThan(100);
  expect(rows.map((row) => row.name).toSorted()).toEqual([first, second, 'the store itself'].toSorted());
});

test('kinds are those of the format', () => {
  const { repository } = lived();
  const kinds = ctx.diskUsage(repository, 'kind').rows.map((row) => row.name);
  expect(kinds).toEqual(
    expect.arrayContaining([
      'commits',
      'sessions',
      'records',
      'files',
      'summaries',
      'waiting records',
      'operations',
      'refs and reflogs',
    ]),
  );
});

test('reports what is no longer needed', () => {
  const { repository } = lived();
  repository.objects.write('blob', Buffer.from('nobody needs it'));
  expect(ctx.diskUsage(repository, 'kind').rows.find((row) => row.name === 'not reachable')).toMatchObject({
    objects: 1,
  });
});

test('reports nothing as unneeded without main, since everything saved would look unneeded', () => {
  const { open, store } = lived();
  rmSync(join(store, 'refs/heads/main'));
  expect(() => ctx.diskUsage(open(), 'session')).toThrow(/refs\/heads\/main.*it is missing/);
});
