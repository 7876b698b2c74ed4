/** `files/` of a commit: cumulative over sessions on main, and relative to the base in an open session. */

import { type CtxError, damaged, MOST_PATHS, tooLarge } from '../../core/errors.ts';
import { treePath } from '../../core/file-path.ts';
import { EMPTY_TREE, encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import { contentAs, frame, type GitObject, sha1 } from '../../git/objects/loose.ts';
import { type ObjectStore, plainStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { editTree, lookUp, readTree } from '../../git/objects/tree-editor.ts';
import { seenPaths } from './chain.ts';

/** Returns the tree under `files/` of a commit's tree, or null. */
export function filesTree(objects: Pick<ObjectStore, 'readAs'>, tree: string): string | null {
  return readTree(objects, tree).find((entry) => entry.name === 'files' && isTree(entry))?.oid ?? null;
}

/**
 * Merges a session's files over those of main; the later content of a path wins, and deleted paths are removed.
 * @param session tree of a WorkCommit
 */
export function overlayFiles(objects: ObjectStore, base: string | null, session: string): string | null {
  const merged = merge(objects, base, filesTree(objects, session), new Map());
  const gone = seenPaths(objects, session).filter((seen) => seen.gone);
  if (merged === null || gone.length === 0) return merged;
  const own = filesTree(objects, session);
  const editor = editTree(objects, merged);
  for (const { path } of gone) {
    const place = treePath(path);
    const entry = place && editor.get(place);
    // A newer folder of that name stays, with the files of the session in it.
    if (place && entry && (!isFolder(objects, entry) || !own || !lookUp(objects, own, place))) editor.remove(place);
  }
  return editor.write();
}

/** Merges two trees. @param done results by pair of trees: a stranger's trees may contain each other a million times */
function merge(
  objects: ObjectStore,
  base: string | null,
  over: string | null,
  done: Map<string, string>,
  depth = 0,
): string | null {
  if (base === null || over === null || base === over) return over ?? base;
  if (depth > DEEPEST) throw tooDeep(`tree ${over}`);
  const pair = `${base} ${over}`;
  const known = done.get(pair);
  if (known !== undefined) return known;
  const entries = new Map(readTree(objects, base).map((entry) => [entry.name, entry]));
  for (const entry of readTree(objects, over)) {
    const under = entries.get(entry.name);
    const both = under && isFolder(objects, under) && isFolder(objects, entry);
    const oid = both ? (merge(objects, under.oid, entry.oid, done, depth + 1) ?? EMPTY_TREE) : entry.oid;
    entries.set(entry.name, { ...entry, oid });
  }
  const merged = objects.write('tree', encodeTree([...entries.values()]));
  done.set(pair, merged);
  return merged;
}

const isFolder = (objects: Pick<ObjectStore, 'readAs'>, entry: TreeEntry): boolean =>
  isTree(entry) && !isChunked(readTree(objects, entry.oid));

/** Makes an object store whose writes stay in memory, for a tree that is only inspected. */
export function scratchStore(objects: ObjectStore): ObjectStore {
  const made = new Map<string, GitObject>();
  return {
    ...plainStore(objects),
    read: (oid) => made.get(oid) ?? objects.read(oid),
    readAs: (oid, type) => contentAs(made.get(oid) ?? objects.read(oid), type, oid),
    holds: (oid) => made.has(oid) || objects.holds(oid),
    write: (type, content) => {
      const oid = sha1(frame(type, content));
      made.set(oid, { type, content });
      return oid;
    },
  };
}

/** Deepest folder that is followed: paths under `files/` have at most 1,024 bytes. */
const DEEPEST = 600;
const tooDeep = (where: string): CtxError => damaged(where, 'it lies deeper than any path may be');

/** The difference between two trees at one path. */
export interface FileChange {
  path: string;
  old: TreeEntry | null;
  new: TreeEntry | null;
}

/** Yields the paths at which two trees differ, sorted; skips identical folders. @throws {CtxError} damaged */
export function changedFiles(
  objects: Pick<ObjectStore, 'readAs'>,
  old: string | null,
  next: string | null,
): Generator<FileChange> {
  return compare(objects, old, next, { prefix: '', depth: 0, seen: { count: 0 } });
}

/** State of a comparison: the folder, and the total number of compared names. */
interface Place {
  prefix: string;
  depth: number;
  seen: { count: number };
}

function* compare(
  objects: Pick<ObjectStore, 'readAs'>,
  old: string | null,
  next: string | null,
  { prefix, depth, seen }: Place,
): Generator<FileChange> {
  if (old === next) return;
  if (depth > DEEPEST) throw tooDeep(`folder ${prefix.slice(0, 80)}…`);
  const before = new Map((old === null ? [] : readTree(objects, old)).map((entry) => [entry.name, entry]));
  const after = new Map((next === null ? [] : readTree(objects, next)).map((entry) => [entry.name, entry]));
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const a = before.get(name) ?? null;
    const b = after.get(name) ?? null;
    if (a?.oid === b?.oid) continue;
    seen.count += 1;
    if (seen.count > MOST_PATHS) throw tooLarge(`Too many paths differ in files/${prefix.slice(0, 80)}`);
    const folderA = a && isFolder(objects, a) ? a.oid : null;
    const folderB = b && isFolder(objects, b) ? b.oid : null;
    const fileA = folderA === null ? a : null;
    const fileB = folderB === null ? b : null;
    if (fileA || fileB) yield { path: prefix + name, old: fileA, new: fileB };
    const below = { prefix: `${prefix}${name}/`, depth: depth + 1, seen };
    if (folderA !== null || folderB !== null) yield* compare(objects, folderA, folderB, below);
  }
}
