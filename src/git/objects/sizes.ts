/** What each object of a store takes on the disk, loose and packed. */
import { statSync } from 'node:fs';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import type { Layout } from '../layout.ts';
import { openPackIndex } from './pack-index.ts';
import { isIndexName } from './pack-names.ts';

/** Bytes on the disk. */
export interface DiskSize {
  loose: number;
  packed: number;
}

/** A pack begins with a header and ends in its own SHA-1, in bytes. */
const PACK_TRAILER = 20;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Every object of a store by id; one that lies loose and in a pack has both sizes. @throws {CtxError} damaged */
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

/** The objects of a pack with their compressed sizes: each reaches to where the next one begins. */
function* packedSizes(indexPath: string, end: number): Generator<[oid: string, size: number]> {
  const index = openPackIndex(indexPath);
  try {
    const entries = [...index.entries()].sort((a, b) => a.offset - b.offset);
    for (const [at, { oid, offset }] of entries.entries()) yield [oid, (entries[at + 1]?.offset ?? end) - offset];
  } finally {
    index.close();
  }
}

/** Bytes of all files below a folder; none where there is no folder. */
export function folderSize(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return listFolder(path).reduce((sum, name) => sum + folderSize(below(path, name)), 0);
}
