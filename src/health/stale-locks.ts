/** Finds lock files of a killed Git, which nothing removes and which block every change of the locked file. */
import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { Layout } from '../git/layout.ts';
import { everyFile, rootLocks } from '../git/refs/lock.ts';
import { ownLocks } from '../git/refs/own-locks.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { exists, removeFile, syncFolder } from '../platform/files.ts';

/**
 * Age at which such a lock is stale, in milliseconds: one hour. Git holds a lock for an instant, and waits 100 ms for that
 * of a ref and 1 s for that of packed-refs (core.filesRefLockTimeout, core.packedRefsTimeout in git-config). Its own message
 * about an old one: a process "may have crashed in this repository earlier: remove the file manually to continue".
 */
const STALE = 3_600_000;

export interface StaleLock {
  /** Its name from the store's root. */
  name: string;
  /** Seconds since it was written. */
  age: number;
  /** The command of Git that it blocks; null if it blocks every move, also of ctx. */
  refused: string | null;
}

/**
 * The blocked command of Git by lock (measured with Git 2.39). gc.pid is not among them: Git ignores one whose process is
 * gone, and one of twelve hours.
 */
const REFUSED: Record<string, string> = {
  'config.lock': 'git config',
  'index.lock': 'git read-tree',
  'shallow.lock': 'git fetch --depth',
  'gc.pid.lock': 'git gc',
  // A lock like the others: Git creates it exclusively.
  'packed-refs.new': 'git pack-refs',
  'objects/maintenance.lock': 'git maintenance',
  'objects/info/commit-graph.lock': 'git gc',
  'objects/info/commit-graphs/commit-graph-chain.lock': 'git commit-graph',
  'objects/pack/multi-pack-index.lock': 'git multi-pack-index',
};

/** Locks in the root of the store that block ctx too. */
const OURS = ['STAGE.lock', 'HEAD.lock'];

/** Yields Git's locks that are older than an hour, except leftovers of a killed ctx, which the next command removes. */
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

/** Returns the stat of a path; undefined below a file. */
const statOf = (path: string): Stats | undefined =>
  exists(path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;

/** Removes the stale locks: only if the user says that no Git is running. */
export function breakStaleLocks({ layout, durability }: Repository): StaleLock[] {
  return [...staleLocks(layout)].filter(({ name }) => {
    const path = below(layout.root, name);
    const removed = removeFile(path);
    if (removed) syncFolder(dirname(path), durability);
    return removed;
  });
}
