/** Keeps what an uninstall needs to restore an agent's file: a backup, and a mark for folders that were created. */
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { createFile, exists, readIfThere, removeEmptyFolder, removeFile } from '../../platform/files.ts';
import { readForeign } from '../../platform/foreign-file.ts';
import { textOf } from './hook-text.ts';

const DURABLE = { fsync: true };

/** Returns the name of a backup; backups are numbered, since an existing file of that name may be the user's own. */
const nameOf = (path: string, number: number): string => `${path}.ctx-backup${number === 0 ? '' : `.${number}`}`;

function namesOf(path: string): string[] {
  const names: string[] = [];
  for (let name = nameOf(path, 0); exists(name); name = nameOf(path, names.length)) names.push(name);
  return names;
}

/** Returns what may have been in a file before an install, the latest first; a backup that is not text is skipped. */
export function backupsOf(path: string): { path: string; text: string }[] {
  const backups = namesOf(path).flatMap((name) => {
    try {
      const text = textOf(readForeign(name));
      return text === undefined ? [] : [{ path: name, text }];
    } catch (error) {
      if (error instanceof CtxError) return [];
      throw error;
    }
  });
  return backups.reverse();
}

/** Returns the backup file for a content: one that has the same content already, else one of a free name. */
export const backupFor = (path: string, content: string): string =>
  backupsOf(path).find(({ text }) => text === content)?.path ?? nameOf(path, namesOf(path).length);

/**
 * Returns the path of the mark beside a file that says how many folders were created for it: an uninstall removes them.
 */
const markOf = (path: string): string => `${path}.ctx-created`;

/** Counts the folders above a file that do not exist. */
function missingAbove(file: string): number {
  let missing = 0;
  for (let folder = dirname(file); !exists(folder); folder = dirname(folder)) missing += 1;
  return missing;
}

/** Records which folders will be created for a file. */
export function markCreatedFolders(file: string): void {
  const made = missingAbove(file);
  if (made > 0) createFile(markOf(file), `${made}\n`, DURABLE);
}

/** Removes the folders that were created for a file, and their mark. */
export function removeCreatedFolders(file: string): void {
  const mark = readIfThere(markOf(file), 1024)?.toString('utf8');
  if (mark === undefined) return;
  removeFile(markOf(file));
  let folder = dirname(file);
  // An earlier version created one and left the mark empty.
  for (let left = Number(mark) || 1; left > 0; left -= 1) {
    removeEmptyFolder(folder);
    folder = dirname(folder);
  }
}
