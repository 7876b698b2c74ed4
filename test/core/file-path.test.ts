// Tests which paths are allowed under files/: a corpus of disguises, and Git itself as the judge of those that pass.
import { describe, expect, test } from 'vitest';
import { encodeCommit } from '../../src/core/commit.ts';
import { isAtOrBelow, normalisePath, recordPath, selectedPath, treePath } from '../../src/core/file-path.ts';
import { encodeTree } from '../../src/core/tree.ts';
import type { ObjectStore } from '../../src/git/objects/objects.ts';
import { ACCEPTED, DISGUISES, REFUSED } from '../support/names.ts';
import { anyText, fc } from '../support/property.ts';
import { fsck, makeProject } from '../support/store.ts';

describe('a corpus of names', () => {
  test('holds more than 200', () => {
    const all = [...REFUSED.flatMap(([, paths]) => paths), ...ACCEPTED];
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(REFUSED)('what %s is refused', (_why, paths) => {
    for (const path of paths) expect(treePath(path), JSON.stringify(path)).toBeNull();
  });

  test('what is strange and harmless is let through, unchanged', () => {
    for (const path of ACCEPTED) expect(treePath(path), JSON.stringify(path)).toEqual(path.split('/'));
  });
});

/** A content that Git objects to under any name that it takes for .gitmodules or .gitattributes. */
const POISON = Buffer.from(
  `[submodule "a"]\n\tpath = -x\n\turl = --upload-pack=evil\n# ${'a'.repeat(3_000)}\n* ${'b'.repeat(3_000)}\n`,
);

/** Writes commits with one file each, the content poison; gives the path of every tree. */
function commitPaths(objects: ObjectStore, paths: readonly (readonly string[])[]): Map<string, string> {
  const blob = objects.write('blob', POISON);
  const trees = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    let entry = { mode: '100644', name: path.at(-1) as string, oid: blob };
    for (const name of [...path.slice(0, -1)].reverse()) {
      const tree = objects.write('tree', encodeTree([entry]));
      trees.set(tree, JSON.stringify(path.join('/')));
      entry = { mode: '40000', name, oid: tree };
    }
    const tree = objects.write('tree', encodeTree([entry]));
    trees.set(tree, JSON.stringify(path.join('/')));
    objects.write('commit', encodeCommit({ tree, parents: [], author: 'ctx', at: index, message: 'm\n' }));
  }
  return trees;
}

/** Returns Git's judgement of the paths, its ids replaced by them. */
function judge(paths: readonly (readonly string[])[]): string {
  const { store, repository } = makeProject();
  const trees = commitPaths(repository.objects, paths);
  return fsck(store).replace(/[0-9a-f]{40}/g, (oid) => trees.get(oid) ?? oid);
}

/** Names put together from what disguises are made of. */
const component = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...[
          '.git',
          '.',
          'git',
          'gi',
          'g',
          'i',
          't',
          'G',
          'I',
          'T',
          '~',
          '1',
          '2',
          '7',
          'eba',
          'd29',
          'modules',
          'mod',
          'att',
        ],
        ...[
          'attributes',
          ' ',
          ':',
          '$DATA',
          '\u200c',
          '\ufeff',
          '\u206f',
          '-',
          '_',
          'x',
          '\ud83d\ude00',
          'İ',
          'ı',
          'K',
        ],
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(...DISGUISES, ...ACCEPTED.filter((path) => !path.includes('/'))),
  anyText(12, 1),
);
const anyPath = fc.array(component, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

describe('Git as the judge', () => {
  test('git fsck --strict has nothing to say of what the corpus lets through', () => {
    expect(judge(ACCEPTED.map((path) => path.split('/')))).toBe('');
  });

  test('git fsck --strict objects to the disguises: the judge is awake', () => {
    const told = judge(
      ['.git', '.GIT', 'git~1', '.g\u200cit', '.git. ', '.git::$INDEX_ALLOCATION'].map((name) => [name]),
    );
    for (const name of ['.git', '.GIT', 'git~1', '.g\u200cit', '.git. ']) expect(told).toContain(JSON.stringify(name));
    for (const name of ['.gitmodules', 'gitmod~1', 'gi7eba~1', '.gitmodules .', '.gitattributes', 'gi7d29~1']) {
      expect(judge([[name]]), name).not.toBe('');
    }
  });

  test('whatever is let through, a commit with it passes git fsck --strict', () => {
    const paths = fc
      .sample(anyPath, { numRuns: 2_000, seed: 11 })
      .map(treePath)
      .filter((path) => path !== null);
    expect(paths.length).toBeGreaterThan(500);
    expect(judge(paths)).toBe('');
  });
  test.each(['~1234567', 'g~123456'])('even the short name %s', (name) => {
    expect(treePath(name)).toBeNull();
  });
});

describe('paths of records', () => {
  test.each<[string, string]>([
    ['a//b/./c/../d', 'a/b/d'],
    ['/a/../../b', '/b'],
    ['../../a', '../../a'],
    ['a/../..', '..'],
    ['./', '.'],
    ['', '.'],
    ['/', '/'],
    ['/..', '/'],
    ['a/.../b', 'a/.../b'],
  ])('%j is tidied to %j', (path, tidy) => {
    expect(normalisePath(path)).toBe(tidy);
  });

  test('tidying twice changes nothing more, and never makes a path lead further out', () => {
    const path = fc.array(fc.constantFrom('a', 'b', '.', '..', '', '...'), { maxLength: 8 }).map((p) => p.join('/'));
    fc.assert(
      fc.property(path, (given) => {
        const tidy = normalisePath(given);
        expect(normalisePath(tidy)).toBe(tidy);
        expect(tidy.startsWith('/')).toBe(given.startsWith('/'));
        expect(tidy).not.toMatch(given.startsWith('/') ? /(^|\/)\.\.(\/|$)/ : /[^./]\/\.\.(\/|$)/);
      }),
    );
  });

  test.each<[string, string, string]>([
    ['/p/src/a.ts', '/p', 'src/a.ts'],
    ['/p/src/../a.ts', '/p/', 'a.ts'],
    ['/p/../q/a.ts', '/p', '/q/a.ts'],
    ['/pq/a.ts', '/p', '/pq/a.ts'],
    ['/p', '/p', '/p'],
    ['/etc/passwd', '/p', '/etc/passwd'],
  ])('%s in %s is %s', (path, root, named) => {
    expect(recordPath(path, root)).toBe(named);
  });
  test('in a project at the root', () => {
    expect(recordPath('/src/a.ts', '/')).toBe('src/a.ts');
  });
});

test.each([
  ['/home/dev/acme', '', ['src/a.ts', 'b']],
  ['/home/dev/acme/', '', ['src/a.ts']],
  ['/home/dev', '', ['src/a.ts']],
  ['/', '', ['src/a.ts']],
  ['/home/dev/acme/src', 'src', ['src/a.ts', 'src']],
  ['/home/dev/acme/src/', 'src', ['src/a.ts']],
  ['/home/dev/acme/src/../src', 'src', ['src/a.ts']],
  ['/home/dev/acme-http', '/home/dev/acme-http', ['/home/dev/acme-http/a']],
])('the path %s of a command line selects %j of a project', (path, selected, files) => {
  expect(selectedPath(path, '/home/dev/acme')).toBe(selected);
  for (const file of files) expect(isAtOrBelow(file, selected)).toBe(true);
  expect(isAtOrBelow('srcs/a.ts', 'src')).toBe(false);
});
