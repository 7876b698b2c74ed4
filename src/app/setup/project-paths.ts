/** Computes the paths of a project (as given, without links, as the shell has it), and which folders belong to it. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { findStore } from '../../history/store/repository.ts';

/** Returns a folder's path as given, and the one without links: an agent may know either. */
export function pathsOf(project: string): string[] {
  const path = resolve(project);
  return [...new Set([path, withoutLinks(path)])];
}

/**
 * Returns the paths of a project with the one that the user's shell shows, if that has links: the system hides them
 * from a program.
 * @param shell the folder that the shell says it is in
 */
export function pathsWithShell(project: string, shell: string | undefined): string[] {
  const paths = pathsOf(project);
  if (shell === undefined || !isAbsolute(shell)) return paths;
  const below = relative(withoutLinks(resolve(project)), withoutLinks(shell));
  const end = below === '' ? '' : sep + below;
  const isBelow = shell.endsWith(end);
  return isBelow ? [...new Set([...paths, shell.slice(0, shell.length - end.length)])] : paths;
}

/** Resolves the links of a path, as far as the path exists. */
export function withoutLinks(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    try {
      return resolve(realpathSync(there), relative(there, path));
    } catch {
      if (dirname(there) === there) return path;
    }
  }
}

/** Returns whether a folder is in a project of these paths, and in no project below it that has a store of its own. */
export function isInProject(folder: string, projects: readonly string[]): boolean {
  // A folder of another machine is no path here.
  const real = isAbsolute(folder) ? withoutLinks(folder) : folder;
  if (!isWithin(folder, projects) && !isWithin(real, projects)) return false;
  const store = findStore(real);
  return store === null || !isWithin(dirname(store), projects) || projects.includes(dirname(store));
}

/** Returns whether a folder exists and belongs to another store than this one. */
export function hasOtherStore(folder: string, root: string): boolean {
  if (!isAbsolute(folder) || !isFolder(folder)) return false;
  const store = findStore(folder);
  return store !== null && withoutLinks(store) !== withoutLinks(resolve(root));
}

/** Returns whether a path leads to a folder, links followed. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // It may not be read.
    return false;
  }
}
