// Killed at any call of a feed, and fed by several at once: the next who asks has all of it, once.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askCatalog } from '../../src/catalog/catalog.ts';
import * as ctx from '../../src/index.ts';
import { runToEnd } from '../support/spawn.ts';
import { copyOf, ended, makeProject, PROGRAM, type Project, ROOT, startChild } from '../support/store.ts';
import { message, observe, pictureOf, scanned, text } from './support.ts';

const FAULT = join(ROOT, 'test', 'torture', 'fault.cjs');

/** A store with a few sessions, whose catalog has some of them. */
function halfFed(): Project {
  const project = makeProject();
  const { repository } = project;
  for (const task of ['Add retry', 'Raise the timeout', 'Cap the backoff']) {
    ctx.startSession(repository, task);
    observe(repository, message(`u ${task}`, 'user', [text(`please ${task}`)]));
    ctx.compactSession(repository);
    if (task === 'Add retry') pictureOf(project.open());
  }
  ctx.startSession(repository, 'Look again');
  ctx.observeNote(repository, 'an open note');
  ctx.flushStep(repository);
  return project;
}

/** Runs a search that is killed at one of its calls that change the store; returns whether it was. */
function searchKilled(project: Project, at: number, mode: string): boolean {
  const mark = join(project.folder, 'mark.json');
  rmSync(mark, { force: true });
  runToEnd(process.execPath, ['-r', FAULT, PROGRAM, 'search', 'backoff'], {
    cwd: project.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: project.folder,
      TORTURE_STORE: project.store,
      TORTURE_AT: String(at),
      TORTURE_MODE: mode,
      TORTURE_MARK: mark,
    },
  });
  return existsSync(mark) && readFileSync(mark, 'utf8').includes('"hit"');
}

describe.each(['kill', 'torn', 'ENOSPC'])('a search that meets %s', (mode) => {
  test('at any of its calls leaves a catalog that the next one completes', () => {
    const original = halfFed();
    let at = 1;
    for (; ; at += 1) {
      const project = copyOf(original);
      const wasHit = searchKilled(project, at, mode);
      const repository = project.open();
      expect(pictureOf(repository)).toEqual(scanned(repository));
      expect(ctx.searchSessions(project.open(), 'backoff').hits.map(({ title }) => title)).toEqual(['Cap the backoff']);
      if (!wasHit) break;
    }
    expect(at).toBeGreaterThan(mode === 'torn' ? 2 : 5);
  }, 240_000);
});

/** Searches again and again. */
const SEARCHES = `
  const [folder, count] = words;
  for (let round = 0; round < Number(count); round += 1) {
    const repository = ctx.openRepository({ directory: folder });
    const found = ctx.searchSessions(repository, 'retry');
    if (found.hits.length !== 1) throw new Error('found ' + found.hits.length);
  }
`;

test('several processes that feed at once, beside one that records, fail at nothing and double nothing', async () => {
  const project = halfFed();
  const children = await Promise.all([1, 2, 3].map(() => startChild(SEARCHES, [project.folder, '12'])));
  const ends = children.map(ended);
  for (let round = 0; round < 10; round += 1) {
    ctx.observeNote(project.open(), `round ${round}`);
    ctx.flushStep(project.open());
  }
  for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 0, err: '' });
  const repository = project.open();
  const found = pictureOf(repository);
  expect(found).toEqual(scanned(repository));
  const rows = askCatalog(repository, { sessions: true }, ({ segments, counts }) =>
    segments.flatMap((segment) =>
      segment.sessionRows.filter(({ id }) => counts(id, segment.number)).map(({ id, step }) => `${id} ${step}`),
    ),
  );
  expect(new Set(rows).size).toBe(rows.length);
}, 120_000);

test('readers beside a forgetting are answered, and leave nothing of what is forgotten', async () => {
  const project = halfFed();
  ctx.observeNote(project.open(), 'the word is quicksilver');
  ctx.flushStep(project.open());
  pictureOf(project.open());
  const children = await Promise.all([1, 2].map(() => startChild(SEARCHES, [project.folder, '10'])));
  const ends = children.map(ended);
  ctx.forget(project.open(), { text: 'quicksilver' });
  for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 0, err: '' });
  const repository = project.open();
  expect(JSON.stringify(pictureOf(repository))).not.toContain('quicksilv');
  expect(pictureOf(repository)).toEqual(scanned(repository));
}, 120_000);
