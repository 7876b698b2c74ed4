/** Packs the refs of ended sessions as `git pack-refs` does: at any moment Git and ctx read each value from one of two places. */

import { lockedWith, takeRefLock } from '../../git/refs/lock.ts';
import { checkPackedRefs, withRefs } from '../../git/refs/packed-refs.ts';
// Writes `packed-refs` first, under its lock; then removes each file under the lock of its ref, if its value is unchanged.
import { below } from '../../platform/below.ts';
import {
  createFile,
  LINES_LIMIT,
  listFolder,
  readIfThere,
  removeFile,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import { ARCHIVE, isPointer } from '../names/layout.ts';
import type { Repository } from './repository.ts';

/** Fewest refs that are packed at once: each time all of packed-refs is written. */
const DUE = 64;
/** Most refs that are packed at once: a store of an older ctx has many, and the command must not take long. */
const MOST = 512;

const VALUE = /^[0-9a-f]{40}\n$/;

/**
 * Packs the refs of ended sessions if there are enough. Does not wait: if Git holds a lock, the next command packs. Only
 * under LOCK.
 * @throws {CtxError} busy, damaged, io
 */
export function packArchive(repository: Repository, due = DUE, most = MOST): void {
  const { layout, durability } = repository;
  const { root, packedRefs, packedMarker } = layout;
  const names = listFolder(below(root, ARCHIVE)).map((name) => ARCHIVE + name);
  const refs = names.filter(isPointer);
  if (refs.length < due) return;
  const values = new Map<string, string>();
  for (const ref of refs.slice(0, most)) {
    const text = looseText(root, ref);
    // A torn ref stays as it is: fsck reports it.
    if (text !== undefined && VALUE.test(text)) values.set(ref, text.slice(0, -1));
  }
  if (values.size === 0) return;
  const lock = takeRefLock({
    path: `${packedRefs}.lock`,
    marker: packedMarker,
    content: '',
    root,
    wait: 0,
    durability,
  });
  try {
    checkPackedRefs(packedRefs);
    const text = readIfThere(packedRefs)?.toString('latin1') ?? '';
    const temporary = `${packedMarker}.new`;
    removeFile(temporary);
    writeDurably(packedRefs, temporary, Buffer.from(withRefs(text, values), 'latin1'), durability);
    removeLoose(repository, values);
  } finally {
    lock.release(true);
  }
}

const looseText = (root: string, ref: string): string | undefined =>
  readIfThere(below(root, ref), LINES_LIMIT)?.toString('latin1');

/** Removes the files of packed refs. One marker serves all of their locks, each of which is held for a moment. */
function removeLoose({ layout, durability }: Repository, values: ReadonlyMap<string, string>): void {
  const { root, refMarker } = layout;
  removeFile(refMarker);
  createFile(refMarker, '', durability);
  // The marker is on disk before the first lock, and is removed after the last: see takeRefLock.
  syncFolder(root, durability);
  for (const [ref, value] of values)
    lockedWith(refMarker, `${below(root, ref)}.lock`, durability, () => {
      if (looseText(root, ref) === `${value}\n`) removeFile(below(root, ref));
    });
  syncFolder(below(root, ARCHIVE), durability);
  // After a failure the marker stays: it identifies a leftover lock for the next holder of LOCK.
  removeFile(refMarker);
}
