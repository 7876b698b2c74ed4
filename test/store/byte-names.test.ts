// Names of refs that are no UTF-8: Git takes any bytes, and whatever ctx does to its own pointers leaves those refs as they are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as ctx from '../../src/index.ts';
import { sessionRef } from '../../src/store/layout.ts';
import { fsck, gitBytes, makeProject, type Project } from '../support/store.ts';

const TEXT = 'secretword alpha';

/** A saved session that tells TEXT, and branches on it whose names differ in a byte that is no UTF-8: all of it packed, and without reflogs. */
function packed(): Project & { id: string } {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Task one');
  ctx.observeNote(project.repository, TEXT);
  ctx.flushStep(project.repository);
  const head = project.git('rev-parse', sessionRef(id)).trim();
  const branches = ['\xe8', '\xe9'].map((byte) => `create refs/heads/caf${byte} ${head}\n`);
  const words = ['-c', 'core.logAllRefUpdates=false', 'update-ref', '--stdin'];
  gitBytes(project.store, words, Buffer.from(branches.join(''), 'latin1'));
  project.git('pack-refs', '--all');
  return { ...project, id };
}

const branchesOf = ({ store }: Project): string[] =>
  gitBytes(store, ['for-each-ref', '--format=%(refname)', 'refs/heads/caf*']).toString('latin1').trimEnd().split('\n');

describe('a packed ref whose name is no UTF-8', () => {
  test('keeps it where a packed pointer of ctx is deleted', () => {
    const project = packed();
    ctx.compactSession(project.open(), { message: 'done' });
    expect(readFileSync(join(project.store, 'packed-refs'), 'latin1')).not.toContain(sessionRef(project.id));
    expect(branchesOf(project)).toEqual(['refs/heads/caf\xe8', 'refs/heads/caf\xe9']);
    expect(fsck(project.store)).toBe('');
  });

  test('keeps it where what it names is written anew by a forgetting', () => {
    const project = packed();
    const before = project.git('rev-parse', sessionRef(project.id));
    ctx.forget(project.open(), { text: TEXT });
    expect(project.git('rev-parse', sessionRef(project.id))).not.toBe(before);
    expect(branchesOf(project)).toEqual(['refs/heads/caf\xe8', 'refs/heads/caf\xe9']);
    expect(fsck(project.store)).toBe('');
  });
});
