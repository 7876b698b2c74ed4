/** Packs the refs of ended sessions, as `git pack-refs` does it: at any moment Git and ctx read each value from one of two places. */

import { ARCHIVE, isPointer } from '../../git/layout.ts';
import { lockedWith, takeRefLock } from '../../git/refs/lock.ts';
import { checkPackedRefs, withRefs } from '../../git/refs/packed-refs.ts';
// Into `packed-refs` first, under its lock; then each file goes under the lock of its ref, if it still says the same.
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
import type { Repository } from './repository.ts';

/** Refs that are packed at once, at least: the whole of packed-refs is written each time. */
const DUE = 64;
/** And at most: a store of an older ctx has many, and nobody is to wait long. */
const MOST = 512;

const VALUE = /^[0-9a-f]{40}\n$/;

/**
 * Packs the refs of ended sessions once enough of them have come together. Nothing waits for it: where Git holds a lock the next one
 * packs. Only under LOCK.
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
    // What is torn stays as it is: the check names it.
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

/** Takes the files of refs away that are packed by now. One mark serves all of their locks, each of which is held for a moment. */
function removeLoose({ layout, durability }: Repository, values: ReadonlyMap<string, string>): void {
  const { root, refMarker } = layout;
  removeFile(refMarker);
  createFile(refMarker, '', durability);
  // The mark is on the disk before the first lock is, and goes after the last: see takeRefLock.
  syncFolder(root, durability);
  for (const [ref, value] of values)
    lockedWith(refMarker, `${below(root, ref)}.lock`, durability, () => {
      if (looseText(root, ref) === `${value}\n`) removeFile(below(root, ref));
    });
  syncFolder(below(root, ARCHIVE), durability);
  // Where anything has failed it stays: a lock may be left, and the next holder of LOCK knows it by the mark.
  removeFile(refMarker);
}
