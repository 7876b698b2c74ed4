/** Finds the folder from whose path an agent has made a name: several paths may give one name. */
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nameOfPath } from '../../agents/contract/transcript-places.ts';
import { namesIn } from './other-transcript.ts';

/** Most folders that are listed for one name: only those whose own paths it begins with. */
const LISTED = 500;

/**
 * Returns the folder of a name: one of the known folders, else the only one there is.
 * @returns undefined if there is none, or more than one
 */
export function folderNamed(name: string, known: readonly string[]): string | undefined {
  const wanted = nameOfPath(name);
  return known.find((folder) => nameOfPath(folder) === wanted) ?? onlyFolderNamed(wanted);
}

function onlyFolderNamed(name: string): string | undefined {
  /** Folders that the name begins with, and the rest of the name below each. */
  const open: [folder: string, rest: string][] = [[resolve('/'), name]];
  const found = new Map<string, string>();
  for (let listed = 0; open.length > 0; listed += 1) {
    if (listed === LISTED) return undefined;
    const [folder, rest] = open.pop() as [string, string];
    for (const entry of namesIn(folder)) {
      const part = nameOfPath(entry);
      const path = join(folder, entry);
      const place = rest === part ? folderAt(path) : null;
      if (place !== null) found.set(place, path);
      if (part !== '' && rest.startsWith(`${part}-`)) open.push([path, rest.slice(part.length + 1)]);
    }
  }
  const [only, other] = found.values();
  return other === undefined ? only : undefined;
}

/** Returns the path of a folder without links; null if there is none. */
function folderAt(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : null;
  } catch {
    return null;
  }
}
