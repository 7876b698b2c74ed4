/** What an install leaves beside an agent's file, so that an uninstall brings back what was there: a backup, and a mark. */
import { dirname } from 'node:path';
import { createFile, exists, readIfThere, removeEmptyFolder, removeFile, renameDurably } from '../../platform/files.ts';
import { copyForeign, type ForeignFile, readForeign } from '../../platform/foreign-file.ts';
import { sha1 } from '../../platform/hash.ts';
import type { IdSource } from '../../platform/ids.ts';

const DURABLE = { fsync: true };

/** The file that has what was there before the install. */
export const backupOf = (path: string): string => `${path}.ctx-backup`;
/** Stands beside a file whose folder was not there before, and tells how many were made: they go with it. */
const markOf = (path: string): string => `${path}.ctx-created`;

/** Makes sure that what is there now can be had back: an older backup that says something else is kept under another name. */
export function backUp(file: ForeignFile, ids: IdSource): void {
  const backup = backupOf(file.path);
  const older = readForeign(backup).content;
  if (older && file.content?.equals(older)) return;
  if (older) renameDurably(backup, `${backup}.${sha1(older).slice(0, 8)}`, DURABLE);
  if (file.content) copyForeign(file, backup, ids);
}

/** How many of the folders that a file lies in are not there. */
function missingAbove(file: string): number {
  let missing = 0;
  for (let folder = dirname(file); !exists(folder); folder = dirname(folder)) missing += 1;
  return missing;
}

/** Remembers which folders are made for a file, before they are. */
export function markMade(file: string): void {
  const made = missingAbove(file);
  if (made > 0) createFile(markOf(file), `${made}\n`, DURABLE);
}

/** Removes the folders that were made for a file, and the mark that tells so. */
export function removeMade(file: string): void {
  const mark = readIfThere(markOf(file), 1024)?.toString('utf8');
  if (mark === undefined) return;
  removeFile(markOf(file));
  let folder = dirname(file);
  // An earlier version made one, and said nothing.
  for (let left = Number(mark) || 1; left > 0; left -= 1) {
    removeEmptyFolder(folder);
    folder = dirname(folder);
  }
}
