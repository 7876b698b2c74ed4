/** What opencode keeps its sessions in: a database, and before that a folder of files. Each session is read as an export. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseInfo,
  databaseMessages,
  isOpencodeDatabase,
  type SessionRow,
  sessionRows,
  tablesMadeIn,
} from '../../agents/opencode/database.ts';
import { opencode } from '../../agents/opencode/index.ts';
import { type StorageFiles, storedExport, storedInfo, storedSessions } from '../../agents/opencode/storage.ts';
import { type Export, exportLines } from '../../agents/opencode/unfold.ts';
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, textOf } from '../../core/json.ts';
import { LINE_LIMIT } from '../../core/lines.ts';
import { errorCode, exists, ioError } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';
import { SQLITE_MAGIC, withDatabase, withinDatabase, writeAheadLogOf } from '../../platform/sqlite.ts';
import { type ReadAt, tableNames } from '../../platform/sqlite-tables.ts';
import type { FileProblem } from '../ingest/file-problem.ts';
import type { Collected, Collection } from './collection.ts';
import { newShortener } from './lines.ts';
import { linesText, PIECE, type Recognised } from './text.ts';

/** How much is looked at for words that make tables, in bytes, where no list of them can be read. */
const TABLES = 4 * 1024 * 1024;

function recognised(file: string, id: string, exported: Export, written_at: number | null): Recognised {
  const lines = (): Iterable<string> => exportLines(exported);
  return { agent: opencode, agentSession: id, text: linesText(file, lines, written_at ?? 0) };
}

/** The names in a folder; none where there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw ioError('list', folder, error);
  }
}

/** The text of a file, shortened where it is longer than any line; null where even that is too long. */
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

/** When a file was last written, in Unix seconds; null where it is gone. */
function writtenAt(file: string): number | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? Math.floor(stat.mtimeMs / 1000) : null;
}

const filesIn = (folder: string): StorageFiles => ({
  list: (name) => namesIn(join(folder, name)),
  read: (name) => textIn(join(folder, name)),
});

function lookIntoFolder(folder: string): Collected[] | null {
  // One that cannot be looked into is named itself, and not what it might hold.
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

/** What the fields of a session tell of it; null where not the folder that it worked in. */
function aboutOf(id: string, info: JsonObject): ReturnType<NonNullable<Collected['about']>> {
  const cwd = textOf(info['directory']);
  return cwd ? { id, cwd, is_sub_agent: textOf(info['parentID']) !== undefined } : null;
}

/** A stretch of a file; null where nothing of it can be read. */
function stretchOf(file: string, offset: number, length: number): Buffer | null {
  for (const piece of readPieces(file, length, offset)) return piece;
  return null;
}

/** The first bytes of a file; empty where it cannot be read. */
const beginning = (file: string, size: number): string => stretchOf(file, 0, size)?.toString('latin1') ?? '';

/** The first bytes of the log beside a database: while opencode is running, its tables may be nowhere else. Empty where there is none. */
function beginningOfLog(file: string): string {
  const log = writeAheadLogOf(file);
  return exists(log) ? beginning(log, TABLES) : '';
}

function isOpencodes(file: string): boolean {
  if (beginning(file, SQLITE_MAGIC.length) !== SQLITE_MAGIC) return false;
  const read: ReadAt = (offset, length) => stretchOf(file, offset, length);
  if (isOpencodeDatabase(tableNames(read))) return true;
  // The list of one that is damaged may be lost: that it cannot be read is told of it, and not that it is unknown.
  return isOpencodeDatabase(tablesMadeIn(beginning(file, TABLES) + beginningOfLog(file)));
}

function lookIntoDatabase(file: string): Collected[] | null {
  if (!isOpencodes(file)) return null;
  const sessions = withDatabase(file, sessionRows);
  if (!sessions) throw noSqlite(file);
  return sessions.map((session) => ({
    file: `${file}#${session.id}`,
    written_at: session.written_at,
    about: () => aboutOf(session.id, databaseInfo(session)),
    open: () => fromDatabase(file, session),
  }));
}

function fromDatabase(file: string, session: SessionRow): Recognised {
  const messages = (): Iterable<JsonObject> => withinDatabase(file, (ask) => databaseMessages(ask, session.id));
  const exported = { fields: { info: databaseInfo(session) }, messages };
  return recognised(`${file}#${session.id}`, session.id, exported, session.written_at);
}

const noSqlite = (file: string): CtxError =>
  new CtxError('invalid_input', `${file} is a database of opencode, and Node ${process.version} reads no databases.`, {
    data: { needs: 'node:sqlite' },
    hint: 'Export a session (opencode export <id> > session.json) and ingest that, or run ctx with Node 22.13 or later.',
  });

/** opencode's own folder of files, and its database. */
export const opencodeCollection: Collection = {
  agent: opencode.name,
  look: (path, isFolder) => (isFolder ? lookIntoFolder(path) : lookIntoDatabase(path)),
};
