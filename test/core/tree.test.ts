// Tree objects: bytes and back, in the order that Git has, and nothing in them that leads out of a folder.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { decodeTree, EMPTY_TREE, encodeTree, isTree, type TreeEntry } from '../../src/core/tree.ts';
import { frame, sha1 } from '../../src/git/objects/loose.ts';
import { fc } from '../support/property.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

const oid = (digit: string): string => digit.repeat(40);
const treeOid = (entries: readonly TreeEntry[]): string => sha1(frame('tree', encodeTree(entries)));

/** Names that sort differently by bytes, by code units, and with a slash behind folders. */
const name = fc
  .oneof(
    fc.constantFrom('a', 'a.b', 'a-b', 'a0', 'ab', 'a b', 'A', '.', 'é', '\u{10000}', '\uffff', '0', '-', '~', 'a\tb'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    fc.stringMatching(/^a[-./0ab]{0,3}$/),
  )
  .map((text) => text.replaceAll('/', '_').replaceAll('\0', '_').toWellFormed())
  .filter((text) => text !== '.' && text !== '..');
const entries = fc.uniqueArray(
  fc.record({
    mode: fc.constantFrom('100644', '40000', '100755', '120000'),
    name,
    oid: fc.stringMatching(/^[0-9a-f]{40}$/),
  }),
  { selector: (entry) => entry.name, maxLength: 12 },
);

describe('bytes of a tree', () => {
  test('come back as they were, in the order of Git', () => {
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (list, numbers) => {
        const shuffled = list.map((entry) => [numbers.next().value, entry] as const).sort((a, b) => a[0] - b[0]);
        const bytes = encodeTree(shuffled.map(([, entry]) => entry));
        const read = decodeTree(bytes, 'x');
        expect(new Set(read)).toEqual(new Set(list));
        expect(bytes).toEqual(encodeTree(list));
        expect(encodeTree(read)).toEqual(bytes);
      }),
    );
  });

  test('have the ids that git mktree gives', () => {
    const folder = temporaryFolder();
    spawnSync('git', ['init', '-q', '--bare', folder]);
    const trees = fc.sample(
      entries.filter((list) => list.length > 0),
      { numRuns: 300, seed: 3 },
    );
    const kind = (entry: TreeEntry): string => (isTree(entry) ? 'tree' : 'blob');
    const lines = trees.map((list) =>
      list.map((entry) => `${entry.mode.padStart(6, '0')} ${kind(entry)} ${entry.oid}\t${entry.name}\0`).join(''),
    );
    const made = spawnSync('git', ['--git-dir', folder, 'mktree', '-z', '--missing', '--batch'], {
      input: lines.map((line) => `${line}\0`).join(''),
      encoding: 'utf8',
    });
    expect(made.stderr).toBe('');
    expect(made.stdout.trim().split('\n')).toEqual(trees.map(treeOid));
  });

  test('a folder sorts as if its name ended with a slash', () => {
    const file = (text: string): TreeEntry => ({ mode: '100644', name: text, oid: oid('1') });
    const folder = (text: string): TreeEntry => ({ mode: '40000', name: text, oid: oid('2') });
    const names = decodeTree(encodeTree([file('a0'), folder('a'), file('a.b'), file('a-b')]), 'x').map((e) => e.name);
    expect(names).toEqual(['a-b', 'a.b', 'a', 'a0']);
    const files = decodeTree(encodeTree([file('a0'), file('a'), file('a.b'), file('a-b')]), 'x').map((e) => e.name);
    expect(files).toEqual(['a', 'a-b', 'a.b', 'a0']);
  });

  test('the empty tree', () => {
    expect(treeOid([])).toBe(EMPTY_TREE);
    expect(decodeTree(Buffer.alloc(0), 'x')).toEqual([]);
  });
});

describe('a tree that is none', () => {
  const good = encodeTree([
    { mode: '100644', name: 'a', oid: oid('1') },
    { mode: '40000', name: 'b', oid: oid('2') },
  ]);

  test('cut off anywhere but between two entries', () => {
    const boundary = good.length / 2 + 0.5;
    for (let length = 1; length < good.length; length += 1) {
      if (length === boundary) continue;
      const error = errorOf(() => decodeTree(good.subarray(0, length), 'f00'));
      expect(error).toMatchObject({ code: 'damaged', message: 'tree f00 is damaged: it is cut off' });
    }
    expect(decodeTree(good.subarray(0, boundary), 'x')).toHaveLength(1);
  });

  test.each(['', '.', '..', 'a/b', '/', '../evil', '/etc'])('with the entry %j', (bad) => {
    expect(errorOf(() => encodeTree([{ mode: '100644', name: bad, oid: oid('1') }])).code).toBe('bug');
    const bytes = Buffer.concat([Buffer.from(`100644 ${bad}\0`), Buffer.alloc(20, 0x11)]);
    const error = errorOf(() => decodeTree(bytes, 'f00'));
    expect(error).toMatchObject({
      code: 'damaged',
      message: `tree f00 is damaged: it has the entry ${JSON.stringify(bad)}`,
    });
  });

  test('with a name twice', () => {
    const twice = Buffer.concat([good, encodeTree([{ mode: '100644', name: 'a', oid: oid('3') }])]);
    expect(errorOf(() => decodeTree(twice, 'f00')).message).toContain('"a"');
  });
});
