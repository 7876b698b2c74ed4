/** `files/` of a commit: cumulative over sessions on the main line, over the base for a session that is still open. */

import { type CtxError, damaged, MOST_PATHS, tooLarge } from '../../core/errors.ts';
import { treePath } from '../../core/file-path.ts';
import { EMPTY_TREE, encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import { contentAs, frame, type GitObject, sha1 } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { editTree, lookUp, readTree } from '../../git/objects/tree-editor.ts';
import { seenPaths } from './chain.ts';

/** The tree under `files/` of a commit's tree, or null. */
export function filesTree(objects: Pick<ObjectStore, 'readAs'>, tree: string): string | null {
  return readTree(objects, tree).find((entry) => entry.name === 'files' && isTree(entry))?.oid ?? null;
}

/**
 * Lays a session's files over those of the main line; per path the later one counts, and what went away is gone.
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
    // A folder of that name that has come since stays, with what the session itself put into it.
    if (place && entry && (!isFolder(objects, entry) || !own || !lookUp(objects, own, place))) editor.remove(place);
  }
  return editor.write();
}

/** @param done what came out for a pair of trees: a stranger's may stand in each other a million times over */
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

/** An object store whose writes stay in memory: for looking at a tree that nobody needs to keep. */
export function scratchStore(objects: ObjectStore): ObjectStore {
  const made = new Map<string, GitObject>();
  return {
    read: (oid) => made.get(oid) ?? objects.read(oid),
    readAs: (oid, type) => contentAs(made.get(oid) ?? objects.read(oid), type, oid),
    holds: (oid) => made.has(oid) || objects.holds(oid),
    adopt: (file, oid) => objects.adopt(file, oid),
    loosen: (oid) => objects.loosen(oid),
    withPrefix: (prefix, limit) => objects.withPrefix(prefix, limit),
    close: () => objects.close(),
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

/** How one path differs between two trees. */
export interface FileChange {
  path: string;
  old: TreeEntry | null;
  new: TreeEntry | null;
}

/** The paths at which two trees differ, in order; folders that are the same are not opened. @throws {CtxError} damaged */
export function changedFiles(
  objects: Pick<ObjectStore, 'readAs'>,
  old: string | null,
  next: string | null,
): Generator<FileChange> {
  return compare(objects, old, next, { prefix: '', depth: 0, seen: { count: 0 } });
}

/** Where a comparison is: the folder, and how many names it has looked at everywhere. */
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
