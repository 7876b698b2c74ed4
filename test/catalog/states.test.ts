// Whatever happens to the files of the catalog, every question has the same answer; and nothing forgotten stays in them.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CatalogOptions } from '../../src/app/find/catalog.ts';
import { packFor } from '../../src/app/find/pack.ts';
import { searchSessions } from '../../src/app/find/search.ts';
import { usageOf } from '../../src/app/find/usage.ts';
import { whyPath } from '../../src/app/find/why.ts';
import { readLog } from '../../src/app/log.ts';
import { listAllSessions } from '../../src/app/sessions.ts';
import { lockCatalog as lockedCatalog } from '../../src/catalog/store/lock.ts';
import * as ctx from '../../src/index.ts';
import { copyOf, makeProject, type Project } from '../support/store.ts';
import { message, observe, text } from './support.ts';

const folderOf = ({ store }: Pick<Project, 'store'>): string => join(store, 'cache', 'catalog');
const filesOf = (project: Pick<Project, 'store'>): string[] => readdirSync(folderOf(project)).sort();

/** Every question that is answered from the catalog, with its answer. */
async function answers(repository: ctx.Repository, catalog: CatalogOptions = {}): Promise<unknown> {
  const sessions = listAllSessions(repository, { catalog });
  return {
    list: sessions.sessions.map(({ title, ending, steps }) => [title, ending, steps]),
    // Ids that a shell completes.
    ids: sessions.sessions.map(({ short_id }) => short_id),
    log: [...readLog(repository, { catalog })].map(({ title }) => title),
    grep: [...readLog(repository, { catalog, grep: /timeout/ })].map(({ title }) => title),
    type: [...readLog(repository, { catalog, types: ['Abandoned'] })].map(({ title }) => title),
    path: [...readLog(repository, { catalog, path: 'src' })].map(({ title }) => title),
    search: searchSessions(repository, 'backoff "connection reset"', { ...catalog }),
    misspelt: searchSessions(repository, 'bakcoff', { ...catalog }),
    usage: usageOf(repository, { by: 'model', catalog }),
    why: await whyPath(repository, 'src/retry.ts', 1, { directory: repository.project, catalog }),
    pack: await packFor(repository, 'connection reset', { catalog }),
  };
}

let original: Project;
let expected: unknown;

/** A store with ended and open sessions, and its catalog. */
beforeAll(async () => {
  original = makeProject();
  const { repository, folder, clock } = original;
  const said = (id: string, words: string): object => message(id, 'user', [text(words)], { created_at: clock.now });
  const answered = (id: string, words: string): object =>
    message(id, 'assistant', [text(words)], {
      created_at: clock.now,
      model: 'a-model',
      usage: { input: 10, output: 20 },
    });
  ctx.startSession(repository, 'Add retry with backoff');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'retry.ts'), 'export const retry = 1;\n');
  observe(repository, said('u1', 'The connection reset needs a backoff'), answered('a1', 'I add exponential backoff.'));
  ctx.observeFileWrite(repository, 'src/retry.ts', folder);
  ctx.compactSession(repository);
  clock.now += 1000;
  ctx.startSession(repository, 'Raise the timeout');
  observe(repository, said('u2', 'Raise it'), answered('a2', 'Done: the timeout is 30 s.'));
  ctx.setState(repository, 'abort', { text: 'not needed' });
  ctx.compactSession(repository);
  clock.now += 1000;
  ctx.startSession(repository, 'Look at the backoff again');
  observe(repository, said('u3', 'Is the backoff capped?'), answered('a3', 'Yes, at a minute.'));
  ctx.flushStep(repository);
  expected = await answers(original.open());
});

/** The same answers, and what was said of the catalog meanwhile. */
async function sameAnswers(project: Project): Promise<string[]> {
  const said: string[] = [];
  const warn = (problem: string): void => void said.push(problem);
  expect(await answers(project.open(), { warn })).toEqual(expected);
  return said;
}

describe('the same answers', () => {
  test('come from what is there', async () => {
    const project = copyOf(original);
    const before = filesOf(project);
    expect(await sameAnswers(project)).toEqual([]);
    expect(filesOf(project)).toEqual(before);
    expect(expected).toMatchObject({
      grep: ['Raise the timeout'],
      type: ['Raise the timeout'],
      path: ['Add retry with backoff'],
    });
    expect((expected as { search: ctx.SearchResult }).search.hits.map(({ title }) => title)).toEqual([
      'Add retry with backoff',
    ]);
    expect((expected as { misspelt: ctx.SearchResult }).misspelt.corrected).toEqual([
      { word: 'bakcoff', instead: 'backoff' },
    ]);
  });

  test('come without the catalog, which is made again', async () => {
    const project = copyOf(original);
    rmSync(folderOf(project), { recursive: true });
    expect(await sameAnswers(project)).toEqual([]);
    expect(filesOf(project)).toContain('manifest');
  });

  test('come while another process holds its lock, and nothing is written', async () => {
    const project = copyOf(original);
    rmSync(folderOf(project), { recursive: true });
    const release = lockedCatalog(project.open());
    const impatient = { ...project, open: () => project.open({ lockWait: 0 }) };
    expect(await sameAnswers(impatient)).toEqual([]);
    expect(readdirSync(join(project.store, 'cache'))).not.toContain('catalog');
    release();
  });

  test('come from a stale one, with what is new', async () => {
    const project = copyOf(original);
    const { repository } = project;
    ctx.observeNote(repository, 'decision: use jitter');
    expect(searchSessions(project.open(), 'jitter')).toMatchObject({ hits: [], waiting: 1 });
    ctx.flushStep(repository);
    const { hits } = searchSessions(project.open(), 'jitter');
    expect(hits).toMatchObject([{ title: 'Look at the backoff again', snippets: [{ kind: 'decision' }] }]);
    const release = lockedCatalog(project.open());
    ctx.observeNote(repository, 'decision: use marmalade');
    ctx.flushStep(repository);
    expect(searchSessions(project.open({ lockWait: 0 }), 'marmalade').hits).toHaveLength(1);
    release();
    expect(searchSessions(project.open(), 'marmalade').hits).toHaveLength(1);
  });

  test('come from a store that cannot be written to', async () => {
    const project = copyOf(original);
    rmSync(folderOf(project), { recursive: true });
    // Root may write anywhere: a file in the place of the folder stops everybody.
    writeFileSync(folderOf(project), 'no folder');
    chmodSync(folderOf(project), 0o600);
    expect(await sameAnswers(project)).toEqual([]);
  });

  const damages: [string, (path: string) => void][] = [
    ['is cut off', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['is empty', (path) => truncateSync(path, 0)],
    [
      'has another byte',
      (path) => {
        const content = readFileSync(path);
        const at = Math.floor(content.length / 3);
        content[at] = (content[at] as number) ^ 0x20;
        writeFileSync(path, content);
      },
    ],
    ['is longer', (path) => appendFileSync(path, '\n')],
    ['is gone', (path) => rmSync(path)],
  ];
  describe.each(damages)('come after any file of it %s', (_how, harm) => {
    test('and the damage is said once', async () => {
      for (const name of filesOf(original)) {
        const project = copyOf(original);
        harm(join(folderOf(project), name));
        const said = await sameAnswers(project);
        // Without its manifest it is none at all; a manifest with a line feed more is whole; sums are only made again.
        if (name !== 'manifest' && !name.endsWith('.sums')) expect([name, said.length]).toEqual([name, 1]);
        expect(await sameAnswers(project)).toEqual([]);
      }
    });
  });

  test('come after files of an older catalog were put in the place of its own', async () => {
    const project = copyOf(original);
    const older = copyOf(original);
    ctx.observeNote(project.repository, 'a note');
    ctx.flushStep(project.repository);
    searchSessions(project.open(), 'note');
    for (const name of filesOf(older)) copyFileSync(join(folderOf(older), name), join(folderOf(project), name));
    expect(searchSessions(project.open(), 'note').hits).toHaveLength(1);
  });
});

describe('the files', () => {
  test('are the user’s alone', () => {
    for (const name of filesOf(original)) expect(statSync(join(folderOf(original), name)).mode & 0o777).toBe(0o600);
    expect(statSync(folderOf(original)).mode & 0o777).toBe(0o700);
  });

  test('have nothing of what is forgotten, when the forgetting is done', () => {
    const project = copyOf(original);
    const whole = (): string =>
      filesOf(project)
        .map((name) => readFileSync(join(folderOf(project), name), 'latin1'))
        .join('');
    expect(whole()).toContain('expon');
    ctx.forget(project.open(), { text: 'exponential' });
    expect(filesOf(project)).toEqual([]);
    expect(searchSessions(project.open(), 'exponential').hits).toEqual([]);
    expect(searchSessions(project.open(), 'backoff').hits.length).toBeGreaterThan(0);
    expect(whole()).not.toContain('exponenti');
  });

  test('are left alone by a forgetting that finds nothing', () => {
    const project = copyOf(original);
    const before = filesOf(project);
    expect(() => ctx.forget(project.open(), { text: 'never said by anybody' })).toThrow();
    expect(filesOf(project)).toEqual(before);
  });

  test('make a forgetting wait for who feeds them', () => {
    const project = copyOf(original);
    const release = lockedCatalog(project.open());
    expect(() => ctx.forget(project.open({ lockWait: 0 }), { text: 'exponential' })).toThrow(/busy/);
    release();
    expect(ctx.forget(project.open(), { text: 'exponential' }).cleaned_records).toBeGreaterThan(0);
  });
});
