/** Folders that this process has opened and works in: none of them is ever made again, nor is another in its place written into. */
import { lstatSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { CtxError } from '../core/errors.ts';

/** What was found at each path. A part of the folder is a second witness, since a file system gives its numbers away again. */
const held = new Map<string, Held>();

interface Held {
  part: string;
  folder: string;
  inner: string;
}

/** Stands for a folder that may not be looked at. */
const UNKNOWN = '?';

/** Empty if there is no folder. */
function inodeAt(path: string, look: typeof statSync | typeof lstatSync): string {
  try {
    const stat = look(path, { throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : '';
  } catch {
    return UNKNOWN;
  }
}

/** The folder may be reached by a link; a link in the place of its part is a repair's to remove. */
const inodesOf = (path: string, part: string): [folder: string, inner: string] => [
  inodeAt(path, statSync),
  inodeAt(join(path, part), lstatSync),
];

/** The part that was not there at first may have been made since. */
function isSame(path: string, was: Held): boolean {
  const [folder, inner] = inodesOf(path, was.part);
  // What could not be looked at, then or now, tells nothing.
  if ([folder, inner, was.folder, was.inner].includes(UNKNOWN)) return true;
  return folder === was.folder && (was.inner === '' || inner === was.inner);
}

/** Remembers the folder that is at a path now. @param part name of a folder in it that stays as long as it does */
export function holdFolder(path: string, part: string): void {
  const [folder, inner] = inodesOf(path, part);
  held.set(path, { part, folder, inner });
}

/** Forgets the folder at a path: another may be made there. */
export function letFolderGo(path: string): void {
  held.delete(path);
}

/** Refuses a path that is, or lies in, a held folder which is gone, or in whose place there is another. @throws {CtxError} not_a_repository */
export function checkHeld(path: string): void {
  for (const [folder, was] of held)
    if ((path === folder || path.startsWith(folder + sep)) && !isSame(folder, was)) throw gone(folder);
}

/**
 * Runs work on a held folder. Whatever the work says does not count if that folder is gone afterwards.
 * @throws {CtxError} not_a_repository
 */
export function whileHeld<Made>(folder: string, work: () => Made): Made {
  checkHeld(folder);
  try {
    return work();
  } finally {
    checkHeld(folder);
  }
}

const gone = (folder: string): CtxError =>
  new CtxError(
    'not_a_repository',
    `The store at ${folder} was moved away, removed or replaced while this command ran; the command made no other.`,
    {
      hint: 'Nothing is certain to have been kept. Look there, or in the folder that has the store now, with: ctx -C <folder> stage status',
    },
  );
