// Records that wait and have lost what they need, on the command line: named, mended by what is told to type, and in nobody's way.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FsckResult } from '../../src/app/fsck.ts';
import type { CleanupResult } from '../../src/app/session/cleanup.ts';
import type { FlushResult } from '../../src/app/session/flush-waiting.ts';
import { encodePending, type Pending } from '../../src/history/pending/pending.ts';
import type { ListedSession } from '../../src/index.ts';
import { fsck, NOON, type Repo, repository, session, write } from '../support/cli.ts';

let sound: Repo;
let id: string;
beforeAll(() => {
  sound = session('The task');
  sound.write('f.txt', 'first\n');
  sound.run(['observe', 'read', 'f.txt']);
  sound.run(['observe', 'note', 'whole']);
  [id] = readdirSync(join(sound.store, 'pending')) as [string];
});

const objectOf = (repo: Repo): string => {
  const folder = join(repo.store, 'pending', id, 'objects');
  const [oid] = readdirSync(folder) as [string];
  return join(folder, oid);
};
const lost = (repo: Repo): string[] => readdirSync(join(repo.store, 'lost'));

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  writeFileSync(path, bytes);
}

const spoilings: [what: string, spoil: (path: string) => void, isThere: boolean][] = [
  ['is emptied', (path) => write(path, ''), true],
  ['has a flipped byte', flip, true],
  ['is gone', (path) => rmSync(path), false],
];

describe.each(spoilings)('an object that waits %s', (_what, spoil, isThere) => {
  test('the record that needs it is named and set aside, and the session continues', () => {
    const repo = sound.copy();
    const path = objectOf(repo);
    spoil(path);
    repo.write('f.txt', 'second\n');
    expect(repo.refused(['stage', 'flush'])).toMatchObject({ exit: 5, hint: expect.stringMatching(/fsck --repair/) });
    const [finding] = repo.json<FsckResult>(['fsck'], { exit: 5 }).findings;
    const [, record] = /^the record (\S+\.json) that waits/.exec(finding?.message ?? '') ?? [];
    const { repaired, healthy } = repo.json<FsckResult>(['fsck', '--repair']);
    expect(healthy).toBe(true);
    expect(repaired).toEqual([
      ...(isThere ? [expect.stringMatching(/^Set the torn object pending\/\S+ aside in lost\/\.$/)] : []),
      expect.stringContaining(`Set the record pending/${id}/${record} aside in lost/: `),
    ]);
    expect(lost(repo).some((name) => name.startsWith(`pending-${id}-${record}.`))).toBe(true);
    expect(repo.json<FlushResult>(['stage', 'flush'])).toMatchObject({ committed: true, flushed: 1 });
    fsck(repo.dir);
  });

  test('it is brought back from the file where that has not changed', () => {
    const repo = sound.copy();
    spoil(objectOf(repo));
    expect(repo.json<FsckResult>(['fsck', '--repair']).repaired.at(-1)).toMatch(/^Restored pending\/\S+ from f\.txt, /);
    expect(repo.json<FlushResult>(['stage', 'flush'])).toMatchObject({ committed: true, flushed: 2 });
    expect(repo.git('show', 'STAGE:files/f.txt')).toBe('first\n');
    fsck(repo.dir);
  });
});

test('a record that names a payload and not its object makes no step, and is set aside', () => {
  const repo = sound.copy();
  const folder = join(repo.store, 'pending', id);
  const [name = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.json'));
  const { record, payloads } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Pending;
  const forged = { record, payloads: payloads.map((payload) => ({ ...payload, oid: 'd'.repeat(40) })), objects: [] };
  expect(payloads).toHaveLength(1);
  write(join(folder, name), encodePending(forged));
  expect(repo.refused(['stage', 'flush'])).toMatchObject({ exit: 5, code: 'damaged' });
  expect(repo.json<FsckResult>(['fsck'], { exit: 5 }).findings).toMatchObject([
    { where: `pending/${id}/objects/${'d'.repeat(40)}`, kind: 'pending' },
  ]);
  expect(repo.json<FsckResult>(['fsck', '--repair']).repaired).toEqual([
    expect.stringContaining(`Set the record pending/${id}/${name} aside in lost/: `),
  ]);
  expect(repo.json<FlushResult>(['stage', 'flush'])).toMatchObject({ committed: true, flushed: 1 });
  fsck(repo.dir);
});

test('an object that is torn where it waits, and whole in the store, keeps nothing waiting', () => {
  const repo = sound.copy();
  repo.git('hash-object', '-w', join(repo.dir, 'f.txt'));
  repo.git('repack', '-a', '-d', '-k', '-q');
  repo.git('prune-packed');
  write(objectOf(repo), '');
  expect(repo.json<FsckResult>(['fsck']).healthy).toBe(true);
  expect(repo.json<FlushResult>(['stage', 'flush'])).toMatchObject({ committed: true, flushed: 2 });
  fsck(repo.dir);
});

test('a cleanup saves the other sessions, and names the one that it left', () => {
  const repo = repository();
  repo.run(['stage', 'start', 'Torn'], { now: NOON });
  repo.write('f.txt', 'first\n');
  repo.run(['observe', 'read', 'f.txt'], { now: NOON });
  [id] = readdirSync(join(repo.store, 'pending')) as [string];
  write(objectOf(repo), '');
  repo.write('f.txt', 'second\n');
  for (const task of ['One', 'Two']) {
    repo.run(['stage', 'start', '--beside', task], { now: NOON });
    repo.run(['observe', 'note', 'x', '--flush'], { now: NOON });
  }
  const late = { now: NOON + 10 * 86_400 };
  expect(repo.copy().run(['stage', 'cleanup'], late)).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/^warning: left session \S+: pending\/\S+ is damaged: .*\nhint: .*fsck --repair/),
  });
  const { compacted_tasks, left } = repo.json<CleanupResult>(['stage', 'cleanup'], { ...late, exit: 5 });
  expect(compacted_tasks.sort()).toEqual(['One', 'Two']);
  expect(left).toMatchObject([{ session_id: id }]);
  expect(repo.json<ListedSession[]>(['stage', 'list'], late)).toMatchObject([{ session_id: id }]);
  expect(repo.refused(['stage', 'cleanup'], late)).toMatchObject({ exit: 5, code: 'damaged' });
  repo.run(['fsck', '--repair']);
  expect(repo.json<CleanupResult>(['stage', 'cleanup'], late)).toMatchObject({ compacted_tasks: ['Torn'] });
  fsck(repo.dir);
});

test('a cleanup passes over a session whose ref is torn', () => {
  const repo = repository();
  for (const task of ['Torn', 'One']) {
    repo.run(['stage', 'start', '--beside', task], { now: NOON });
    repo.run(['observe', 'note', 'x', '--flush'], { now: NOON });
  }
  const late = { now: NOON + 10 * 86_400 };
  const [torn] = repo.json<ListedSession[]>(['stage', 'list']).filter(({ task_description: task }) => task === 'Torn');
  write(join(repo.store, 'refs', 'sessions', String(torn?.session_id)), 'abc\n');
  const { compacted_tasks, left } = repo.json<CleanupResult>(['stage', 'cleanup'], { ...late, exit: 5 });
  expect({ compacted_tasks, left }).toMatchObject({
    compacted_tasks: ['One'],
    left: [{ session_id: torn?.session_id, hint: expect.stringContaining('ctx fsck') as string }],
  });
});
