/** Brings mirrored sessions up to date after something was forgotten: the files of a mirror are ctx's own, and must not keep it. */
import { basename, dirname, join, relative, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { SessionRow } from '../../core/listing/row.ts';
import { readChain } from '../../history/chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists, listFolder, removeEmptyFolder, removeFile, renameDurably } from '../../platform/files.ts';
import { folderIn, mirroredIn, mirrorRoots } from '../resume/mirror-folders.ts';
import { DEFAULT_TYPE, namesOf, slugOf } from '../resume/resumable.ts';
import { listAllSessions } from '../sessions.ts';
import { writeSession } from './mirror.ts';

export interface Refreshed {
  /** The folders of sessions that were written again, below the project. */
  folders: string[];
  /** Problems of the refresh, a sentence each. */
  problems: string[];
}

/**
 * Writes mirrored sessions again, in the folders of the settings and in the usual one. A folder that is named after a former title gets
 * the name of the present one.
 */
export function refreshMirrors(repository: Repository): Refreshed {
  const refreshed: Refreshed = { folders: [], problems: [] };
  const roots = mirrorRoots(repository);
  if (roots.length === 0) return refreshed;
  const { sessions } = listAllSessions(repository);
  const names = namesOf(sessions);
  for (const name of roots) {
    try {
      const root = folderIn(repository.project, name);
      for (const folder of foldersBelow(root)) {
        const id = mirroredIn(folder)?.['session_id'];
        const row = sessions.find(({ session_id }) => session_id === id);
        const now = row
          ? refreshOne(repository, row, folder, names.get(row.session_id) as string)
          : removeForgotten(repository, id, folder);
        if (now !== null) refreshed.folders.push(relative(repository.project, now).split(sep).join('/'));
      }
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      refreshed.problems.push(
        `The mirror ${name} may hold it: ${error.message} Write it again with: ctx mirror ${name}`,
      );
    }
  }
  return refreshed;
}

/** Returns the folders that may be those of sessions: two levels below that of a mirror. */
const foldersBelow = (root: string): string[] =>
  listFolder(root)
    .filter((day) => /^\d{4}-\d\d-\d\d$/.test(day))
    .map((day) => join(root, day))
    .flatMap((day) => listFolder(day).map((name) => join(day, name)));

/** Writes one session again. @returns its folder; null if nothing of it has changed */
function refreshOne(repository: Repository, row: SessionRow, folder: string, name: string): string | null {
  const written = writeSession(repository, row, folder);
  if (written === null || written.changed.length === 0) return null;
  const [, number, rest] = /^(\d+)-(.*)$/s.exec(basename(folder)) ?? [];
  const now = name.replace(/^\d+-/, '');
  const target = join(dirname(folder), `${number}-${now}`);
  if (rest === undefined || rest === now || exists(target)) return folder;
  renameDurably(folder, target, repository.durability);
  return target;
}

/** Removes what mirrors a session that was forgotten before it ended: no list has it. @returns its folder; null if it is none */
function removeForgotten({ project, refs, objects }: Repository, id: unknown, folder: string): string | null {
  const head =
    typeof id === 'string' && isSessionId(id) ? (refs.read(sessionRef(id)) ?? refs.read(archiveRef(id))) : null;
  if (head === null || readChain(objects, head).session.forgotten_at === undefined) return null;
  folderIn(project, folder);
  const type = mirroredIn(folder)?.['type'];
  const name = `${slugOf(typeof type === 'string' ? type : DEFAULT_TYPE)}.md`;
  for (const path of [name, '.session/messages.jsonl', '.session/session.json']) removeFile(join(folder, path));
  for (const path of [join(folder, '.session'), folder]) removeEmptyFolder(path);
  return folder;
}
