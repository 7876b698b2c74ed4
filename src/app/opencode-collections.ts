/** What opencode keeps its sessions in: a database, and before that a folder of files. Each session is read as an export. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseExport, isOpencodeDatabase, type SessionRow, sessionRows } from '../agents/opencode/database.ts';
import { opencode } from '../agents/opencode/index.ts';
import { type StorageFiles, storedExport, storedSessions } from '../agents/opencode/storage.ts';
import { unfoldExport } from '../agents/opencode/unfold.ts';
import { CtxError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { errorCode, ioError } from '../platform/files.ts';
import { readPieces } from '../platform/pieces.ts';
import { SQLITE_MAGIC, withDatabase } from '../platform/sqlite.ts';
import type { Collected, Collection } from './collection.ts';
import { DOCUMENT_LIMIT, linesText, type Recognised, tooLargeDocument } from './transcript-text.ts';

/** How much of a database is looked at for the names of its tables, in bytes. */
const TABLES = 4 * 1024 * 1024;

function recognised(file: string, id: string, document: JsonObject, written_at: number | null): Recognised {
  const lines = unfoldExport(JSON.stringify(document)) ?? [];
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

/** @param most bytes that it may have */
function bytesIn(file: string, most: number): Buffer {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`);
    if (stat.size > most) throw tooLargeDocument(file);
    return readFileSync(file);
  } catch (error) {
    throw ioError('read', file, error);
  }
}

/** When a file was last written, in Unix seconds; null where it is gone. */
function writtenAt(file: string): number | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? Math.floor(stat.mtimeMs / 1000) : null;
}

/** The files of one session: together they become one document. */
function filesIn(folder: string): StorageFiles {
  let left = DOCUMENT_LIMIT;
  const read = (name: string): string => {
    const bytes = bytesIn(join(folder, name), left);
    left -= bytes.length;
    return bytes.toString('utf8');
  };
  return { list: (name) => namesIn(join(folder, name)), read };
}

function lookIntoFolder(folder: string): Collected[] | null {
  const sessions = storedSessions(filesIn(folder));
  if (sessions.length === 0) return null;
  return sessions.map((session): Collected => {
    const file = join(folder, session.file);
    const written_at = writtenAt(file);
    const open = (): Recognised => {
      const { document, unreadable } = storedExport(filesIn(folder), session);
      const read = recognised(file, session.id, document, written_at);
      return unreadable.length === 0 ? read : { ...read, unreadable: unreadable.map((name) => join(folder, name)) };
    };
    return { file, written_at, open };
  });
}

/** The first bytes of a file; empty where it cannot be read. */
function beginning(file: string, size: number): string {
  for (const piece of readPieces(file, size)) return piece.toString('latin1');
  return '';
}

function lookIntoDatabase(file: string): Collected[] | null {
  if (beginning(file, SQLITE_MAGIC.length) !== SQLITE_MAGIC) return null;
  if (!isOpencodeDatabase(beginning(file, TABLES))) return null;
  const sessions = withDatabase(file, sessionRows);
  if (!sessions) throw noSqlite(file);
  return sessions.map((session) => ({
    file: `${file}#${session.id}`,
    written_at: session.written_at,
    open: () => fromDatabase(file, session),
  }));
}

function fromDatabase(file: string, session: SessionRow): Recognised {
  const document = withDatabase(file, (query) => databaseExport(query, session));
  if (!document) throw noSqlite(file);
  return recognised(`${file}#${session.id}`, session.id, document, session.written_at);
}

const noSqlite = (file: string): CtxError =>
  new CtxError('invalid_input', `${file} is a database of opencode, and Node ${process.version} reads no databases.`, {
    hint: 'Export a session (opencode export <id> > session.json) and ingest that, or run ctx with Node 22.13 or later.',
  });

/** opencode's own folder of files, and its database. */
export const opencodeCollection: Collection = {
  agent: opencode.name,
  look: (path, isFolder) => (isFolder ? lookIntoFolder(path) : lookIntoDatabase(path)),
};
