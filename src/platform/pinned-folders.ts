/** Pins the folders that this process has opened and works in: ctx neither makes such a folder again nor writes to another one in its place. */
import { lstatSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { CtxError } from '../core/errors.ts';

/** The inodes that were found at each path. The inner folder is a second witness, since a file system reuses its inode numbers. */
const pinned = new Map<string, Pinned>();

interface Pinned {
  part: string;
  folder: string;
  inner: string;
}

/** Placeholder for the inode of a folder that may not be examined. */
const UNKNOWN = '?';

/** Returns the device and inode of a folder; empty if there is none. */
function inodeAt(path: string, look: typeof statSync | typeof lstatSync): string {
  try {
    const stat = look(path, { throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : '';
  } catch {
    return UNKNOWN;
  }
}

/** Follows a link to the folder itself; a link in the place of the inner folder is removed by a repair. */
const inodesOf = (path: string, part: string): [folder: string, inner: string] => [
  inodeAt(path, statSync),
  inodeAt(join(path, part), lstatSync),
];

/** Returns whether the folder is the one that was pinned. The inner folder may have been made since. */
function isSame(path: string, was: Pinned): boolean {
  const [folder, inner] = inodesOf(path, was.part);
  // If either could not be examined, nothing is known.
  if ([folder, inner, was.folder, was.inner].includes(UNKNOWN)) return true;
  return folder === was.folder && (was.inner === '' || inner === was.inner);
}

/** Pins the folder that is at a path now. @param part name of a folder in it that exists as long as it does */
export function pinFolder(path: string, part: string): void {
  const [folder, inner] = inodesOf(path, part);
  pinned.set(path, { part, folder, inner });
}

/** Unpins the folder at a path: another may be made there. */
export function unpinFolder(path: string): void {
  pinned.delete(path);
}

/** Refuses a path in a pinned folder that is gone or was replaced. @throws {CtxError} not_a_repository */
export function checkPinned(path: string): void {
  for (const [folder, was] of pinned)
    if ((path === folder || path.startsWith(folder + sep)) && !isSame(folder, was)) throw gone(folder);
}

/** Runs work on a pinned folder. The result does not count if the folder is gone afterwards. @throws {CtxError} not_a_repository */
export function whilePinned<Made>(folder: string, work: () => Made): Made {
  checkPinned(folder);
  try {
    return work();
  } finally {
    checkPinned(folder);
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
