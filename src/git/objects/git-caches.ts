/** Caches that Git derives from objects and can rebuild: commit graphs, files beside packs, and its index. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { below } from '../../platform/below.ts';
import {
  DOCUMENT_LIMIT,
  exists,
  ioError,
  listFolder,
  readIfThere,
  removeFile,
  syncFolder,
} from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import type { Layout } from '../layout.ts';
import { setAside } from '../set-aside.ts';
import { checksumOf, endsInItsChecksum, NOT_ITS_CHECKSUM } from './checksum.ts';
import type { ObjectFiles } from './objects.ts';

/** Folder, name and signature of each; each ends in its checksum. See gitformat-commit-graph and gitformat-pack. */
const KINDS = [
  { folder: '', name: /^index$/, signature: 'DIRC' },
  { folder: 'objects/info', name: /^commit-graph$/, signature: 'CGPH' },
  { folder: 'objects/info/commit-graphs', name: /^graph-[0-9a-f]{40}\.graph$/, signature: 'CGPH' },
  { folder: 'objects/pack', name: /^multi-pack-index$/, signature: 'MIDX' },
  { folder: 'objects/pack', name: /^(pack|multi-pack-index)-[0-9a-f]{40}\.rev$/, signature: 'RIDX' },
  { folder: 'objects/pack', name: /^(pack|multi-pack-index)-[0-9a-f]{40}\.bitmap$/, signature: 'BITM' },
];

/** Lists the graphs of the folder, each of which continues the one before. */
const CHAIN = 'objects/info/commit-graphs/commit-graph-chain';

/** Yields the damaged caches, by their names in the store, each with the reason. ctx reads none of them, but Git trusts them. */
export function* damagedGitCaches(layout: Layout): Generator<[name: string, why: string]> {
  const wrong = new Set<string>();
  for (const { folder, name: pattern, signature } of KINDS)
    for (const entry of listFolder(below(layout.root, folder)).filter((one) => pattern.test(one))) {
      const name = folder === '' ? entry : `${folder}/${entry}`;
      const why = whyWrong(below(layout.root, name), signature);
      if (why === null) continue;
      wrong.add(name);
      yield [name, why];
    }
  const chain = below(layout.root, CHAIN);
  if (!isFile(chain)) return;
  const graphs = (readIfThere(chain, DOCUMENT_LIMIT)?.toString('latin1') ?? '').trimEnd().split('\n');
  const isThere = (oid: string): boolean => {
    const name = `objects/info/commit-graphs/graph-${oid}.graph`;
    return /^[0-9a-f]{40}$/.test(oid) && exists(below(layout.root, name)) && !wrong.has(name);
  };
  if (!graphs.every(isThere)) yield [CHAIN, 'it names a graph that is wrong or not there'];
}

function whyWrong(path: string, signature: string): string | null {
  // An entry that is no regular file is reported elsewhere.
  if (!isFile(path)) return null;
  try {
    if (readBeginning(path, signature.length).toString('latin1') !== signature) return 'it has no header';
    // Git may be configured to omit the checksum of its index.
    const isSpared = signature === 'DIRC' && /^0+$/.test(checksumOf(path));
    return isSpared || endsInItsChecksum(path) ? null : NOT_ITS_CHECKSUM;
  } catch (error) {
    if (!exists(path)) return null;
    throw ioError('read', path, error);
  }
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Moves damaged caches into `lost/`; yields a sentence for each. */
export function* repairGitCaches(repository: ObjectFiles): Generator<string> {
  for (const [name, why] of [...damagedGitCaches(repository.layout)].reverse())
    if (setAside(repository, below(repository.layout.root, name)))
      yield `Set ${name} aside in lost/: ${why}. Git makes it again when it needs it.`;
}

/** Files that belong together, by folders of the store and their names; those that name others come first. */
export type Cache = readonly (readonly [folder: string, names: readonly RegExp[]])[];

/** Caches of the parents, trees and dates of commits. */
export const COMMIT_GRAPH: Cache = [
  ['objects/info/commit-graphs', [/^commit-graph-chain$/, /^graph-[0-9a-f]{40}\.graph$/]],
  ['objects/info', [/^commit-graph$/]],
];

const OF_PACKS = [/^multi-pack-index(-chain)?$/, /^multi-pack-index-[0-9a-f]{40}\.(midx|rev|bitmap)$/];
/** Caches of the positions of objects in packs. */
export const MULTI_PACK_INDEX: Cache = [
  ['objects/pack/multi-pack-index.d', OF_PACKS],
  ['objects/pack', OF_PACKS],
];
/** Caches of the objects that a packed commit reaches. Git would copy them into the next one. */
const BITMAPS: Cache = [['objects/pack', [/^pack-[0-9a-f]{40}\.bitmap$/]]];

/** Git's locks while it writes a commit graph. */
export const COMMIT_GRAPH_LOCKS = [
  'objects/info/commit-graph.lock',
  'objects/info/commit-graphs/commit-graph-chain.lock',
];

/** Returns the names of the existing files of a cache, in the order in which they may be removed. */
export function filesOf(layout: Layout, cache: Cache): string[] {
  return cache.flatMap(([folder, names]) => {
    const there = listFolder(below(layout.root, folder));
    return names.flatMap((name) => there.filter((entry) => name.test(entry))).map((entry) => `${folder}/${entry}`);
  });
}

/**
 * Removes Git's caches about packs before Git packs for ctx: then caches of the new pack are built from objects alone, and
 * none describes packs that are gone. Git itself would ensure that only if it checked the caches, which may be wrong.
 */
export function dropPackCaches(repository: ObjectFiles): void {
  for (const cache of [MULTI_PACK_INDEX, BITMAPS]) drop(repository, cache);
}

/** Git's lock while it writes an index of several packs. */
export const MULTI_PACK_INDEX_LOCK = 'objects/pack/multi-pack-index.lock';

/** Removes the index of several packs: Git looks for objects where it says, in packs that may be gone. */
export const dropMultiPackIndex = (repository: ObjectFiles): void => drop(repository, MULTI_PACK_INDEX);

/** Removes commit graphs: Git refuses one that names an absent commit. */
export const dropCommitGraphs = (repository: ObjectFiles): void => drop(repository, COMMIT_GRAPH);

/** Removes a cache and syncs its folders, before anything is removed that the cache names. */
function drop({ layout, durability }: ObjectFiles, cache: Cache): void {
  const folders = new Set<string>();
  for (const name of filesOf(layout, cache)) {
    const path = below(layout.root, name);
    if (removeFile(path)) folders.add(dirname(path));
  }
  for (const folder of folders) syncFolder(folder, durability);
}
