// A rewind of files that meets an obstacle at one of them: that file is named and left, and no later command meets it again.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import * as ctx from '../../src/index.ts';
import { errorOf, type Project } from '../support/store.ts';
import { pathsOf, put, say, textOf, worked } from '../support/work-tree.ts';

type Call = 'openSync' | 'renameSync' | 'mkdirSync';

/** Calls that fail with a code if one of their paths matches. */
const failing = vi.hoisted(() => [] as { call: string; at: RegExp; code: string }[]);

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const wrapped = (call: Call): unknown => {
    return (...given: unknown[]): unknown => {
      const found = failing.find((one) => one.call === call && one.at.test(given.join('\n')));
      if (found) throw Object.assign(new Error(found.code), { code: found.code });
      return (fs[call] as (...all: unknown[]) => unknown)(...given);
    };
  };
  return {
    ...fs,
    ...Object.fromEntries((['openSync', 'renameSync', 'mkdirSync'] as const).map((call) => [call, wrapped(call)])),
  };
});

afterEach(() => void failing.splice(0));

/** Rewinds what was done since a message, and requires that nothing is left to do after it. */
function rewound(project: Project, work: () => void): ctx.RewindResult['world'] {
  const message = say(project, 'user');
  work();
  say(project, 'assistant');
  const { world } = ctx.rewind(project.open(), message, { scope: 'both' });
  expect(existsSync(project.repository.layout.restore)).toBe(false);
  return world;
}

/** Requires that a later command does not find the rewind interrupted. */
function expectDone(project: Project): void {
  const next = project.open();
  ctx.unrewind(next);
  expect(next.notices).toEqual([]);
}

test.each([
  ['an ignored file', (path: string): void => writeFileSync(path, 'data\n')],
  ['a pipe', (path: string): void => void execFileSync('mkfifo', [path])],
])('%s in the place of a folder leaves the files of that folder', (_, make) => {
  const project = worked();
  put(project, { 'build/x': '1\n', 'build/deep/y': '1\n' });
  const world = rewound(project, () => {
    rmSync(join(project.folder, 'build'), { recursive: true });
    make(join(project.folder, 'build'));
    put(project, { '.gitignore': '*.log\n/build\n', 'b.txt': 'other\n' });
  });
  expect([pathsOf(world), world?.left]).toEqual([
    ['written .gitignore', 'written b.txt'],
    [
      { path: 'build/deep/y', by: 'blocked' },
      { path: 'build/x', by: 'blocked' },
    ],
  ]);
  expectDone(project);
  expect(textOf(project, 'b.txt')).toBe('other\n');
});

test('an ignored file in the place of a file stays, and is named', () => {
  const project = worked();
  const world = rewound(project, () => {
    rmSync(join(project.folder, 'b.txt'));
    say(project, 'user');
    put(project, { '.gitignore': '*.log\n/b.txt\n', 'b.txt': 'ignored\n' });
  });
  expect([pathsOf(world), world?.left]).toEqual([['written .gitignore'], [{ path: 'b.txt', by: 'blocked' }]]);
  expect(textOf(project, 'b.txt')).toBe('ignored\n');
  expectDone(project);
});

test.each<[Call, RegExp, string, object]>([
  // The contents are compared first, by a reader that gives an error words of its own.
  ['openSync', /\/b\.txt$/m, 'EACCES', { by: 'denied' }],
  ['renameSync', /\/b\.txt$/m, 'EROFS', { by: 'denied' }],
  ['renameSync', /\/b\.txt$/m, 'EISDIR', { by: 'failed', code: 'EISDIR' }],
  ['mkdirSync', /\/src$/m, 'ENAMETOOLONG', { by: 'failed', code: 'ENAMETOOLONG' }],
])('a file at which %s of %s fails with %s is left, and the others are restored', (call, at, code, left) => {
  const project = worked();
  const world = rewound(project, () => {
    rmSync(join(project.folder, 'src'), { recursive: true });
    put(project, { 'b.txt': 'other\n', 'run.sh': 'other\n' });
    failing.push({ call, at, code });
  });
  const path = call === 'mkdirSync' ? 'src/a.txt' : 'b.txt';
  expect(world?.left).toEqual([{ path, ...left }]);
  expect(textOf(project, 'run.sh')).toBe('true\n');
  failing.splice(0);
  expectDone(project);
  expect(textOf(project, 'run.sh')).toBe('other\n');
});

test.each(['ENOSPC', 'EIO', 'EMFILE'])('a rewind that the machine stops with %s is finished later', (code) => {
  const project = worked();
  const message = say(project, 'user');
  put(project, { 'b.txt': 'other\n' });
  failing.push({ call: 'renameSync', at: /\/b\.txt$/m, code });
  expect(errorOf(() => ctx.rewind(project.open(), message, { scope: 'world' }))).toMatchObject({ code: 'io' });
  failing.splice(0);
  say({ ...project, repository: project.open() }, 'user');
  expect(textOf(project, 'b.txt')).toBe('two\n');
});

test('a file with the longest name comes back from a store on another disk', () => {
  const project = worked();
  const name = 'n'.repeat(255);
  put(project, { [name]: 'one\n' });
  const message = say(project, 'user');
  put(project, { [name]: 'other\n' });
  failing.push({ call: 'renameSync', at: /\/restore-[^\n]*\n/, code: 'EXDEV' });
  const { world } = ctx.rewind(project.open(), message, { scope: 'world' });
  expect([pathsOf(world), world?.left]).toEqual([[`written ${name}`], []]);
  expect(textOf(project, name)).toBe('one\n');
  expect(readdirSync(project.folder).filter((one) => one.includes('tmp'))).toEqual([]);
});
