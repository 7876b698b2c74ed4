/** The paths of a project: as it was given, without links, and by the way that the user came; and which folders are in it. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { findStore } from '../../history/store/repository.ts';

/** A folder's path as it was given, and the one without links: an agent may have been told either. */
export function pathsOf(project: string): string[] {
  const path = resolve(project);
  return [...new Set([path, withoutLinks(path)])];
}

/**
 * The same with the path by which the user came here, where that has links: the system tells a program none, the shell does.
 * @param shell the folder that the shell is in, by its own word
 */
export function waysTo(project: string, shell: string | undefined): string[] {
  const paths = pathsOf(project);
  if (shell === undefined || !isAbsolute(shell)) return paths;
  const below = relative(withoutLinks(resolve(project)), withoutLinks(shell));
  const end = below === '' ? '' : sep + below;
  const isBelow = shell.endsWith(end);
  return isBelow ? [...new Set([...paths, shell.slice(0, shell.length - end.length)])] : paths;
}

/** A path without links, as far as there is anything. */
export function withoutLinks(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    try {
      return resolve(realpathSync(there), relative(there, path));
    } catch {
      if (dirname(there) === there) return path;
    }
  }
}

/** Whether a folder is in a project that has these paths, and in none below it that has a store of its own. */
export function isInProject(folder: string, projects: readonly string[]): boolean {
  // One of another machine is no path here.
  const real = isAbsolute(folder) ? withoutLinks(folder) : folder;
  if (!isWithin(folder, projects) && !isWithin(real, projects)) return false;
  const store = findStore(real);
  return store === null || !isWithin(dirname(store), projects) || projects.includes(dirname(store));
}

/** Whether there is such a folder, with another store than this one: that answers for what ran there. */
export function isKeptElsewhere(folder: string, root: string): boolean {
  if (!isAbsolute(folder) || !isFolder(folder)) return false;
  const store = findStore(folder);
  return store !== null && withoutLinks(store) !== withoutLinks(resolve(root));
}

/** Whether a path leads to a folder, links followed. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not ours to look into.
    return false;
  }
}
