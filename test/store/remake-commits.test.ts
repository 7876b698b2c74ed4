// Lost commits of the main line whose trees and chains are there: a repair makes the very same ones anew.
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import * as ctx from '../../src/index.ts';
import { loosePath } from '../../src/store/objects/loose.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

interface Subject extends Project {
  /** The canonical commits, the newest first. */
  line: string[];
  objectOf: (oid: string) => string;
}

/** Three saved sessions, one with a message of the user's own, and an open one. */
function subject(): Subject {
  const project = makeProject();
  const { repository, git } = project;
  for (const [task, message] of [['one'], ['two', 'Ship it\n\nAs it is.'], ['three']] as const) {
    ctx.startSession(repository, task);
    ctx.observeNote(repository, `of ${task}`);
    ctx.compactSession(repository, { message });
  }
  ctx.startSession(repository, 'open');
  const line = git('rev-list', 'main').trim().split('\n').slice(0, 3);
  return { ...project, line, objectOf: (oid) => loosePath(repository.layout.objects, oid) };
}

const mend = async (of: Subject): Promise<string[]> => (await checkOrMend(of.open(), { repair: true })).repaired;

test.each([[[0]], [[1]], [[2]], [[0, 1, 2]]])('commits %j of the line', async (lost) => {
  const of = subject();
  const gone = lost.map((at) => of.line[at] as string);
  for (const oid of gone) rmSync(of.objectOf(oid));
  expect(checkStore(of.open(), { full: true }).healthy).toBe(false);
  expect(await mend(of)).toEqual(
    gone.map((oid) => `Made the lost commit ${oid} of refs/heads/main anew, of its tree and the chain of its session.`),
  );
  expect(of.git('rev-list', 'main').trim().split('\n').slice(0, 3)).toEqual(of.line);
  expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
});

test('one whose tree is gone too is made by nobody, and told as before', async () => {
  const of = subject();
  const [tip = ''] = of.line;
  const tree = of.git('rev-parse', 'main^{tree}').trim();
  for (const oid of [tip, tree]) rmSync(of.objectOf(oid));
  expect(await mend(of)).toEqual([]);
  expect(existsSync(of.objectOf(tip))).toBe(false);
  expect(checkStore(of.open(), {}).findings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining(`${tip}`),
  );
});
