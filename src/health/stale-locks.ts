/** Lock files that a killed Git has left: nothing removes them, and whatever they lock cannot be changed. */
import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { Layout } from '../git/layout.ts';
import { everyFile, rootLocks } from '../git/refs/lock.ts';
import { ownLocks } from '../git/refs/own-locks.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { exists, removeFile, syncFolder } from '../platform/files.ts';

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
  /** The command of Git's that it keeps from working; null where nobody can move what it locks, ctx neither. */
  refused: string | null;
}

/**
 * What such a lock refuses of Git (measured with Git 2.39). A gc.pid is none: Git passes over one whose process is gone, and
 * over one of twelve hours.
 */
const REFUSED: Record<string, string> = {
  'config.lock': 'git config',
  'index.lock': 'git read-tree',
  'shallow.lock': 'git fetch --depth',
  'gc.pid.lock': 'git gc',
  // A lock as much as the others: Git creates it exclusively.
  'packed-refs.new': 'git pack-refs',
  'objects/maintenance.lock': 'git maintenance',
  'objects/info/commit-graph.lock': 'git gc',
  'objects/info/commit-graphs/commit-graph-chain.lock': 'git commit-graph',
  'objects/pack/multi-pack-index.lock': 'git multi-pack-index',
};

/** Those in the root of the store that keep ctx from its work too. */
const OURS = ['STAGE.lock', 'HEAD.lock'];

/** Locks of Git's that are older than an hour; not what a killed ctx has left, which the next one removes. */
export function* staleLocks(layout: Layout): Generator<StaleLock> {
  const { root } = layout;
  const isOurs = ownLocks(layout);
  const nameOf = (path: string): string => path.slice(root.length + 1);
  const locksIn = (folder: string): string[] =>
    statOf(below(root, folder))?.isDirectory()
      ? [...everyFile(below(root, folder))].filter((path) => path.endsWith('.lock')).map(nameOf)
      : [];
  const places: [name: string, refused: string | null][] = [
    ...[...locksIn('refs'), 'packed-refs.lock', ...OURS].map((name): [string, null] => [name, null]),
    ...rootLocks(root)
      .filter((name) => !OURS.includes(name))
      .map((name): [string, string] => [name, `git update-ref ${name.slice(0, -'.lock'.length)}`]),
    ...locksIn('logs').map((name): [string, string] => [name, 'git reflog expire']),
    ...Object.entries(REFUSED),
  ];
  for (const [name, refused] of places) {
    const path = below(root, name);
    const stat = statOf(path);
    const age = stat?.isFile() && !isOurs(path) ? Date.now() - stat.mtimeMs : 0;
    if (age > STALE) yield { name, age: Math.floor(age / 1000), refused };
  }
}

/** What stands at a path; nothing below what is no folder. */
const statOf = (path: string): Stats | undefined =>
  exists(path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;

/** Removes them: only where the user says that no Git is running. */
export function breakStaleLocks({ layout, durability }: Repository): StaleLock[] {
  return [...staleLocks(layout)].filter(({ name }) => {
    const path = below(layout.root, name);
    const removed = removeFile(path);
    if (removed) syncFolder(dirname(path), durability);
    return removed;
  });
}
