// Lost commits of the main line whose trees and chains are there: a repair makes the very same ones anew.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { MAIN } from '../../src/git/layout.ts';
import { deflate, frame, loosePath } from '../../src/git/objects/loose.ts';
import { transact } from '../../src/history/transaction.ts';
import * as ctx from '../../src/index.ts';
import { forge } from '../support/forge.ts';
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
    gone.map((oid) => `Remade the lost commit ${oid} of refs/heads/main from its tree and the chain of its session.`),
  );
  expect(of.git('rev-list', 'main').trim().split('\n').slice(0, 3)).toEqual(of.line);
  expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
});

test('one whose session was renamed after it had ended', async () => {
  const of = subject();
  const [tip = ''] = of.line;
  ctx.renameSession(of.repository, tip, 'Another title');
  rmSync(of.objectOf(tip));
  expect(await mend(of)).toEqual([
    `Remade the lost commit ${tip} of refs/heads/main from its tree and the chain of its session.`,
  ]);
  expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
});

test.each([
  ['by its last work, as ctx does', false],
  ['by its saving alone, as ctx 0.1 did', true],
])('one that is dated %s', async (_how, isOld) => {
  const project = makeProject();
  const { repository, git, clock } = project;
  ctx.startSession(repository, 'one');
  ctx.observeNote(repository, 'of one');
  clock.now += 3_600;
  ctx.compactSession(repository);
  let tip = git('rev-parse', 'main').trim();
  if (isOld) {
    const old = forge(project).like(tip, {});
    const parent = git('rev-parse', 'main~1').trim();
    for (const [from, to] of [
      [tip, parent],
      [parent, old],
    ] as const)
      transact(repository, { command: 'test', message: 'test' }, ({ move }) => move(MAIN, from, to));
    tip = old;
  }
  const [worked, saved] = git('log', '-1', '--format=%at %ct', 'main').trim().split(' ');
  expect(Number(saved) - Number(worked)).toBe(isOld ? 0 : 3_600);
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  rmSync(loosePath(repository.layout.objects, tip));
  expect((await checkOrMend(project.open(), { repair: true })).repaired).toEqual([
    `Remade the lost commit ${tip} of refs/heads/main from its tree and the chain of its session.`,
  ]);
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
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

describe.each([
  ['the first commit', '8e231092b523f8b0396b1e996d8e867b8fd29aeb', 'first commit'],
  ['its empty tree', '4b825dc642cb6eb9a060e54bf8d69288fbee4904', 'empty tree'],
])('%s, the same in every store', (_name, oid, words) => {
  test.each<[how: string, spoil: (path: string) => void, isTorn: boolean]>([
    ['gone', (path) => rmSync(path), false],
    ['empty', (path) => writeFileSync(path, ''), true],
    ['another object', (path) => writeFileSync(path, deflate(frame('blob', Buffer.from('x')))), true],
    [
      'a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      true,
    ],
  ])('is reported if it is %s, and made again', async (_how, spoil, isTorn) => {
    const of = subject();
    const path = of.objectOf(oid);
    if (existsSync(path)) chmodSync(path, 0o600);
    spoil(path);
    expect(checkStore(of.open()).findings).toContainEqual(
      expect.objectContaining({
        severity: 'damage',
        where: 'commit 8e231092b523f8b0396b1e996d8e867b8fd29aeb',
        message: expect.stringContaining(oid.slice(2)) as string,
        hint: 'ctx fsck --repair makes it again: every store has the same.',
      }),
    );
    expect(await mend(of)).toEqual([
      ...(isTorn ? [`Set the torn object ${oid} aside in lost/.`] : []),
      `Remade the lost ${words} ${oid}: every store has the same.`,
    ]);
    expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
    expect(fsck(of.store)).toBe('');
  });
});
