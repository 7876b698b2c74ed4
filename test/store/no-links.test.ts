// A file system without hard links: the same, by exclusive creation and by copies.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as ctx from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import { takeLock } from '../../src/platform/lock.ts';
import { layoutOf, MAIN, sessionRef } from '../../src/store/layout.ts';
import { FileRefs } from '../../src/store/refs.ts';
import { errorOf, fsck, makeProject, temporaryFolder } from '../support/store.ts';

const links = vi.hoisted(() => ({ code: 'EPERM', refused: 0 }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  linkSync: () => {
    links.refused += 1;
    throw Object.assign(new Error('no links here'), { code: links.code });
  },
}));

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])('%s: a session from its beginning to its end', (code) => {
  links.code = code;
  links.refused = 0;
  const { repository, store, git } = makeProject();
  const { session_id } = ctx.startSession(repository, 't');
  ctx.observeNote(repository, 'x'.repeat(9_000));
  ctx.flushStep(repository);
  git('pack-refs', '--all');
  ctx.setState(repository, 'ask', { text: 'x' });
  const { oid } = ctx.compactSession(repository);
  expect(links.refused).toBeGreaterThan(5);
  expect(repository.refs.read(MAIN)).toBe(oid);
  expect([...ctx.showRevision(repository, session_id).steps][1]?.observations[0]?.['content']).toBe('x'.repeat(9_000));
  expect(readdirSync(store).filter((name) => /LOCK|\.lock/.test(name))).toEqual([]);
  expect(fsck(store)).toBe('');
});

test('a lock is exclusive all the same', () => {
  links.code = 'EPERM';
  const path = join(temporaryFolder(), 'LOCK');
  const take = (wait: number): (() => void) =>
    takeLock({ path, wait, ids: uuidSource(), durability: { fsync: false } });
  const release = take(1_000);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(errorOf(() => take(50)).code).toBe('busy');
  release();
  expect(existsSync(path)).toBe(false);
});

test('the lock of a stranger on a ref is respected all the same', () => {
  links.code = 'EPERM';
  const { store, repository } = makeProject();
  const ref = sessionRef('0199a000-0000-7000-8000-000000000001');
  const lock = join(store, `${ref}.lock`);
  writeFileSync(lock, 'git');
  const refs = new FileRefs(layoutOf(store), { fsync: false }, 50);
  const move = { pointer: ref, old: null, new: repository.refs.read(MAIN) };
  expect(errorOf(() => refs.move(move, { at: 1, message: 'x' })).code).toBe('busy');
  expect(readFileSync(lock, 'utf8')).toBe('git');
});

test('an error that has nothing to do with it is not taken for that', () => {
  links.code = 'EIO';
  const { repository } = makeProject();
  const error = errorOf(() => ctx.startSession(repository, 't'));
  expect(error.code).toBe('io');
  expect(error.message).toContain('EIO');
});
