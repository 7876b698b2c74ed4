/** Which of Git's lock files in a store are those of a ctx: each has a second name, or had one before the store was copied. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { exists, LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import type { Layout } from '../layout.ts';
import { inodeOf } from './lock.ts';

/** How much older than its being here a copy says that it is, at least, in nanoseconds. */
const COPIED = 1_000_000_000n;

/**
 * Tells whether a lock file is one that a ctx has made. Many a copy of a store has two files where one had two names: both say the
 * same, and have the time of a writing that was long before they came here. No lock of a living Git has.
 */
export function ownLocks({ refMarker, packedMarker }: Layout): (path: string) => boolean {
  const markers = [refMarker, packedMarker].filter(exists);
  const inodes = markers.map(inodeOf);
  return (path) => inodes.includes(inodeOf(path)) || markers.some((marker) => areCopies(marker, path));
}

function areCopies(marker: string, path: string): boolean {
  const [one, other] = [statOf(marker), statOf(path)];
  if (!one || !other || one.size !== other.size || one.size > LINES_LIMIT) return false;
  // Of what has its second name still, no other file is the copy.
  if (one.nlink !== 1n || other.nlink !== 1n) return false;
  if (one.mtimeNs !== other.mtimeNs || other.ctimeNs - other.mtimeNs < COPIED) return false;
  return readIfThere(marker)?.equals(readIfThere(path) ?? Buffer.alloc(0)) === true;
}

/** A file; undefined where there is none. As big integers: its times are told whole. */
function statOf(path: string): BigIntStats | undefined {
  const stat = exists(path) ? lstatSync(path, { throwIfNoEntry: false, bigint: true }) : undefined;
  return stat?.isFile() ? stat : undefined;
}
