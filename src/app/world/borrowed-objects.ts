/** Makes the objects that a snapshot shares with the repository of the user its own, so that they survive that repository's `git gc`. */
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../platform/files.ts';
import { onSnapshots, type Snapshots } from './private-git.ts';

/** A folder of loose objects is named by two hexadecimal digits. */
const FAN_OUT = /^[0-9a-f]{2}$/;

/** Number of loose objects up to which Git packs them with the others: reading a few takes less time than finding out which they are. */
const FEW = 5000;

/** Takes over the objects of a tree that are not among the own ones: many loose ones by a second name, packed ones in a pack. */
export function borrowObjects(snapshots: Snapshots, tree: string, borrowed: string): void {
  const objects = join(snapshots.folder, 'objects');
  const loose = looseIn(borrowed);
  const pack = (input: string, words: readonly string[] = []): void => {
    const line = ['pack-objects', '-q', '--window=0', ...words, join(objects, 'pack', 'pack')];
    onSnapshots(snapshots, line, { borrowed, input });
  };
  if (loose.size <= FEW) {
    pack(`${tree}\n`, ['--revs']);
    return;
  }
  const own = looseIn(objects);
  const listed = onSnapshots(snapshots, ['ls-tree', '-r', '-t', '-z', tree], { borrowed });
  const wanted = new Set([tree].filter((id) => !own.has(id)));
  for (const entry of listed.split('\0')) {
    const [, kind, id] = /^\d+ (\w+) ([0-9a-f]{40})/.exec(entry) ?? [];
    if (id !== undefined && kind !== 'commit' && !own.has(id)) wanted.add(id);
  }
  const made = new Set<string>();
  for (const oid of wanted) {
    if (!loose.has(oid)) continue;
    const folder = oid.slice(0, 2);
    if (!made.has(folder)) mkdirSync(join(objects, folder), { recursive: true, mode: 0o700 });
    made.add(folder);
    const [from, to] = [join(borrowed, folder, oid.slice(2)), join(objects, folder, oid.slice(2))];
    if (takeOver(from, to)) wanted.delete(oid);
  }
  if (wanted.size > 0) pack([...wanted, ''].join('\n'));
}

/** The ids of the loose objects in a folder of objects. */
function looseIn(objects: string): Set<string> {
  const ids = new Set<string>();
  for (const folder of readdirSync(objects))
    if (FAN_OUT.test(folder)) for (const name of readdirSync(join(objects, folder))) ids.add(folder + name);
  return ids;
}

/** Links a file, or copies it to another disk; false if it is gone. */
function takeOver(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return true;
    if (errorCode(error) === 'ENOENT') return false;
    const temporary = `${to.slice(0, -38)}tmp_obj_${process.pid}`;
    copyFileSync(from, temporary);
    renameSync(temporary, to);
  }
  return true;
}
