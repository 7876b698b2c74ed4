/** What stands in the place of a lock of ours and is none: nobody holds it, nothing can take it, and no holder would ever leave it. */
import { lstatSync } from 'node:fs';
import { entriesOf } from '../git/guard.ts';
import type { Layout } from '../git/layout.ts';
import { setAside } from '../git/set-aside.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { LINES_LIMIT, removeFile } from '../platform/files.ts';
import { takeLock } from '../platform/lock.ts';

/** LOCK, and all that lies beside it under that name: second locks, markers, what is about to become one; and Git's gc.pid, which ctx takes too. */
const OURS = /^(LOCK(\.|$)|gc\.pid$)/;

export interface StrangeLock {
  name: string;
  /** What stands there, in words. */
  what: string;
}

/** A holder's lock is a small file, always. */
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

/** A pipe or a socket holds nothing that could be kept, and nobody could look into a folder that has one. */
function clearAway(repository: Repository, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFIFO() || stat?.isSocket()) removeFile(path);
  else setAside(repository, path);
}

/**
 * Sets such things aside in `lost/`; gives their names. Whoever does so has a lock of its own, and looks again: in the place of
 * what another one has just set aside a living process may have its lock by now.
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
