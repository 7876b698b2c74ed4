/** Lists the content of a store: every ref, every object, whichever program wrote it. */

import { isTree } from '../../core/tree.ts';
import { filesBelow } from '../../git/entries.ts';
import type { Layout } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { openPackIndex } from '../../git/objects/pack-index.ts';
import { isIndexName } from '../../git/objects/pack-names.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { packedRefs } from '../../git/refs/packed-refs.ts';
import { objectIn } from '../../git/refs/value.ts';
import { below } from '../../platform/below.ts';
import { LINES_LIMIT, listFolder, readIfThere } from '../../platform/files.ts';
import { readCommit } from '../chain/chain.ts';

/** A ref of any program. */
export interface AnyRef {
  ref: string;
  oid: string;
  /** True if it has a file of its own. */
  loose: boolean;
}

/** Yields every ref that names an object, also those unknown to ctx; a symbolic ref has no object of its own. */
export function* allRefs(layout: Layout): Generator<AnyRef> {
  const files = new Set([...filesBelow(layout, 'refs')].filter((name) => !name.endsWith('.lock')));
  for (const ref of files) {
    const text = readIfThere(below(layout.root, ref), LINES_LIMIT)?.toString('latin1');
    const oid = text === undefined ? null : objectIn(text);
    // Gone since it was listed: Git packs a ref first, and then removes its file.
    if (text === undefined) files.delete(ref);
    else if (oid !== null) yield { ref, oid, loose: true };
  }
  for (const [ref, oid] of packedRefs(layout.packedRefs)) if (!files.has(ref)) yield { ref, oid, loose: false };
}

/** Yields the ids of the loose objects. */
export function* looseOids(layout: Layout): Generator<string> {
  for (const folder of listFolder(layout.objects).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of listFolder(below(layout.objects, folder))) if (/^[0-9a-f]{38}$/.test(name)) yield folder + name;
}

/** Returns the names of the packs with an index, without `.idx`. */
export const packNames = (layout: Layout): string[] =>
  listFolder(layout.pack)
    .filter(isIndexName)
    .map((name) => name.slice(0, -4));

/** Yields the ids of the objects of one pack. */
export function* packedOids(layout: Layout, pack: string): Generator<string> {
  const index = openPackIndex(below(layout.pack, `${pack}.idx`));
  try {
    for (const { oid } of index.entries()) yield oid;
  } finally {
    index.close();
  }
}

/** Returns the names of the packs that have any of some objects. */
export function packsWith(layout: Layout, wanted: ReadonlySet<string>): string[] {
  return packNames(layout).filter((pack) => {
    for (const oid of packedOids(layout, pack)) if (wanted.has(oid)) return true;
    return false;
  });
}

/** Yields the ids of all objects, reachable or not; an object in several places comes several times. */
export function* allOids(layout: Layout): Generator<string> {
  yield* looseOids(layout);
  for (const pack of packNames(layout)) yield* packedOids(layout, pack);
}

/** Returns the objects that an object names. @throws {CtxError} damaged */
export function namedBy(objects: ObjectStore, oid: string): string[] {
  const { type, content } = objects.read(oid);
  if (type === 'blob') return [];
  if (type === 'tree')
    return readTree(objects, oid)
      .filter((entry) => entry.mode !== '160000')
      .map((entry) => entry.oid);
  if (type === 'tag') return /^object ([0-9a-f]{40})$/m.exec(content.toString('latin1'))?.slice(1, 2) ?? [];
  const { tree, parents } = readCommit(objects, oid);
  return [tree, ...parents];
}

/**
 * Adds an object and everything below it to a set.
 * @param isPartial skips missing objects: a power cut may have left a part of an unreachable object
 * @throws {CtxError} damaged
 */
export function addClosure(objects: ObjectStore, start: string, into: Set<string>, isPartial = false): void {
  const open = [start];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (into.has(oid)) continue;
    const type = isPartial ? kindOf(objects, oid) : objects.read(oid).type;
    if (type === 'absent') continue;
    if (typeof type !== 'string') throw type;
    into.add(oid);
    if (type === 'blob') continue;
    if (type === 'tree') {
      // Blobs name nothing and need not be read.
      for (const entry of readTree(objects, oid)) {
        if (isTree(entry)) open.push(entry.oid);
        else if (entry.mode !== '160000') into.add(entry.oid);
      }
    } else open.push(...namedBy(objects, oid));
  }
}
