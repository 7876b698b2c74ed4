// `gc` once Git has failed, which takes gc.pid away with it: the store is packed beside no other Git.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import { fakeGit, worked } from '../support/gc.ts';
import { fsck } from '../support/store.ts';

/** Function that runs before an object is read from a pack. */
const meanwhile = vi.hoisted(() => ({ read: (_pack: string): void => undefined }));
vi.mock('../../src/git/objects/pack.ts', async (original) => {
  const actual = await original<typeof import('../../src/git/objects/pack.ts')>();
  const openPack: typeof actual.openPack = (path) => {
    const pack = actual.openPack(path);
    const read = pack.read.bind(pack);
    pack.read = (oid) => {
      meanwhile.read(path);
      return read(oid);
    };
    return pack;
  };
  return { ...actual, openPack };
});

/** A store in which Git fails when it packs; it does something else first. */
function failing(first: (gcPid: string) => string) {
  const project = worked();
  const gcPid = join(project.store, 'gc.pid');
  fakeGit(`case "$*" in *" gc "*) ${first(gcPid)}; exit 3;; esac; exec /usr/bin/git "$@"`);
  return { ...project, gcPid };
}

/** Names of the loose objects of a store. */
const loose = (store: string): string[] =>
  (readdirSync(join(store, 'objects'), { recursive: true }) as string[]).filter((name) => /^..\/.{38}$/.test(name));

beforeEach(() => {
  meanwhile.read = () => undefined;
});
afterEach(() => vi.unstubAllEnvs());

test('its own gc.pid is there again while it packs, and is removed at the end', async () => {
  const { open, gcPid, store } = failing((path) => `rm ${path}`);
  const seen = new Set<string>();
  meanwhile.read = () => void seen.add(existsSync(gcPid) ? readFileSync(gcPid, 'utf8') : 'nothing');
  await expect(collectGarbage(open())).resolves.toMatchObject({ git_failed: 'git gc failed: exit 3' });
  expect([...seen]).toEqual([`${process.pid} ${hostname()}`]);
  expect(existsSync(gcPid)).toBe(false);
  expect(fsck(store)).toBe('');
});

test('a git gc that has begun meanwhile is named, and nothing is removed beside it', async () => {
  const living = `${process.ppid} ${hostname()}`;
  const { open, gcPid, store } = failing((path) => `printf '${living}' > ${path}`);
  const before = loose(store);
  await expect(collectGarbage(open({ lockWait: 0 }))).rejects.toMatchObject({
    code: 'busy',
    message: `git gc is at work on the store: process ${process.ppid} on ${hostname()}.`,
  });
  expect(loose(store)).toEqual(before);
  expect(readFileSync(gcPid, 'utf8')).toBe(living);
  expect(readdirSync(store).filter((name) => name.startsWith('LOCK'))).toEqual([]);
});

test.each([['.pack'], ['.idx']])(
  'no loose object goes once Git has taken the %s of the new pack away',
  async (ending) => {
    const { repository, store } = worked();
    const before = loose(store);
    meanwhile.read = (pack) => rmSync(pack.replace('.pack', ending), { force: true });
    await collectGarbage(repository, { withoutGit: true });
    expect(loose(store)).toEqual(before);
  },
);
