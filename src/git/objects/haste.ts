/** Packs that were written in haste, without deltas and hardly compressed: told by their first object. */
import { exists } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import type { Layout } from '../layout.ts';
import { indexOf, packPaths } from './pack-faults.ts';
import { openPackIndex } from './pack-index.ts';

const HEADER_LENGTH = 12;
/** Most bytes that the head of an entry has. */
const HEAD_LENGTH = 10;
/** What a zlib stream begins with that was made at the lowest level (RFC 1950): nobody else packs so. */
const FASTEST = 0x7801;

/** Ids of the objects in such packs. @throws {CtxError} damaged, io */
export function objectsWrittenInHaste(layout: Layout): ReadonlySet<string> {
  const oids = new Set<string>();
  for (const path of hastyPacks(layout)) {
    const index = openPackIndex(indexOf(path));
    try {
      for (const { oid } of index.entries()) oids.add(oid);
    } finally {
      index.close();
    }
  }
  return oids;
}

/** Paths of such packs. */
export const hastyPacks = (layout: Layout): string[] =>
  packPaths(layout).filter((path) => isHasty(path) && exists(indexOf(path)));

function isHasty(path: string): boolean {
  const beginning = readBeginning(path, HEADER_LENGTH + HEAD_LENGTH + 2);
  let at = HEADER_LENGTH;
  while ((beginning[at] ?? 0) & 0x80) at += 1;
  return at + 3 <= beginning.length && beginning.readUInt16BE(at + 1) === FASTEST;
}
