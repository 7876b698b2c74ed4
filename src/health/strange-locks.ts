/** Finds entries in the place of ctx's locks that are no lock: no process holds them, none can take them, and none would leave them. */
import { lstatSync } from 'node:fs';
import { entriesOf } from '../git/guard.ts';
import type { Layout } from '../git/layout.ts';
import { setAside } from '../git/set-aside.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { LINES_LIMIT, removeFile } from '../platform/files.ts';
import { takeLock } from '../platform/lock.ts';

/** LOCK and the other files with that prefix: second locks, markers, temporary files; and Git's gc.pid, which ctx takes too. */
const OURS = /^(LOCK(\.|$)|gc\.pid$)/;

export interface StrangeLock {
  name: string;
  /** Description of the entry. */
  what: string;
}

/** Yields such entries; a real lock is always a small file. */
export function* strangeLocks({ root }: Layout): Generator<StrangeLock> {
  for (const { name } of entriesOf(root)) {
    const what = OURS.test(name) ? strangeness(below(root, name)) : null;
    if (what !== null) yield { name, what };
  }
}

function strangeness(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (!stat.isFile()) return stat.isDirectory() ? 'a folder' : 'no file';
  return stat.size > LINES_LIMIT ? 'a file far too large' : null;
}

/** Removes a pipe or a socket, which has no content and would block the reading of a folder; moves anything else into `lost/`. */
function clearAway(repository: Repository, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFIFO() || stat?.isSocket()) removeFile(path);
  else setAside(repository, path);
}

/**
 * Moves such entries into `lost/`; returns their names. Takes a lock of its own and looks again: after another process has
 * moved an entry, a living one may have its lock there.
 */
export function setStrangeLocksAside(repository: Repository): string[] {
  const { layout, lockWait: wait, ids, durability } = repository;
  if (strangeLocks(layout).next().done) return [];
  const release = takeLock({ path: `${layout.lock}.aside`, wait, ids, durability });
  try {
    const names = [...strangeLocks(layout)].map(({ name }) => name);
    for (const name of names) clearAway(repository, below(layout.root, name));
    return names;
  } finally {
    release();
  }
}
