// Folders of very many files: up to the limit they are worked with, beyond it they are refused as too large and not as damaged.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { MOST_PATHS } from '../../src/core/errors.ts';
import { decodeTree, encodeTree } from '../../src/core/tree.ts';
import { editTree, walkFiles } from '../../src/git/objects/tree-editor.ts';
import { changedFiles } from '../../src/history/chain/files-tree.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { pendingNames } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git, makeProject, type Project } from '../support/store.ts';

const OID = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/** A tree of so many empty files. */
function wide(count: number): Buffer {
  const entry = Buffer.concat([Buffer.from('100644 0000000\0'), Buffer.from(OID, 'hex')]);
  const bytes = Buffer.alloc(count * entry.length, entry);
  for (let index = 0; index < count; index += 1)
    bytes.write(String(index).padStart(7, '0'), index * entry.length + 7, 'latin1');
  return bytes;
}

const limit = { code: 'unsupported_store', data: { limit: MOST_PATHS }, message: expect.stringContaining('250,000') };

test('a tree with as many entries as may be is read and written, one with more is neither', () => {
  const bytes = wide(MOST_PATHS);
  const entries = decodeTree(bytes, OID);
  expect(entries).toHaveLength(MOST_PATHS);
  expect(encodeTree(entries).equals(bytes)).toBe(true);
  const error = errorOf(() => decodeTree(wide(MOST_PATHS + 1), OID));
  expect(error).toMatchObject({ ...limit, message: `Tree ${OID} has too many entries: ctx works with up to 250,000.` });
  expect(errorOf(() => encodeTree([...entries, { mode: '100644', name: 'one more', oid: OID }]))).toMatchObject(limit);
});

/** Two folders that hold more than may be between them. */
function twoFolders({ repository: { objects } }: Project, content: string): string {
  objects.write('blob', Buffer.alloc(0));
  const half = objects.write('tree', wide(MOST_PATHS / 2 + 1));
  const other = objects.write('blob', Buffer.from(content));
  const editor = editTree(objects, null);
  editor.set(['one'], '40000', half);
  editor.set(['two'], '40000', half);
  editor.set(['x'], '100644', other);
  return editor.write() as string;
}

test('more paths than may be are named as too many, with where they are', () => {
  const project = makeProject();
  const { objects } = project.repository;
  const root = twoFolders(project, 'x');
  const paths = errorOf(() => [...walkFiles(objects, root)]);
  expect(paths).toMatchObject({
    ...limit,
    message: expect.stringMatching(/^There are too many paths in files\/two\/:/),
  });
  const differ = errorOf(() => [...changedFiles(objects, null, root)]);
  expect(differ).toMatchObject({ ...limit, message: expect.stringMatching(/^Too many paths differ in files\/two\/:/) });
});

test('a session with such a folder is not damaged: it is reported, and continues with what changes no file', () => {
  const project = makeProject();
  const { repository, git: run } = project;
  const { objects, refs } = repository;
  const { session_id } = ctx.startSession(repository, 'the task');
  const ref = sessionRef(session_id);
  const head = refs.read(ref) as string;
  objects.write('blob', Buffer.alloc(0));
  const files = objects.write('tree', wide(MOST_PATHS + 1));
  const tree = git(project.store, ['mktree'], `${run('ls-tree', head)}040000 tree ${files}\tfiles\n`).trim();
  const commit = run('cat-file', 'commit', head).replace(/^tree .*/, `tree ${tree}`);
  const next = objects.write('commit', Buffer.from(commit));
  refs.move({ pointer: ref, old: head, new: next }, { at: repository.clock(), message: 'test' });

  ctx.observeNote(repository, 'goes on');
  ctx.flushStep(repository);
  expect(run('rev-parse', `${ref}:files`).trim()).toBe(files);
  writeFileSync(join(project.folder, 'a.txt'), 'a');
  ctx.observeFileWrite(repository, 'a.txt', project.folder);
  expect(errorOf(() => ctx.flushStep(repository))).toMatchObject(limit);
  expect(pendingNames(repository, session_id)).toHaveLength(1);

  const told = checkStore(repository).findings.filter(({ message }) => message.includes('too many entries'));
  expect(told).toMatchObject(
    told.map(() => ({ severity: 'note', hint: expect.stringContaining('Nothing is damaged') })),
  );
  expect(told.length).toBeGreaterThan(0);
  expect(fsck(project.store)).toBe('');
});
