/** Finds what a session of a bundle consists of, and reads a bundle and the store together. */
import { decodeCommit } from '../../core/commit.ts';
import { isTree } from '../../core/tree.ts';
import type { PackStore } from '../../git/objects/bulk-pack.ts';
import { contentAs, type GitObject } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { ReceivedPack } from '../../git/objects/received-pack.ts';
import { readTree } from '../../git/objects/tree-editor.ts';

/** Returns a store that reads the objects of a bundle too, and writes into the repository. */
export function withBundle(objects: PackStore, pack: ReceivedPack): ObjectStore {
  const read = (oid: string): GitObject => (pack.has(oid) ? pack.read(oid) : objects.read(oid));
  return {
    ...objects,
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    holds: (oid) => pack.has(oid) || objects.holds(oid),
  };
}

/** Returns the ids of some objects and of everything that they name. */
export function closureOf(pack: ReceivedPack, roots: readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const { type, content } = pack.read(next);
    if (type === 'tree') open.push(...readTree(pack, next).map((entry) => entry.oid));
    if (type !== 'commit') continue;
    const { tree, parents } = decodeCommit(content, next);
    open.push(tree, ...parents);
  }
  return found;
}

/** Returns whether an object names one of some others, itself or through others. @param known the answers so far; grows */
export function reaches(
  pack: ReceivedPack,
  oid: string,
  wanted: ReadonlySet<string>,
  known: Map<string, boolean> = new Map(),
): boolean {
  const open = [oid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (wanted.has(next)) return true;
    if (known.has(next)) continue;
    known.set(next, false);
    const { type, content } = pack.read(next);
    if (type === 'tree')
      for (const entry of readTree(pack, next)) if (isTree(entry) || wanted.has(entry.oid)) open.push(entry.oid);
    if (type !== 'commit') continue;
    const { tree, parents } = decodeCommit(content, next);
    open.push(tree, ...parents);
  }
  return false;
}
