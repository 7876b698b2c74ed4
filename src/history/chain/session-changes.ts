/** The files that a session changed: by what it wrote and deleted, never by what it only read. */
import { trailersOf } from '../../core/commit.ts';
import { treePath } from '../../core/file-path.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { textOrPreview } from '../../core/records/words.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { lookUp } from '../../git/objects/tree-editor.ts';
import { readCommit, readRecords, walkChain } from './chain.ts';
import { changedFiles, filesTree } from './files-tree.ts';

/** One file that a session wrote or deleted. */
export interface SessionChange {
  path: string;
  /** Object id of the content before; null if there was no file, undefined if the store does not hold the content. */
  old: string | null | undefined;
  /** Object id of the content after; null if the file was deleted, undefined if the store does not hold the content. */
  new: string | null | undefined;
}

/**
 * Returns the files that the steps of a chain wrote or deleted, sorted by path. The version before is the one that the session
 * read before it first changed the file, else the one of the files that it began with.
 * @param base tree of files before the session; null if there was none
 */
export function sessionChanges(objects: ObjectStore, head: string, base: string | null): SessionChange[] {
  const read = new Map<string, string | undefined>();
  const changed = new Map<string, SessionChange>();
  const before = (path: string): string | null | undefined => {
    if (read.has(path)) return read.get(path);
    const place = treePath(path);
    return (base !== null && place && lookUp(objects, base, place)?.oid) || null;
  };
  const change = (path: string, now: string | null | undefined): void => {
    changed.set(path, { path, old: changed.has(path) ? changed.get(path)?.old : before(path), new: now });
  };
  for (const record of recordsOf(objects, head)) {
    const path = textOrPreview(record.path);
    if (isKind(record, 'write')) change(path, record.blob);
    else if (isKind(record, 'delete')) change(path, null);
    else if (isKind(record, 'read') && !read.has(path) && !changed.has(path)) read.set(path, record.blob);
  }
  return [...changed.values()]
    .filter((one) => one.old === undefined || one.old !== one.new)
    .sort((a, b) => (inOrder(a.path) < inOrder(b.path) ? -1 : 1));
}

/** Returns a path as trees are sorted: what is in a folder comes before a name that continues the folder's. */
const inOrder = (path: string): string => path.replaceAll('/', '\0');

function* recordsOf(objects: ObjectStore, head: string): Generator<StoredRecord> {
  const oids = [...walkChain(objects, head)].map(([oid]) => oid).reverse();
  for (const oid of oids) yield* readRecords(objects, readCommit(objects, oid).tree, `step ${oid}`, false);
}

/**
 * Returns what the session of a canonical commit changed, compared with the commit before.
 * @param before the commit to compare with; by default the first parent
 * @returns null if that is not the first parent, or the chain of the session is not held
 */
export function sessionChangesOf(objects: ObjectStore, oid: string, before?: string): SessionChange[] | null {
  const { parents, message } = readCommit(objects, oid);
  const [parent] = parents;
  const work = trailersOf(message).get('Ctx-Work');
  if (parent === undefined || parent !== (before ?? parent) || work === undefined || !objects.holds(work)) return null;
  return sessionChanges(objects, work, filesTree(objects, readCommit(objects, parent).tree));
}

/** Returns the files that differ between two trees of files; null is no tree. */
export const treeChanges = (objects: ObjectStore, before: string | null, after: string | null): SessionChange[] =>
  [...changedFiles(objects, before, after)].map(({ path, old, new: now }) => ({
    path,
    old: old?.oid ?? null,
    new: now?.oid ?? null,
  }));

/** Returns what a commit of the main line changed: what its session did, else what differs from its first parent. */
export function commitChanges(objects: ObjectStore, oid: string): SessionChange[] {
  const { parents, tree } = readCommit(objects, oid);
  const [parent] = parents;
  const before = parent === undefined ? null : filesTree(objects, readCommit(objects, parent).tree);
  return sessionChangesOf(objects, oid) ?? treeChanges(objects, before, filesTree(objects, tree));
}
