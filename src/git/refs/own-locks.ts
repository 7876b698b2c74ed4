/** Recognises Git's lock files that a ctx has made: each has a second name, or had one before the store was copied. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { exists, LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import type { Layout } from '../layout.ts';
import { inodeOf } from './lock.ts';

/** Least difference between the modification and change times of a copied file, in nanoseconds. */
const COPIED = 1_000_000_000n;

/**
 * Returns a function that decides whether a lock file was made by ctx. A copied store may have two files instead of one with
 * two names: they have the same content and modification time, from long before they were copied. No lock of a living Git is
 * like that.
 */
export function ownLocks({ refMarker, packedMarker }: Layout): (path: string) => boolean {
  const markers = [refMarker, packedMarker].filter(exists);
  const inodes = markers.map(inodeOf);
  return (path) => inodes.includes(inodeOf(path)) || markers.some((marker) => areCopies(marker, path));
}

function areCopies(marker: string, path: string): boolean {
  const [one, other] = [statOf(marker), statOf(path)];
  if (!one || !other || one.size !== other.size || one.size > LINES_LIMIT) return false;
  // A file that still has its second name has no copy.
  if (one.nlink !== 1n || other.nlink !== 1n) return false;
  if (one.mtimeNs !== other.mtimeNs || other.ctimeNs - other.mtimeNs < COPIED) return false;
  return readIfThere(marker)?.equals(readIfThere(path) ?? Buffer.alloc(0)) === true;
}

/** Returns the stat of a file; undefined if there is none. As big integers, for exact times. */
function statOf(path: string): BigIntStats | undefined {
  const stat = exists(path) ? lstatSync(path, { throwIfNoEntry: false, bigint: true }) : undefined;
  return stat?.isFile() ? stat : undefined;
}
