/** The folders of a mirror: where it may be, and which session each folder in it has. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists, listFolder, readIfThere } from '../../platform/files.ts';
import { withoutLinks } from '../setup/project-paths.ts';

/** The folder of conversations if none is named. */
export const CONVERSATIONS = 'conversations';

/** Folders that are Git's or ctx's own, in any spelling: some file systems ignore case. */
const OWN = new Set(['.git', '.ctx']);

/** Returns whether a folder is that of a Git repository itself, whatever its name is. */
const isGitFolder = (folder: string): boolean =>
  ['HEAD', 'objects', 'refs'].every((name) => exists(join(folder, name)));

/** Returns the folder of conversations. @throws {CtxError} invalid_input, if it is not below the project, or in a Git folder */
export function folderIn(project: string, given: string): string {
  const folder = resolve(project, given);
  const [top, real] = [withoutLinks(project), withoutLinks(folder)];
  const way = relative(top, real);
  const names = way.split(sep);
  const hint = `Name a folder of the project: ctx mirror ${CONVERSATIONS}`;
  if (way === '' || isAbsolute(way) || names[0] === '..')
    throw new CtxError('invalid_input', `${folder} is not below the project ${project}.`, { hint });
  const isOwn = (name: string, index: number): boolean =>
    OWN.has(name.toLowerCase()) || isGitFolder(join(top, ...names.slice(0, index + 1)));
  if (names.some(isOwn)) throw new CtxError('invalid_input', `${folder} is in a folder of Git or ctx.`, { hint });
  return folder;
}

/** Returns what a folder says of the session that it mirrors; null if it mirrors none, or cannot be read. */
export function mirroredIn(folder: string): JsonObject | null {
  try {
    const value = parseJson(readIfThere(join(folder, '.session', 'session.json'))?.toString('utf8') ?? '');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the folders below the project that may be mirrors: that of the settings, and all that were written. */
export function mirrorRoots({ project, settings }: Repository): string[] {
  const { conversations, mirrors } = settings;
  const names = [...new Set([conversations ?? CONVERSATIONS, CONVERSATIONS, ...mirrors])];
  return names.filter((name) => exists(join(project, name)));
}

const namesIn = (folder: string): string[] => {
  try {
    return exists(folder) ? listFolder(folder) : [];
  } catch {
    return [];
  }
};

/** The name that a session would get, and the day of its folder. */
export interface Named {
  id: string;
  day: string;
  name: string;
}

/**
 * Replaces the names of sessions whose folders have other ones: a folder keeps its name when the title or type of its session changes, and
 * people see the folder. Only folders that no session is named after are read.
 * @param names by the ids of the sessions
 */
export function useFolderNames(repository: Repository, sessions: readonly Named[], names: Map<string, string>): void {
  const roots = mirrorRoots(repository);
  if (roots.length === 0) return;
  const days = new Map<string, Named[]>();
  for (const named of sessions) {
    const others = days.get(named.day);
    if (others) others.push(named);
    else days.set(named.day, [named]);
  }
  for (const root of roots.toReversed())
    for (const [day, named] of days) {
      const folder = join(repository.project, root, day);
      const there = new Set(namesIn(folder));
      const odd = new Set(named.filter(({ name }) => !there.has(name)).map(({ id }) => id));
      if (there.size === 0 || odd.size === 0) continue;
      for (const { name } of named) there.delete(name);
      for (const name of there) {
        const id = mirroredIn(join(folder, name))?.['session_id'];
        if (typeof id === 'string' && odd.has(id)) names.set(id, name);
      }
    }
}
