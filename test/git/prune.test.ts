// Tests that expired steps leave nothing behind: no trace of commits that are gone, at whatever point their removal is cut off.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import * as ctx from '../../src/index.ts';
import { worked } from '../support/gc.ts';
import { ageObjects, fsck, type Project } from '../support/store.ts';

const DAY = 86_400;

/** A store with the steps of a session that is archived, and as old as what expires. */
function archived(): Project {
  const of = worked();
  ctx.compactSession(of.repository);
  of.clock.now += 30 * DAY;
  return of;
}

const commits = (of: Project): number =>
  of.git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype)').match(/^commit$/gm)?.length ?? 0;

const expire = (of: Project, lockWait = 10_000): ReturnType<typeof collectGarbage> =>
  collectGarbage(of.open({ lockWait }), { expireSteps: 20 * DAY, machineTime: of.clock });

/** Every file of a commit graph. */
const graphs = ({ store }: Project): string[] =>
  readdirSync(join(store, 'objects/info'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /commit-graph$|graph$|chain$/.test(name),
  );

describe('a commit graph', () => {
  test.each([
    ['of git gc', [['gc', '--quiet']]],
    ['of git commit-graph', [['commit-graph', 'write', '--reachable']]],
    ['in a chain', [['commit-graph', 'write', '--reachable', '--split']]],
    [
      'beside a chain',
      [
        ['commit-graph', 'write', '--reachable', '--split'],
        ['commit-graph', 'write', '--reachable'],
      ],
    ],
  ])('%s goes with the commits that it names', async (_of, all) => {
    const of = archived();
    for (const words of all) of.git(...words);
    expect(graphs(of)).not.toEqual([]);
    const before = commits(of);
    // A packed object that nothing names is loose afterwards, as old as its pack.
    ageObjects(of);
    await expire(of);
    expect(commits(of)).toBeLessThan(before);
    expect(graphs(of)).toEqual([]);
    expect(fsck(of.store)).toBe('');
  });

  test('stays if none of them goes', async () => {
    const of = archived();
    of.git('commit-graph', 'write', '--reachable');
    await collectGarbage(of.open(), { expireSteps: 60 * DAY, machineTime: of.clock });
    expect(graphs(of)).toEqual(['commit-graph']);
    expect(fsck(of.store)).toBe('');
  });

  test('goes first: where it cannot be removed, what it names stays', async () => {
    const of = archived();
    of.git('commit-graph', 'write', '--reachable', '--split');
    const before = commits(of);
    ageObjects(of);
    mkdirSync(join(of.store, 'objects/info/commit-graph'));
    await expect(expire(of)).rejects.toMatchObject({ code: 'io' });
    expect(commits(of)).toBe(before + 1);
  });

  test.each(['commit-graph.lock', 'commit-graphs/commit-graph-chain.lock'])(
    'that a Git is writing, with %s, is waited for, and nothing goes before it',
    async (name) => {
      const of = archived();
      of.git('commit-graph', 'write', '--reachable', '--split');
      const before = commits(of);
      ageObjects(of);
      const lock = join(of.store, 'objects/info', name);
      writeFileSync(lock, '');
      await expect(expire(of, 0)).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(name) });
      // The squashed one has come.
      expect(commits(of)).toBe(before + 1);
      expect(fsck(of.store)).toBe('');
      rmSync(lock);
      await expire(of);
      expect(commits(of)).toBeLessThan(before);
      expect(fsck(of.store)).toBe('');
    },
  );
});
