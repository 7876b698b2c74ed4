// Tests the places that a remote of a store may fetch to: never a pointer of ctx's own.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { FsckResult } from '../../src/app/fsck.ts';
import { fsck, type Repo, session } from '../support/cli.ts';

let sound: Repo;
let other: Repo;
beforeAll(() => {
  sound = session('The task');
  other = session('Another task');
  other.run(['observe', 'note', 'kept']);
  other.run(['stage', 'compact']);
});

function fetching(...values: string[]): Repo {
  const repo = sound.copy();
  const lines = [`url = ${other.store}`, ...values.map((value) => `fetch = ${value}`)];
  appendFileSync(join(repo.store, 'config'), ['[remote "origin"]', ...lines, ''].join('\n'));
  return repo;
}

const refsOf = (repo: Repo): string[] =>
  repo
    .git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/sessions', 'refs/archive')
    .split('\n');

test.each([
  '+refs/*:refs/*',
  '+refs/heads/*:refs/heads/*',
  'refs/heads/main:refs/heads/main',
  '+refs/heads/*:refs/sessions/*',
  '+refs/archive/*:refs/archive/*',
  '+refs/heads/*:refs/remotes/*',
  '+refs/heads/*:refs/remotes/../heads/*',
  '+refs/heads/*:refs/stash',
])('%s is refused, and the command that is printed puts it right', (value) => {
  const repo = fetching(value);
  const before = refsOf(repo);
  const line = readFileSync(join(repo.store, 'config'), 'utf8').split('\n').indexOf(`fetch = ${value}`) + 1;
  const refused = repo.refused(['git', 'fetch', '--prune', 'origin']);
  expect(refused).toMatchObject({ exit: 1, code: 'unsupported_store' });
  expect(refused.message).toContain(`line ${line} sets remote.origin.fetch`);
  expect(refsOf(repo)).toEqual(before);
  const [finding] = repo.json<FsckResult>(['fsck'], { exit: 5 }).findings;
  expect(finding).toMatchObject({
    where: 'config',
    message: expect.stringContaining(`line ${line}: `),
    hint: refused.hint,
  });
  const typed = /: (git config .*)$/.exec(refused.hint ?? '')?.[1] as string;
  expect(spawnSync('sh', ['-c', typed]).status).toBe(0);
  expect(repo.run(['git', 'fetch', '--prune', 'origin'])).toMatchObject({ code: 0 });
  expect(refsOf(repo)).toEqual(before);
  expect(repo.git('rev-parse', 'refs/remotes/origin/heads/main')).toBe(other.git('rev-parse', 'main'));
  fsck(repo.dir);
});

test('what lies beside them may be fetched to, and some of it left out', () => {
  const repo = fetching('+refs/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*', '^refs/sessions/*');
  const before = refsOf(repo);
  expect(repo.run(['git', 'fetch', 'origin'])).toMatchObject({ code: 0 });
  expect(repo.json<FsckResult>(['fsck'])).toMatchObject({ healthy: true });
  expect(refsOf(repo)).toEqual(before);
});
