/** Measures what each object of a store takes on disk, loose and packed. */
import { statSync } from 'node:fs';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import type { Layout } from '../layout.ts';
import { openPackIndex } from './pack-index.ts';
import { isIndexName } from './pack-names.ts';

/** Bytes on disk. */
export interface DiskSize {
  loose: number;
  packed: number;
}

/** Length of the SHA-1 at the end of a pack, in bytes. */
const PACK_TRAILER = 20;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Returns the size of every object of a store by id; an object that is loose and packed has both sizes.
 * @throws {CtxError} damaged
 */
export function objectSizes(layout: Layout): Map<string, DiskSize> {
  const sizes = new Map<string, DiskSize>();
  const add = (oid: string, loose: number, packed: number): void => {
    const known = sizes.get(oid);
    if (!known) sizes.set(oid, { loose, packed });
    else {
      known.loose += loose;
      known.packed += packed;
    }
  };
  for (const folder of listFolder(layout.objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of listFolder(below(layout.objects, folder)).filter((entry) => /^[0-9a-f]{38}$/.test(entry)))
      add(folder + name, sizeOf(below(layout.objects, folder, name)), 0);
  }
  for (const name of listFolder(layout.pack).filter(isIndexName)) {
    const pack = below(layout.pack, name.replace(/\.idx$/, '.pack'));
    for (const [oid, size] of packedSizes(below(layout.pack, name), sizeOf(pack) - PACK_TRAILER)) add(oid, 0, size);
  }
  return sizes;
}

/** Yields the objects of a pack with their compressed sizes: each extends to the start of the next one. */
function* packedSizes(indexPath: string, end: number): Generator<[oid: string, size: number]> {
  const index = openPackIndex(indexPath);
  try {
    const entries = [...index.entries()].sort((a, b) => a.offset - b.offset);
    for (const [at, { oid, offset }] of entries.entries()) yield [oid, (entries[at + 1]?.offset ?? end) - offset];
  } finally {
    index.close();
  }
}

/** Returns the bytes of all files below a folder; 0 if there is no folder. */
export function folderSize(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return listFolder(path).reduce((sum, name) => sum + folderSize(below(path, name)), 0);
}
