/** opencode's storage: a database, formerly a folder of files. Each session is read as an export. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { opencode } from '../../agents/opencode/index.ts';
import { type StorageFiles, storedExport, storedInfo, storedSessions } from '../../agents/opencode/storage.ts';
import { CtxError } from '../../core/errors.ts';
import { LINE_LIMIT } from '../../core/lines.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';
import type { Collected, Collection } from './collection.ts';
import type { FileProblem } from './file-problem.ts';
import { newShortener } from './lines.ts';
import { aboutOf, lookIntoDatabase, recognised } from './opencode-database.ts';
import { PIECE, type Recognised } from './text.ts';

/** Lists the names in a folder; none if there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw ioError('list', folder, error);
  }
}

/** Reads a file, shortened if it is longer than any line; null if even the shortened text is too long. */
function textIn(file: string): string | null {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`);
    return stat.size > LINE_LIMIT ? shortTextIn(file) : readFileSync(file, 'utf8');
  } catch (error) {
    throw ioError('read', file, error);
  }
}

function shortTextIn(file: string): string | null {
  const shortener = newShortener();
  for (const piece of readPieces(file, PIECE)) shortener.push(piece);
  return shortener.end()?.toString('utf8') ?? null;
}

/** Returns when a file was last written, in Unix seconds; null if it is gone. */
function writtenAt(file: string): number | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? Math.floor(stat.mtimeMs / 1000) : null;
}

const filesIn = (folder: string): StorageFiles => ({
  list: (name) => namesIn(join(folder, name)),
  read: (name) => textIn(join(folder, name)),
});

function lookIntoFolder(folder: string): Collected[] | null {
  // A folder that cannot be listed is reported itself, and not what it might hold.
  if (!namesIn(folder).includes('session')) return null;
  const sessions = storedSessions(filesIn(folder));
  if (sessions.length === 0) return null;
  return sessions.map((session): Collected => {
    const file = join(folder, session.file);
    const written_at = writtenAt(file);
    const open = (): Recognised => {
      const exported = storedExport(filesIn(folder), session);
      const unreadable = (): FileProblem[] =>
        [...exported.unreadable].map(([name, message]) => ({ file: join(folder, name), line: null, message }));
      return { ...recognised(file, session.id, exported, written_at), unreadable };
    };
    return { file, written_at, about: () => aboutOf(session.id, storedInfo(filesIn(folder), session)), open };
  });
}

/** opencode's own folder of files, and its database. */
export const opencodeCollection: Collection = {
  agent: opencode.name,
  look: (path, isFolder) => (isFolder ? lookIntoFolder(path) : lookIntoDatabase(path)),
};
