// Second names of objects as time goes by, and beside other processes: none goes that is needed, and the old ones go little by little.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import { ingestSingle } from '../../src/app/intake/alone.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { packStore } from '../../src/git/objects/bulk-pack.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import type { OpenOptions } from '../../src/history/store/repository.ts';
import { compactSession, flushStep, observeNote, type Repository, startSession } from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import {
  dropSecondNames,
  errorOf,
  fakeClock,
  fsck,
  makeProject,
  type Project,
  temporaryFolder,
} from '../support/store.ts';

const HOUR = 3600;
/** A full hour, and the folder of what is written in it. */
const NOON = 1_769_040_000;
const slotOf = (time: number): string => String(Math.floor(time / HOUR));

/** A store on a machine whose clock is moved by hand. */
function makeTimed(options: OpenOptions = {}): Project & { time: ReturnType<typeof fakeClock> } {
  const time = fakeClock(NOON);
  const project = makeProject({}, { machineTime: time, ...options });
  // Those of its making are of the real time.
  dropSecondNames(project.store);
  return { ...project, time };
}

/** Second names, and files that are to become one, each with its folder. */
function names({ repository }: Project): string[] {
  const { secondNames } = repository.layout;
  if (!existsSync(secondNames)) return [];
  return readdirSync(secondNames, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{40}/.test(name));
}

const looseOf = ({ store }: Project): string[] =>
  readdirSync(join(store, 'objects'))
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(store, 'objects', name)).map((rest) => name + rest));

/** Three messages of a conversation as Claude Code writes them. */
function transcript(cwd: string): string {
  const line = (uuid: string, parentUuid: string | null, message: object): string =>
    JSON.stringify({
      ...{ type: parentUuid ? 'assistant' : 'user', uuid, parentUuid, sessionId: 's-1', cwd, message },
      timestamp: new Date(NOON * 1000).toISOString(),
    });
  const file = join(temporaryFolder(), 's-1.jsonl');
  const answer = { id: 'm-1', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'With oak.' }] };
  writeFileSync(file, `${line('1', null, { role: 'user', content: 'Build a shed' })}\n${line('2', '1', answer)}\n`);
  return file;
}

describe('in a process that keeps a store open for hours', () => {
  const flush = (repository: Repository): void => {
    observeNote(repository, `of oak ${Math.random()}`);
    flushStep(repository);
  };
  const inBulk = (repository: Repository): void => {
    const store = bulkStore(repository);
    store.write('blob', Buffer.from('of oak'));
    store.publish();
  };

  test.each<[string, (repository: Repository) => void]>([
    ['a flush', flush],
    ['a commit', compactSession],
    ['an object by itself', ({ objects }) => void objects.write('blob', Buffer.from('of oak'))],
    ['what is written in bulk', inBulk],
  ])('%s has second names that are as young as it is', (_name, act) => {
    const project = makeTimed();
    startSession(project.repository, 'Build a shed');
    project.time.now += 3 * HOUR;
    const before = new Set(looseOf(project));
    act(project.repository);
    const made = looseOf(project).filter((oid) => !before.has(oid));
    expect(made).not.toEqual([]);
    expect(names(project)).toEqual(expect.arrayContaining(made.map((oid) => join(slotOf(project.time.now), oid))));
  });

  test.each([1, 2, 3, 30])('what a git prune removes that began before is back after %i hours, too', (hours) => {
    const project = makeTimed();
    startSession(project.repository, 'Build a shed');
    flush(project.repository);
    for (let hour = 0; hour < hours; hour += 1) {
      project.time.now += HOUR;
      if (hour % 2 === 0) flush(project.repository);
    }
    const reached = new Set(looseOf(project));
    flush(project.repository);
    for (const oid of looseOf(project))
      if (!reached.has(oid)) rmSync(loosePath(project.repository.layout.objects, oid));
    rmSync(project.repository.layout.witness, { force: true });
    project.open();
    expect(fsck(project.store)).toBe('');
  });

  test('no name goes that is not older than an hour', () => {
    const project = makeTimed();
    project.time.now += HOUR - 1;
    startSession(project.repository, 'Build a shed');
    const made = names(project);
    project.time.now += HOUR;
    project.repository.secondNames.dropOld();
    expect(names(project)).toEqual(made);
    project.time.now += 1;
    project.repository.secondNames.dropOld();
    expect(names(project)).toEqual([]);
  });

  test('what was begun hours ago gets a second name of now', () => {
    const project = makeTimed();
    const store = bulkStore(project.repository);
    const oid = store.write('blob', Buffer.from('of oak'));
    project.time.now += 3 * HOUR;
    store.publish();
    expect(names(project)).toEqual([join(slotOf(project.time.now), oid)]);
  });
});

describe('what a process is just writing', () => {
  const drops: [string, (repository: Repository) => unknown][] = [
    ['ctx gc', collectGarbage],
    ['the end of packing', ({ secondNames }) => secondNames.dropPacked()],
    ['a forgetting of something else', ({ secondNames }) => secondNames.dropThese(new Set(['0'.repeat(40)]))],
    ['a move', ({ secondNames }) => secondNames.dropOld(Number.POSITIVE_INFINITY)],
  ];

  test.each(drops)('stays beside %s', async (_name, drop) => {
    const project = makeTimed();
    const store = bulkStore(project.open());
    const oid = store.write('blob', Buffer.from('of oak'));
    project.time.now += HOUR;
    await drop(project.open());
    store.publish();
    expect(project.open().objects.read(oid).content.toString()).toBe('of oak');
  });

  test.each(drops)('goes with %s when it is old: its process is dead', async (_name, drop) => {
    const project = makeTimed();
    bulkStore(project.repository).write('blob', Buffer.from('of oak'));
    expect(names(project)).toHaveLength(1);
    project.time.now += 2 * HOUR;
    await drop(project.open());
    expect(names(project)).toEqual([]);
  });

  test('goes when it is forgotten', () => {
    const project = makeTimed();
    const store = bulkStore(project.repository);
    const oid = store.write('blob', Buffer.from('of oak'));
    store.write('blob', Buffer.from('of elm'));
    project.open().secondNames.dropThese(new Set([oid]));
    expect(names(project)).toEqual([expect.not.stringContaining(oid)]);
  });

  test.each([
    ['in bulk', bulkStore],
    ['for a pack', packStore],
  ])('%s is distinguished from trouble with the store when it is gone: it can be written again', (_name, storeOf) => {
    let count = 0;
    const cache = (): string => project.repository.layout.secondNames;
    const real = uuidSource();
    const ids = (): string => {
      count += 1;
      if (count === 2) rmSync(cache(), { recursive: true, force: true });
      return real();
    };
    const project = makeTimed({ ids });
    const store = storeOf(project.repository);
    for (const word of ['oak', 'elm', 'ash']) store.write('blob', Buffer.from(word));
    expect(errorOf(() => store.publish())).toMatchObject({ code: 'busy', data: { pointer: 'objects' } });
  });

  test('an ingest writes it again when it is gone', () => {
    let isDue = false;
    const real = uuidSource();
    const ids = (): string => {
      // A second file is about to be made: the first one goes.
      const made = isDue ? names(project).filter((name) => /[0-9a-f]{40}-/.test(name)) : [];
      if (made.length > 0) isDue = false;
      for (const name of made) rmSync(join(project.repository.layout.secondNames, name));
      return real();
    };
    const project = makeTimed({ ids });
    isDue = true;
    expect(ingestTranscript(project.repository, transcript(project.folder))).toMatchObject({ created: true });
    expect(isDue).toBe(false);
    expect(fsck(project.store)).toBe('');
  });
});

describe('old names', () => {
  const MANY = 300;

  /** Second names of three hours ago, in two folders, of objects that are loose. */
  function aged(): ReturnType<typeof makeTimed> {
    const project = makeTimed();
    startSession(project.repository, 'Build a shed');
    for (let index = 0; index < MANY; index += 1) {
      if (index === MANY / 2) project.time.now += HOUR;
      project.repository.objects.write('blob', Buffer.from(`board ${index}`));
    }
    project.time.now += 3 * HOUR;
    return project;
  }
  const old = (project: ReturnType<typeof makeTimed>): number =>
    names(project).filter((name) => !name.startsWith(slotOf(project.time.now))).length;

  test.each<[string, (repository: Repository) => unknown]>([
    [
      'a flush',
      (repository) => {
        observeNote(repository, 'of oak');
        flushStep(repository);
      },
    ],
    ['another session', (repository) => startSession(repository, 'Paint it', { beside: true })],
    ['a commit', compactSession],
    ['what a hook ingests', (repository) => ingestTranscript(repository, transcript(repository.project))],
  ])('go a few at a time with %s', (_name, act) => {
    const project = aged();
    const before = old(project);
    act(project.open());
    const gone = before - old(project);
    expect(gone).toBeGreaterThan(0);
    expect(gone).toBeLessThanOrEqual(2 * 32);
  });

  test('go all of them after some commands', () => {
    const project = aged();
    for (let count = 0; count < 12; count += 1) startSession(project.open(), `Task ${count}`, { beside: true });
    expect(old(project)).toBe(0);
    expect(readdirSync(project.repository.layout.secondNames)).toEqual([slotOf(project.time.now)]);
  });

  test.each<[string, (repository: Repository) => unknown]>([
    ['ctx gc', collectGarbage],
    ['ctx ingest of a file', (repository) => ingestSingle(repository, transcript(repository.project), {})],
    ['ctx ingest of files', (repository) => ingestMany(repository, [transcript(repository.project)])],
  ])('go all of them with %s, and an object that is gone is back before', async (_name, act) => {
    const project = aged();
    const { objects } = project.repository;
    const oid = objects.write('blob', Buffer.from('board 7'));
    project.time.now += 3 * HOUR;
    rmSync(loosePath(project.repository.layout.objects, oid));
    await act(project.open());
    expect(old(project)).toBe(0);
    expect(project.open().objects.holds(oid)).toBe(true);
  });

  test('of another kind of name stay', () => {
    const project = aged();
    mkdirSync(join(project.repository.layout.secondNames, 'notes'));
    writeFileSync(join(project.repository.layout.secondNames, 'notes', 'f'.repeat(40)), 'of a user');
    project.repository.secondNames.dropOld(Number.POSITIVE_INFINITY);
    expect(names(project)).toEqual([join('notes', 'f'.repeat(40))]);
  });
});
