/** Cleans up after a killed process of ctx that was moving a pointer: its locks, and a missing line of the reflog. */
import { statSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { type Durability, exists, LINES_LIMIT, readIfThere, removeFile } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Layout } from '../layout.ts';
import { syncStore } from '../sync-store.ts';
import { everyFile, removeLockFolder, rootLocks } from './lock.ts';
import { ownLocks } from './own-locks.ts';
import { readPackedRefs } from './packed-refs.ts';
import { appendReflog, lastOfReflog } from './reflog.ts';

const OID = /^[0-9a-f]{40}$/;

/** Removes the locks and completes the reflog. Only under LOCK. @throws {CtxError} io; damaged, if a reflog is */
export function clearLeftoversOfMoves(layout: Layout, durability: Durability): void {
  const { refMarker, packedMarker, root, packedRefs, config } = layout;
  const markers = [refMarker, packedMarker].filter(exists);
  if (markers.length === 0) return;
  const isOurs = ownLocks(layout);
  // A forgetting moves refs of other programs too.
  const names = [...everyFile(below(root, 'refs'))];
  logMissedMove(layout, durability, names);
  const others = [...rootLocks(root).map((name) => below(root, name)), `${packedRefs}.lock`, `${config}.lock`];
  for (const path of [...names.filter((name) => name.endsWith('.lock')), ...others])
    if (isOurs(path)) removeFile(path);
    else removeLockFolder(path);
  // Successors of the killed process use the moves that they see: those must be on disk first.
  syncStore(layout, durability);
  for (const marker of markers) {
    removeFile(`${marker}.new`);
    removeFile(marker);
  }
}

/**
 * Appends the missing line of a ref that was given the value of the marker by a process that was killed before it wrote the
 * reflog.
 */
function logMissedMove(
  { root, refMarker, packedRefs, pointers }: Layout,
  durability: Durability,
  names: readonly string[],
): void {
  const text = readIfThere(refMarker, LINES_LIMIT)?.toString('latin1') ?? '';
  const value = text.trimEnd();
  if (!OID.test(value)) return;
  const at = Math.floor(statSync(refMarker).mtimeMs / 1000);
  const tell = (ref: string): void => {
    const last = pointers.isPointer(ref) ? lastOfReflog(root, ref) : value;
    if (last === value) return;
    const move = { pointer: ref, old: last, new: value };
    appendReflog(root, move, { at, message: 'told after a kill' }, durability);
  };
  for (const path of names) if (hasText(path, text)) tell(path.slice(root.length + 1));
  // Git may have packed the ref since. Read after its file, since Git removes the file last.
  for (const [ref, packed] of packedIfWhole(packedRefs, pointers.isPointer))
    if (packed === value && !exists(below(root, ref))) tell(ref);
}

/** Returns the packed refs; empty if the file is damaged, which its readers report. */
function packedIfWhole(path: string, isWanted: (ref: string) => boolean): ReadonlyMap<string, string> {
  try {
    return readPackedRefs(path, isWanted);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return new Map();
    throw error;
  }
}

/** Returns whether a file can be read and has exactly this text. */
function hasText(path: string, text: string): boolean {
  try {
    return readIfThere(path, LINES_LIMIT)?.toString('latin1') === text;
  } catch (error) {
    throwResourceError(error);
    return false;
  }
}
