/** What Git makes of objects, and makes anew from them: commit graphs, what lies beside packs, and its index of files. */
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

/** Where it lies and what it begins with; each ends in its checksum. See gitformat-commit-graph and gitformat-pack. */
const KINDS = [
  { folder: '', name: /^index$/, signature: 'DIRC' },
  { folder: 'objects/info', name: /^commit-graph$/, signature: 'CGPH' },
  { folder: 'objects/info/commit-graphs', name: /^graph-[0-9a-f]{40}\.graph$/, signature: 'CGPH' },
  { folder: 'objects/pack', name: /^multi-pack-index$/, signature: 'MIDX' },
  { folder: 'objects/pack', name: /^(pack|multi-pack-index)-[0-9a-f]{40}\.rev$/, signature: 'RIDX' },
  { folder: 'objects/pack', name: /^(pack|multi-pack-index)-[0-9a-f]{40}\.bitmap$/, signature: 'BITM' },
];

/** Names the graphs of the folder, each of which goes on from the one before. */
const CHAIN = 'objects/info/commit-graphs/commit-graph-chain';

/** Such files that are wrong, by their names in the store, each with why. ctx reads none of them, Git believes them. */
export function* wrongOfGit(layout: Layout): Generator<[name: string, why: string]> {
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
  // What is no file is named with everything else that is none.
  if (!isFile(path)) return null;
  try {
    if (readBeginning(path, signature.length).toString('latin1') !== signature) return 'it has no header';
    // Git may be told to spare itself the sum of its index.
    const isSpared = signature === 'DIRC' && /^0+$/.test(checksumOf(path));
    return isSpared || endsInItsChecksum(path) ? null : NOT_ITS_CHECKSUM;
  } catch (error) {
    if (!exists(path)) return null;
    throw ioError('read', path, error);
  }
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Sets them aside; a sentence for each. */
export function* repairMadeByGit(repository: ObjectFiles): Generator<string> {
  for (const [name, why] of [...wrongOfGit(repository.layout)].reverse())
    if (setAside(repository, below(repository.layout.root, name)))
      yield `Set ${name} aside in lost/: ${why}. Git makes it again when it needs it.`;
}

/** Files that tell the same thing together, from the root of the store: each folder with their names, those first that name others. */
export type Cache = readonly (readonly [folder: string, names: readonly RegExp[]])[];

/** What tells of the parents, the tree and the date of commits. */
export const COMMIT_GRAPH: Cache = [
  ['objects/info/commit-graphs', [/^commit-graph-chain$/, /^graph-[0-9a-f]{40}\.graph$/]],
  ['objects/info', [/^commit-graph$/]],
];

const OF_PACKS = [/^multi-pack-index(-chain)?$/, /^multi-pack-index-[0-9a-f]{40}\.(midx|rev|bitmap)$/];
/** What tells where in which pack an object lies. */
export const MULTI_PACK_INDEX: Cache = [
  ['objects/pack/multi-pack-index.d', OF_PACKS],
  ['objects/pack', OF_PACKS],
];
/** What tells what a commit in a pack reaches. Git would put what it says into the next one. */
const BITMAPS: Cache = [['objects/pack', [/^pack-[0-9a-f]{40}\.bitmap$/]]];

/** Where Git holds a lock while it writes a commit graph. */
export const COMMIT_GRAPH_LOCKS = [
  'objects/info/commit-graph.lock',
  'objects/info/commit-graphs/commit-graph-chain.lock',
];

/** Names of the files of a cache that are there, in the order in which they may go. */
export function filesOf(layout: Layout, cache: Cache): string[] {
  return cache.flatMap(([folder, names]) => {
    const there = listFolder(below(layout.root, folder));
    return names.flatMap((name) => there.filter((entry) => name.test(entry))).map((entry) => `${folder}/${entry}`);
  });
}

/**
 * Removes what Git has made of packs, before it packs for ctx: what is to be made of the new pack is made of objects alone then, and
 * nothing tells of packs that are gone. Git itself would see to that only if it looked at what may lie.
 */
export function dropPackCaches(repository: ObjectFiles): void {
  for (const cache of [MULTI_PACK_INDEX, BITMAPS]) drop(repository, cache);
}

/** Where Git holds a lock while it writes an index of several packs. */
export const MULTI_PACK_INDEX_LOCK = 'objects/pack/multi-pack-index.lock';

/** Removes the index of several packs: Git looks for objects where it says, in packs that may be gone. */
export const dropMultiPackIndex = (repository: ObjectFiles): void => drop(repository, MULTI_PACK_INDEX);

/** Removes commit graphs: Git refuses one that names a commit which is not there. */
export const dropCommitGraphs = (repository: ObjectFiles): void => drop(repository, COMMIT_GRAPH);

/** The disk must have that it is gone before anything goes that it names. */
function drop({ layout, durability }: ObjectFiles, cache: Cache): void {
  const folders = new Set<string>();
  for (const name of filesOf(layout, cache)) {
    const path = below(layout.root, name);
    if (removeFile(path)) folders.add(dirname(path));
  }
  for (const folder of folders) syncFolder(folder, durability);
}
