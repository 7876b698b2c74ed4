/** Lock files that a killed Git has left: nothing removes them, and whatever they lock cannot be moved. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { below } from '../platform/below.ts';
import { exists, removeFile, syncFolder } from '../platform/files.ts';
import type { Layout } from './layout.ts';
import { everyFile, inodeOf } from './ref-lock.ts';
import type { Repository } from './repository.ts';

/**
 * Age from which such a lock is nobody's any more, in milliseconds: one hour. Git holds one for the blink of an eye, and waits
 * 100 ms for that of a ref and 1 s for that of packed-refs (core.filesRefLockTimeout, core.packedRefsTimeout in git-config).
 * What it says of one that stays: a process "may have crashed in this repository earlier: remove the file manually to continue".
 */
const STALE = 3_600_000;

export interface StaleLock {
  /** Its name from the store's root. */
  name: string;
  /** Seconds since it was written. */
  age: number;
}

/** Locks of refs, STAGE and HEAD that are older than an hour; not what a killed ctx has left, which the next one removes. */
export function* staleLocks(layout: Layout): Generator<StaleLock> {
  const { root, refMarker, packedMarker } = layout;
  const ours = [refMarker, packedMarker].filter(exists).map(inodeOf);
  const beside = ['packed-refs.lock', 'STAGE.lock', 'HEAD.lock'].map((name) => below(root, name));
  for (const path of [...everyFile(below(root, 'refs')), ...beside]) {
    if (!path.endsWith('.lock') || ours.includes(inodeOf(path))) continue;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const age = stat?.isFile() ? Date.now() - stat.mtimeMs : 0;
    if (age > STALE) yield { name: path.slice(root.length + 1), age: Math.floor(age / 1000) };
  }
}

/** Removes them: only where the user says that no Git is running. */
export function breakStaleLocks({ layout, durability }: Repository): StaleLock[] {
  return [...staleLocks(layout)].filter(({ name }) => {
    const path = below(layout.root, name);
    const removed = removeFile(path);
    if (removed) syncFolder(dirname(path), durability);
    return removed;
  });
}
