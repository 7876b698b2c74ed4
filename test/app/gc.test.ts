// `gc`: what it does where Git fails, what it never squashes, and what killed processes have left.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage, type GcOptions } from '../../src/app/gc.ts';
import { gcCommand } from '../../src/cli/commands/gc.ts';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { keepPack } from '../../src/git/objects/keep-file.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { takePacking } from '../../src/git/packing.ts';
import * as ctx from '../../src/index.ts';
import { fakeGit, worked } from '../support/gc.ts';
import { errorOf, fsck, type Project, temporaryFolder } from '../support/store.ts';

const DAY = 86_400;

/** Condition under which the stand-in is asked to pack all there is. */
const WHEN_IT_PACKS = 'case "$*" in *" gc "*)';

describe('a Git that is installed and fails', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ['at once', 'echo "fatal: cannot run" >&2; exit 3', 'git rev-list failed: fatal: cannot run'],
    ['only when it packs', `${WHEN_IT_PACKS} exit 3;; esac`, 'git gc failed: exit 3'],
    [
      'only when it holds objects against each other',
      'case "$*" in *pack-objects*) exit 3;; esac',
      'git pack-objects failed: exit 3',
    ],
    ['and would say it in another language', 'echo "in $LC_ALL" >&2; exit 3', 'git rev-list failed: in C'],
    ['by a signal', 'kill -9 $$', 'git rev-list failed: ended by SIGKILL'],
  ])('%s: the store is packed without it, and that is said', async (_when, script, said) => {
    const { repository, store } = worked();
    vi.stubEnv('LC_ALL', 'de_DE.UTF-8');
    fakeGit(script);
    const result = await collectGarbage(repository);
    expect(result).toMatchObject({ with: 'isomorphic-git', git_failed: said, after: { packs: 1 } });
    expect(result.after.loose).toBeLessThan(result.before.loose);
    expect(gcCommand.hints?.(result)).toEqual([`Packed without Git, which fails here: ${said}`]);
    vi.unstubAllEnvs();
    expect(fsck(store)).toBe('');
    expect(checkStore(repository, { full: true }).findings).toEqual([]);
  });

  // Elsewhere nobody can tell whose it is: it stays for a day.
  test.skipIf(process.platform !== 'linux')(
    'leaves nothing of what it had begun to write, and what was there before stays',
    async () => {
      const { repository, store, open } = worked();
      const [pack, before] = [join(store, 'objects', 'pack'), join(store, 'objects', 'pack', 'tmp_pack_before')];
      writeFileSync(before, 'x');
      const begin = `echo x > ${pack}/tmp_pack_abcdef; echo x > ${pack}/tmp_idx_abcdef; kill -XFSZ $$`;
      const begun = (): string[] => readdirSync(pack).filter((name) => name.startsWith('tmp_'));
      fakeGit(`${WHEN_IT_PACKS} ${begin};; esac`);
      const result = await collectGarbage(repository);
      expect(result.git_failed).toBe('git gc failed: ended by SIGXFSZ');
      expect(begun()).toEqual(['tmp_pack_before']);
      // Now it may be another's, who is at work.
      fakeGit(`${WHEN_IT_PACKS} echo "${process.pid} elsewhere" > ${store}/gc.pid; ${begin};; esac`);
      await expect(collectGarbage(open({ lockWait: 0 }))).rejects.toMatchObject({ code: 'busy' });
      expect(begun()).toEqual(['tmp_idx_abcdef', 'tmp_pack_abcdef', 'tmp_pack_before']);
    },
  );

  test('leaves what somebody beside it has begun to write: a fetch, or an ingest', async () => {
    const { repository, store } = worked();
    const pack = join(store, 'objects', 'pack');
    const ingest = `tmp_pack_${repository.ids()}`;
    const fetch = `sleep 20 > ${pack}/tmp_pack_fetch1 2> /dev/null < /dev/null & echo $! > ${store}/fetch`;
    const begin = `echo x > ${pack}/tmp_pack_abcdef; echo x > ${pack}/${ingest}; kill -XFSZ $$`;
    const begun = (): string[] => readdirSync(pack).filter((name) => name.startsWith('tmp_'));
    fakeGit(`${WHEN_IT_PACKS} ${fetch}; ${begin};; esac`);
    await collectGarbage(repository);
    expect(begun()).toEqual(['tmp_pack_abcdef', 'tmp_pack_fetch1', ingest].sort());
    process.kill(Number(readFileSync(join(store, 'fetch'), 'utf8')));
    for (const name of begun()) rmSync(join(pack, name));
    fakeGit(`${WHEN_IT_PACKS} ${begin};; esac`);
    await collectGarbage(repository);
    expect(begun()).toContain(ingest);
  });

  test('for what is damaged is not worked around: it is named', async () => {
    const { repository, store, id, open } = worked();
    fakeGit('exit 3');
    const head = repository.refs.read(`refs/sessions/${id}`) as string;
    writeFileSync(join(store, 'objects', head.slice(0, 2), head.slice(2)), 'torn', { mode: 0o600 });
    await expect(collectGarbage(open())).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('Git cannot pack the store'),
    });
  });

  test('is not reported if no Git is installed', async () => {
    const { repository } = worked();
    vi.stubEnv('PATH', temporaryFolder());
    expect(await collectGarbage(repository)).toMatchObject({ with: 'isomorphic-git', git_failed: null });
  });
});

describe('a loose object that says that it is larger than ctx can hold', () => {
  const SIZE = CONTENT_LIMIT + 1;

  /** Puts a small file of many zeros under an id that the store has nothing else of. */
  function plant({ store }: Project, size: number): string {
    const oid = 'ab'.repeat(20);
    const path = loosePath(join(store, 'objects'), oid);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(Buffer.concat([Buffer.from(`blob ${size}\0`), Buffer.alloc(size)]), { level: 9 }));
    return path;
  }

  test('is named before Git holds it whole, and nothing is packed', async () => {
    const project = worked();
    const path = plant(project, SIZE);
    const objects = readdirSync(join(project.store, 'objects'), { recursive: true }).sort();
    await expect(collectGarbage(project.repository)).rejects.toMatchObject({
      code: 'damaged',
      message: `object ${'ab'.repeat(20)} is damaged: it is larger than ctx can hold`,
      hint: expect.stringContaining(`move it out of the store: ${path}`),
    });
    expect(readdirSync(join(project.store, 'objects'), { recursive: true }).sort()).toEqual(objects);
  });

  test.each<[how: string, size: number, options: GcOptions]>([
    ['as large as it may be', CONTENT_LIMIT, {}],
    ['too large, in a trial', SIZE, { dryRun: true }],
    ['too large, where Git does not pack', SIZE, { withoutGit: true }],
  ])('does not hinder: %s', async (_how, size, options) => {
    const project = worked();
    plant(project, size);
    await expect(collectGarbage(project.repository, options)).resolves.toMatchObject({ git_failed: null });
  });
});

describe('packing and forgetting', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('exclude each other, or what is forgotten would be packed once more', async () => {
    const { repository, open } = worked();
    const impatient = open({ lockWait: 0 });
    const forgetIt = (): unknown => ctx.forget(impatient, { text: 'the task' });
    const release = takePacking(repository);
    expect(errorOf(forgetIt)).toMatchObject({ code: 'busy' });
    await expect(collectGarbage(impatient)).rejects.toMatchObject({ code: 'busy' });
    expect(ctx.forget(impatient, { text: 'the task' }, { dryRun: true }).objects).toBeGreaterThan(0);
    expect((await collectGarbage(impatient, { dryRun: true })).dry_run).toBe(true);
    expect(checkStore(repository).findings).toMatchObject([{ severity: 'note', where: 'LOCK.packing' }]);
    release();
    await collectGarbage(impatient);
    expect(forgetIt()).toMatchObject({ dry_run: false });
    expect(checkStore(repository, { full: true }).findings).toEqual([]);
  });

  test('while Git packs, its lock is held; LOCK itself is not', async () => {
    const { repository, store } = worked();
    const list = join(temporaryFolder(), 'seen');
    fakeGit(`${WHEN_IT_PACKS} ls ${store} > ${list};; esac; exec /usr/bin/git "$@"`);
    await collectGarbage(repository);
    const seen = readFileSync(list, 'utf8').split('\n');
    expect(seen.filter((name) => /^(LOCK|gc)/.test(name))).toEqual(['LOCK.packing', 'gc.pid']);
    expect(existsSync(join(store, 'LOCK.packing'))).toBe(false);
  });
});

test('an age below two weeks is refused, and changes nothing', async () => {
  const project = worked();
  ctx.compactSession(project.repository);
  project.clock.now += 13 * DAY;
  const before = readdirSync(project.store, { recursive: true });
  for (const dryRun of [true, false])
    await expect(
      collectGarbage(project.repository, { expireSteps: 14 * DAY - 1, dryRun, machineTime: project.repository.clock }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('14d'),
    });
  expect(readdirSync(project.store, { recursive: true })).toEqual(before);
  expect(
    await collectGarbage(project.repository, { expireSteps: 14 * DAY, machineTime: project.repository.clock }),
  ).toMatchObject({ expired: [] });
  project.clock.now += DAY + 1;
  expect(
    await collectGarbage(project.repository, { expireSteps: 14 * DAY, machineTime: project.repository.clock }),
  ).toMatchObject({
    expired: [{ steps: 4 }],
  });
  expect(fsck(project.store)).toBe('');
});

describe('temporary files that killed processes left', () => {
  /** Leaves one of each kind, of an age in hours. */
  function leave({ store, id }: { store: string; id: string }, hours: number): string[] {
    const names = [
      `LOCK.${hours}.tmp`,
      `LOCK.${hours}.break`,
      `oplog/begun.json.${hours}.tmp`,
      `choices/${id}.${hours}.tmp`,
      `cache/sources.${hours}.tmp`,
      `cache/conversations/a.${hours}.tmp`,
      `objects/ab/tmp_obj_${hours}`,
      `objects/pack/tmp_pack_${hours}.pack`,
      `objects/pack/tmp_idx_${hours}`,
      `pending/${id}/${hours}.tmp`,
      `pending/${id}/objects/tmp_obj_${hours}`,
    ];
    const then = Date.now() / 1000 - hours * 3600;
    return names.map((name) => {
      const path = join(store, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'x', { mode: 0o600 });
      utimesSync(path, then, then);
      return path;
    });
  }

  test.each([
    ['gc', (repository: ctx.Repository) => collectGarbage(repository)],
    ['fsck --repair', async (repository: ctx.Repository) => checkStore(repository, { repair: true })],
  ])('are removed by %s when they are older than a day, and not before', async (_name, tidy) => {
    const project = worked();
    ctx.observeNote(project.repository, 'waiting');
    const [old, young] = [leave(project, 25), leave(project, 23)];
    const plain = join(project.store, 'pending', project.id, 'kept.txt');
    writeFileSync(plain, 'x', { mode: 0o600 });
    utimesSync(plain, 1, 1);
    await tidy(project.repository);
    expect(old.filter(existsSync)).toEqual([]);
    expect(young.filter((path) => !existsSync(path))).toEqual([]);
    expect(readFileSync(plain, 'utf8')).toBe('x');
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ pending_observations: 1 });
    expect(fsck(project.store)).toBe('');
  });

  test('are removed, also the file that kept a pack during an ingest, but no file of the user', async () => {
    const project = worked();
    const [ours, young, own] = ['a', 'b', 'c'].map((letter) =>
      join(project.store, 'objects', 'pack', `pack-${letter.repeat(40)}`),
    ) as [string, string, string];
    for (const pack of [ours, young]) keepPack(pack, { fsync: false });
    writeFileSync(`${own}.keep`, 'mine', { mode: 0o600 });
    const then = Date.now() / 1000 - 25 * 3600;
    for (const pack of [ours, own]) utimesSync(`${pack}.keep`, then, then);
    expect((await collectGarbage(project.repository)).temporaries).toBe(1);
    expect([ours, young, own].map((pack) => existsSync(`${pack}.keep`))).toEqual([false, true, true]);
  });

  test('are reported', async () => {
    const project = worked();
    leave(project, 25);
    expect((await collectGarbage(project.repository, { dryRun: true })).temporaries).toBe(0);
    const result = await collectGarbage(project.repository);
    expect(result.temporaries).toBe(11);
    expect(gcCommand.render(result, {} as never, {})).toContain(
      'Removed 11 temporary files of processes that were killed\n',
    );
    leave(project, 25);
    expect(checkStore(project.repository, { repair: true }).repaired).toEqual([
      'Removed 11 temporary files of processes that were killed.',
    ]);
    expect((await collectGarbage(project.repository)).temporaries).toBe(0);
  });
});
