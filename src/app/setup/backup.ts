/** What an install leaves beside an agent's file, so that an uninstall brings back what was there: a backup, and a mark. */
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { createFile, exists, readIfThere, removeEmptyFolder, removeFile } from '../../platform/files.ts';
import { readForeign } from '../../platform/foreign-file.ts';
import { textOf } from './text.ts';

const DURABLE = { fsync: true };

/** Names of backups are numbered: what has such a name already may be the user's own. */
const nameOf = (path: string, number: number): string => `${path}.ctx-backup${number === 0 ? '' : `.${number}`}`;

function namesOf(path: string): string[] {
  const names: string[] = [];
  for (let name = nameOf(path, 0); exists(name); name = nameOf(path, names.length)) names.push(name);
  return names;
}

/** What may have been in a file before an install, the latest first; what cannot be read as a text is no backup. */
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

/** The file for what is there now: one that says the same already, else one of a free name. */
export const backupFor = (path: string, content: string): string =>
  backupsOf(path).find(({ text }) => text === content)?.path ?? nameOf(path, namesOf(path).length);

/** Stands beside a file whose folder was not there before, and tells how many were made: they go with it. */
const markOf = (path: string): string => `${path}.ctx-created`;

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
