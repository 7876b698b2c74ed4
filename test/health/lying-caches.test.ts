// Tests Git's own caches of objects that lie with the right checksum: no command of Git that ctx runs uses them.
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import * as ctx from '../../src/index.ts';
import { makeOrphans, rewrite, swapOffsets } from '../support/caches.ts';
import { fakeGit, worked } from '../support/gc.ts';
import { ageObjects, fsck, type Project } from '../support/store.ts';

const DAY = 86_400;

const everyObject = (of: Project): string[] =>
  of.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n');

test('of a commit graph that takes the parents from every commit nothing that is reachable is pruned', async () => {
  const of = worked();
  of.git('commit-graph', 'write', '--reachable');
  rewrite(join(of.store, 'objects/info/commit-graph'), makeOrphans);
  of.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  expect(of.git('rev-list', '--count', '--all').trim()).toBe('2');
  ageObjects(of);
  const before = everyObject(of);
  await collectGarbage(of.open(), { expireSteps: 20 * DAY });
  expect(everyObject(of)).toEqual(expect.arrayContaining(before));
  expect(checkStore(of.open()).findings).toEqual([]);
});

test('a multi-pack-index that finds objects in the place of others does not mix them up in the next pack', async () => {
  const of = worked();
  of.git('repack', '-dq');
  ctx.observeNote(of.repository, 'four');
  ctx.flushStep(of.repository);
  of.git('repack', '-dq');
  of.git('multi-pack-index', 'write');
  const path = join(of.store, 'objects/pack/multi-pack-index');
  rewrite(path, swapOffsets);
  expect(await collectGarbage(of.open())).toMatchObject({ with: 'git', git_failed: null, after: { packs: 1 } });
  expect(existsSync(path)).toBe(false);
  expect(fsck(of.store)).toBe('');
  expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
});

test('what a lying bitmap says of the reach of a commit does not go over into the next one', async () => {
  const of = worked();
  ctx.compactSession(of.repository);
  of.git('repack', '-adbq');
  const bitmap = (): string => {
    const folder = join(of.store, 'objects/pack');
    return join(folder, readdirSync(folder).find((name) => name.endsWith('.bitmap')) as string);
  };
  const archived = of.git('for-each-ref', '--format=%(objectname)', 'refs/archive').trim();
  const reached = (...words: string[]): number =>
    of
      .git('rev-list', '--objects', ...words, archived)
      .trim()
      .split('\n').length;
  const all = reached();
  expect(reached('--use-bitmap-index')).toBe(all);
  const path = bitmap();
  chmodSync(path, 0o600);
  const honest = readFileSync(path);
  // Each commit gets the reach of the next one.
  rewrite(path, (bytes) => {
    const places = bitmapEntries(bytes);
    const commits = places.map((at) => honest.readUInt32BE(at));
    for (const [index, at] of places.entries())
      bytes.writeUInt32BE(commits[(index + 1) % commits.length] as number, at);
  });
  expect(reached('--use-bitmap-index')).not.toBe(all);
  await collectGarbage(of.open());
  expect(reached('--use-bitmap-index')).toBe(all);
});

/** Finds the entries of a bitmap, each with the place of its commit. See Git's bitmap-format. */
function bitmapEntries(bytes: Buffer): number[] {
  const HEADER = 32;
  const afterBits = (at: number): number => at + 8 + 8 * bytes.readUInt32BE(at + 4) + 4;
  let at = HEADER;
  for (let kind = 0; kind < 4; kind += 1) at = afterBits(at);
  return Array.from({ length: bytes.readUInt32BE(8) }, () => {
    const entry = at;
    at = afterBits(entry + 6);
    return entry;
  });
}

test('a multi-pack-index that another Git writes while packs go is taken away behind them', async () => {
  const of = worked();
  of.git('repack', '-dq');
  const write = `/usr/bin/git --git-dir=${of.store} multi-pack-index write`;
  fakeGit(`case "$*" in *" gc "*) ${write};; esac; exec /usr/bin/git "$@"`);
  expect(await collectGarbage(of.open())).toMatchObject({ with: 'git', git_failed: null, after: { packs: 1 } });
  vi.unstubAllEnvs();
  expect(existsSync(join(of.store, 'objects/pack/multi-pack-index'))).toBe(false);
  expect(of.git('rev-list', '--count', '--all').trim()).not.toBe('0');
  expect(fsck(of.store)).toBe('');
});
