// Editing a nested tree, held to a plain map of paths.
import { describe, expect, test } from 'vitest';
import { encodeTree, isTree, type TreeEntry } from '../../src/core/tree.ts';
import { CHUNK_SIZE, CHUNKED_FROM, isChunked, storeContent } from '../../src/git/objects/payload.ts';
import { editTree, lookUp, readTree, walkFiles } from '../../src/git/objects/tree-editor.ts';
import { fc } from '../support/property.ts';
import { fsck, makeProject } from '../support/store.ts';

const { repository, store } = makeProject();
const { objects } = repository;
const BLOBS = ['one', 'two', 'three'].map((text) => objects.write('blob', Buffer.from(text)));

/** Maps paths to ids as the editor edits a tree. */
class Model {
  files = new Map<string, string>();

  /** Gives the paths that gave way. */
  set(path: string, oid: string): string[] {
    const gone = [...this.files.keys()].filter((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    for (const other of gone) this.files.delete(other);
    this.files.set(path, oid);
    return gone;
  }

  remove(path: string): void {
    for (const other of [...this.files.keys()])
      if (other === path || other.startsWith(`${path}/`)) this.files.delete(other);
  }

  /** Describes the entry at a path. */
  at(path: string): string {
    if (this.files.has(path)) return this.files.get(path) as string;
    return [...this.files.keys()].some((other) => other.startsWith(`${path}/`)) ? 'folder' : 'nothing';
  }
}

const path = fc
  .array(fc.constantFrom('a', 'b', 'a.b', 'B', 'ä'), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));
const edit = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('set' as const), path, oid: fc.constantFrom(...BLOBS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('write' as const) }) },
);

const sorted = (values: Iterable<string>): string => JSON.stringify([...values].sort());

describe('a tree', () => {
  test('is what a map would be, whatever is done to it in whatever order', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const model = new Model();
        let root: string | null = null;
        let editor = editTree(objects, null);
        for (const step of edits) {
          if (step.do === 'set') {
            const gone = editor.set(step.path.split('/'), '100644', step.oid);
            expect(sorted(gone)).toBe(sorted(model.set(step.path, step.oid)));
          } else if (step.do === 'remove') {
            editor.remove(step.path.split('/'));
            model.remove(step.path);
          } else if (step.do === 'get') {
            const entry = editor.get(step.path.split('/'));
            const found = entry === null ? 'nothing' : isTree(entry) ? 'folder' : entry.oid;
            // A folder whose last file has just gone may still be told as one, until it is written.
            if (!(found === 'folder' && model.at(step.path) === 'nothing')) expect(found).toBe(model.at(step.path));
          } else {
            root = editor.write();
            expect(root === null).toBe(model.files.size === 0);
            editor = editTree(objects, root);
          }
        }
        root = editor.write();
        const files = root === null ? [] : [...walkFiles(objects, root)].map(([name, entry]) => `${name} ${entry.oid}`);
        expect(sorted(files)).toBe(sorted([...model.files].map(([name, oid]) => `${name} ${oid}`)));
        for (const [name, oid] of model.files) expect(lookUp(objects, root as string, name.split('/'))?.oid).toBe(oid);
        expect(root === null ? null : lookUp(objects, root, ['nowhere', 'at', 'all'])).toBeNull();
      }),
      { numRuns: 300 },
    );
    expect(fsck(store)).toBe('');
  });

  test('what is not edited is neither read nor written', () => {
    const blob = BLOBS[0] as string;
    const inner = objects.write('tree', encodeTree([{ mode: '100644', name: 'x', oid: blob }]));
    // A folder that cannot be opened: nobody may try.
    const closed: TreeEntry = { mode: '40000', name: 'closed', oid: '1'.repeat(40) };
    const root = objects.write('tree', encodeTree([closed, { mode: '40000', name: 'open', oid: inner }]));
    const editor = editTree(objects, root);
    editor.set(['open', 'y'], '100644', blob);
    const next = editor.write() as string;
    expect(readTree(objects, next).find((entry) => entry.name === 'closed')).toEqual(closed);
    expect(lookUp(objects, next, ['open', 'y'])?.oid).toBe(blob);
    expect(lookUp(objects, next, ['open', 'x'])?.oid).toBe(blob);
  });

  test('a folder that is left empty goes, with those above it', () => {
    const editor = editTree(objects, null);
    editor.set(['a', 'b', 'c', 'd'], '100644', BLOBS[0] as string);
    editor.set(['a', 'x'], '100644', BLOBS[1] as string);
    editor.remove(['a', 'b', 'c', 'd']);
    const root = editor.write() as string;
    expect([...walkFiles(objects, root)].map(([name]) => name)).toEqual(['a/x']);
    expect(readTree(objects, lookUp(objects, root, ['a'])?.oid as string)).toHaveLength(1);
    const again = editTree(objects, root);
    again.remove(['a']);
    expect(again.write()).toBeNull();
  });
});

describe('a content in chunks', () => {
  const pieces = (count: number): Buffer[] =>
    Array.from({ length: count }, (_, index) => Buffer.alloc(CHUNK_SIZE, index));
  const kept = storeContent(objects, pieces(3));

  test('is a tree from 8 MiB and a byte on, of 4 MiB each', () => {
    expect([CHUNKED_FROM, CHUNK_SIZE]).toEqual([8_388_608, 4_194_304]);
    expect(storeContent(objects, [...pieces(2)]).mode).toBe('100644');
    expect(storeContent(objects, [...pieces(2), Buffer.alloc(1)])).toMatchObject({ mode: '40000', bytes: 8_388_609 });
    expect(kept.mode).toBe('40000');
    const chunks = readTree(objects, kept.oid);
    expect(chunks.map((entry) => entry.name)).toEqual(['00000000.chunk', '00000001.chunk', '00000002.chunk']);
    expect(isChunked(chunks)).toBe(true);
    const whole = Buffer.concat(chunks.map((entry) => objects.readAs(entry.oid, 'blob')));
    expect(whole.equals(Buffer.concat(pieces(3)))).toBe(true);
  });

  test.each<[string, string[], boolean]>([
    ['no entry', [], false],
    ['one chunk', ['00000000.chunk'], true],
    ['another beginning', ['00000001.chunk'], false],
    ['a gap', ['00000000.chunk', '00000002.chunk'], false],
    ['more than chunks', ['00000000.chunk', 'x'], false],
  ])('%s: is distinguished from a folder', (_words, names, expected) => {
    expect(isChunked(names.map((name) => ({ mode: '100644', name, oid: BLOBS[0] as string })))).toBe(expected);
  });

  test('counts as one file when it is walked, displaced or replaced', () => {
    const editor = editTree(objects, null);
    editor.set(['d', 'big'], kept.mode, kept.oid);
    const root = editor.write() as string;
    expect([...walkFiles(objects, root)].map(([name]) => name)).toEqual(['d/big']);
    expect(editTree(objects, root).set(['d'], '100644', BLOBS[0] as string)).toEqual(['d/big']);
    expect(editTree(objects, root).set(['d', 'big', 'x'], '100644', BLOBS[0] as string)).toEqual(['d/big']);
    expect(editTree(objects, root).set(['d', 'big'], '100644', BLOBS[0] as string)).toEqual([]);
    expect(editTree(objects, root).get(['d', 'big'])?.oid).toBe(kept.oid);
  });
  test('gives way to a folder of its name also when somebody has looked below it before', () => {
    const editor = editTree(objects, null);
    editor.set(['big'], kept.mode, kept.oid);
    const next = editTree(objects, editor.write());
    expect(next.get(['big', 'x'])).toBeNull();
    expect(next.set(['big', 'x'], '100644', BLOBS[0] as string)).toEqual(['big']);
    expect([...walkFiles(objects, next.write() as string)].map(([name]) => name)).toEqual(['big/x']);
  });
});
