/** Reads opencode's database: each session as an export; what cannot be read is reported. */
import { basename } from 'node:path';
import { databaseInfo, databaseMessages, type SessionRow, sessionRows } from '../../agents/opencode/database.ts';
import { opencode } from '../../agents/opencode/index.ts';
import {
  isNamedAsDatabase,
  isOpencodeDatabase,
  isPerhapsOpencodes,
  tablesMadeIn,
  unreadTables,
} from '../../agents/opencode/tables.ts';
import { type Export, exportLines } from '../../agents/opencode/unfold.ts';
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, textOf } from '../../core/json.ts';
import { exists } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';
import { type Ask, SQLITE_MAGIC, withDatabase, withinDatabase, writeAheadLogOf } from '../../platform/sqlite.ts';
import { hasNoTables, type ReadAt, tableNames } from '../../platform/sqlite-tables.ts';
import type { Collected } from './collection.ts';
import { linesText, type Recognised } from './text.ts';

/** Number of bytes that are searched for statements that create tables if the list of tables cannot be read. */
const TABLES = 4 * 1024 * 1024;

/** Reads a range of a file; null if nothing of it can be read. */
function stretchOf(file: string, offset: number, length: number): Buffer | null {
  for (const piece of readPieces(file, length, offset)) return piece;
  return null;
}

/** Reads the first bytes of a file; empty if it has none. */
const beginning = (file: string, size: number): string => stretchOf(file, 0, size)?.toString('latin1') ?? '';

/**
 * Reads the first bytes of the log beside a database: while opencode is running, its tables may be nowhere else. Empty
 * if there is none.
 */
function beginningOfLog(file: string): string {
  const log = writeAheadLogOf(file);
  return exists(log) ? beginning(log, TABLES) : '';
}

const namesOfTables = (ask: Ask): Set<string> =>
  new Set(ask('SELECT name FROM sqlite_master WHERE type = ?', 'table').map(({ name }) => String(name)));

/** Returns the tables of a database, as far as they are known without opening it. */
function tablesOf(file: string): Set<string> {
  const read: ReadAt = (offset, length) => stretchOf(file, offset, length);
  const listed = tableNames(read);
  if (isOpencodeDatabase(listed)) return listed;
  // The list of tables may be lost in a damaged database: then the error says that the database cannot be read, and not
  // that it is unknown.
  return new Set([...listed, ...tablesMadeIn(beginning(file, TABLES) + beginningOfLog(file))]);
}

/**
 * Returns the sessions of a database; null if it is not opencode's. A new database has none.
 * @throws {CtxError} invalid_input, if it is opencode's and cannot be read here; io
 */
export function lookIntoDatabase(file: string): Collected[] | null {
  const isNamed = isNamedAsDatabase(basename(file));
  if (beginning(file, SQLITE_MAGIC.length) !== SQLITE_MAGIC) return null;
  const found = tablesOf(file);
  if (!isOpencodeDatabase(found)) {
    if (!isNamed) return null;
    const tables = allTables(file, found);
    if (tables.size === 0) return [];
    if (!isOpencodeDatabase(tables)) return refuseOrLeave(file, tables);
  }
  return sessionsIn(file);
}

/**
 * Lists the tables of a database, by opening it if this Node can.
 * @throws {CtxError} invalid_input, if it is damaged; io, also if it is locked
 */
function allTables(file: string, found: ReadonlySet<string>): ReadonlySet<string> {
  const tables = withDatabase(file, namesOfTables);
  if (tables) return tables;
  if (found.size === 0 && isDamaged(file)) throw damaged(file);
  return found;
}

/**
 * Returns null for a database of another program that has the name of opencode's.
 * @throws {CtxError} invalid_input, if it may be opencode's
 */
function refuseOrLeave(file: string, tables: ReadonlySet<string>): null {
  if (basename(file) === 'opencode.db' || isPerhapsOpencodes(tables)) throw newerForm(file, [...tables]);
  return null;
}

function sessionsIn(file: string): Collected[] {
  const found = withDatabase(file, (ask) => ({ sessions: sessionRows(ask), unread: unreadIn(ask) }));
  if (!found) throw noSqlite(file);
  const collected = found.sessions.map((session): Collected => {
    return {
      file: `${file}#${session.id}`,
      written_at: session.written_at,
      about: () => aboutOf(session.id, databaseInfo(session)),
      open: () => fromDatabase(file, session),
    };
  });
  return found.unread.length === 0 ? collected : [...collected, notRead(file, laterTables(file, found.unread))];
}

/** Returns whether a database has no list of tables, not even an empty one. */
function isDamaged(file: string): boolean {
  const read: ReadAt = (offset, length) => stretchOf(file, offset, length);
  return !hasNoTables(read);
}

/** Lists tables that look like sessions or messages, are not empty, and are not read. */
const unreadIn = (ask: Ask): string[] =>
  unreadTables(namesOfTables(ask)).filter((table) => ask(`SELECT 1 FROM "${table}" LIMIT 1`).length > 0);

/** Represents what is not read of a database: opening it throws the reason. */
function notRead(file: string, why: CtxError): Collected {
  const refuse = (): never => {
    throw why;
  };
  return { file, written_at: null, about: refuse, open: refuse };
}

function fromDatabase(file: string, session: SessionRow): Recognised {
  const messages = (): Iterable<JsonObject | string> =>
    withinDatabase<JsonObject | string>(file, (ask) => databaseMessages(ask, session));
  const exported = { fields: { info: databaseInfo(session) }, messages };
  return recognised(`${file}#${session.id}`, session.id, exported, session.written_at);
}

const EXPORT = 'Export a session (opencode export <id> > session.json) and ingest that';

const noSqlite = (file: string): CtxError =>
  new CtxError('invalid_input', `${file} is a database of opencode, and Node ${process.version} reads no databases.`, {
    data: { needs: 'node:sqlite' },
    hint: `${EXPORT}, or run ctx with Node 22.13 or later.`,
  });

/** Most names of tables that are listed. */
const LISTED = 5;

function listed(tables: readonly string[]): string {
  const names = [...tables].sort();
  return names.slice(0, LISTED).join(', ') + (names.length > LISTED ? ', …' : '');
}

const newer = (message: string): CtxError =>
  new CtxError('invalid_input', message, { data: { unread: 'newer' }, hint: `${EXPORT}, or upgrade ctx.` });

const newerForm = (file: string, tables: readonly string[]): CtxError =>
  newer(`${file} is a database of opencode in a form that this ctx does not know (tables: ${listed(tables)}).`);

const laterTables = (file: string, tables: readonly string[]): CtxError =>
  newer(`${file} has tables of opencode that this ctx does not read: ${listed(tables)}.`);

const damaged = (file: string): CtxError =>
  new CtxError('invalid_input', `${file} is a damaged database: it has no list of tables.`, {
    data: { unread: 'damaged' },
    hint: 'Look at the file, or move it away.',
  });

export function recognised(file: string, id: string, exported: Export, written_at: number | null): Recognised {
  const lines = (): Iterable<string> => exportLines(exported);
  return { agent: opencode, agentSession: id, text: linesText(file, lines, written_at ?? 0) };
}

/** Returns what the fields of a session say about it; null unless they name the folder that it worked in. */
export function aboutOf(id: string, info: JsonObject): ReturnType<NonNullable<Collected['about']>> {
  const cwd = textOf(info['directory']);
  return cwd ? { id, cwd, is_sub_agent: textOf(info['parentID']) !== undefined } : null;
}
