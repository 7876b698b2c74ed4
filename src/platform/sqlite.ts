/** Reads SQLite databases if this Node can: loaded only when one is opened, and never written to. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError } from './files.ts';

/** The part of `node:sqlite` that is used. */
interface Database {
  prepare: (sql: string) => { all: (...values: string[]) => Record<string, unknown>[] };
  close: () => void;
}
interface Sqlite {
  DatabaseSync: new (path: string | URL, options: { readOnly: boolean; timeout?: number }) => Database;
}

/** The first bytes of every SQLite database. */
export const SQLITE_MAGIC = 'SQLite format 3\0';

/** Returns the path of the write-ahead log of a database. */
export const writeAheadLogOf = (path: string): string => `${path}-wal`;

/** Loads `node:sqlite`; returns null if this Node has none. */
function load(): Sqlite | null {
  const { emitWarning } = process;
  // Suppresses Node's warning that the module is experimental, which does not concern users of ctx.
  process.emitWarning = () => {};
  try {
    return (process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Returns whether this Node reads databases. */
export function hasSqlite(): boolean {
  return load() !== null;
}

/** Returns the path of the rollback journal of a database. */
const journalOf = (path: string): string => `${path}-journal`;

/**
 * Returns where to open a database. One that no process has open is opened as immutable: otherwise SQLite would leave files
 * beside it, even if it only reads.
 */
function placeOf(path: string): string | URL {
  if (existsSync(writeAheadLogOf(path)) || existsSync(journalOf(path))) return path;
  const place = pathToFileURL(path);
  place.search = '?immutable=1';
  return place;
}

/** Longest wait for a lock, in milliseconds: a program that closes a database holds it for a moment. */
const PATIENCE = 500;

function open(sqlite: Sqlite, path: string): Database {
  try {
    return new sqlite.DatabaseSync(placeOf(path), { readOnly: true, timeout: PATIENCE });
  } catch (error) {
    // The first versions accept only a path.
    if (errorCode(error) !== 'ERR_INVALID_ARG_TYPE') throw error;
    return new sqlite.DatabaseSync(path, { readOnly: true });
  }
}

/** Makes the CtxError for a failure, with SQLite's own message if there is one: a lock, damage, an absent column. */
function whyNot(path: string, error: unknown): CtxError {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR') return ioError('read', path, error);
  const { message } = error as Error;
  const hint = /locked|busy/.test(message) ? 'Close the program that holds it, then run the command again.' : undefined;
  return new CtxError('io', `Cannot read ${path}: ${message}`, { hint, cause: error });
}

/** Runs a query; each statement is prepared once. */
export type Ask = (sql: string, ...values: string[]) => Record<string, unknown>[];

function asking(database: Database): Ask {
  const prepared = new Map<string, ReturnType<Database['prepare']>>();
  return (sql, ...values) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  };
}

/**
 * Keeps a database open while the values of `use` are consumed; yields nothing if this Node has no SQLite.
 * @throws {CtxError} io, if it cannot be read
 */
export function* withinDatabase<Value>(path: string, use: (ask: Ask) => Iterable<Value>): Generator<Value> {
  const sqlite = load();
  if (!sqlite) return;
  let database: Database | null = null;
  try {
    database = open(sqlite, path);
    yield* use(asking(database));
  } catch (error) {
    throw errorCode(error) === '' ? error : whyNot(path, error);
  } finally {
    database?.close();
  }
}

/** Runs one query on a database; returns null if this Node has no SQLite. @throws {CtxError} io */
export function withDatabase<Value>(path: string, use: (ask: Ask) => Value): Value | null {
  for (const value of withinDatabase(path, (ask) => [use(ask)])) return value;
  return null;
}
