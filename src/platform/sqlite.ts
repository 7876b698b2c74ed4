/** Databases of SQLite, read where this Node can: loaded only when one is asked for, and never written to. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError } from './files.ts';

/** What is used of `node:sqlite`. */
interface Database {
  prepare: (sql: string) => { all: (...values: string[]) => Record<string, unknown>[] };
  close: () => void;
}
interface Sqlite {
  DatabaseSync: new (path: string | URL, options: { readOnly: boolean; timeout?: number }) => Database;
}

/** What every such file begins with. */
export const SQLITE_MAGIC = 'SQLite format 3\0';

/** Where SQLite writes what is new, and takes it from into the database later. */
export const writeAheadLogOf = (path: string): string => `${path}-wal`;

/** The module of this Node; null where it has none. */
function load(): Sqlite | null {
  const { emitWarning } = process;
  // Node tells everybody who runs ctx that the module is an experiment: that is not their concern.
  process.emitWarning = () => {};
  try {
    return (process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Whether this Node reads databases. */
export function hasSqlite(): boolean {
  return load() !== null;
}

/** Where SQLite keeps what a change that is not complete has to put back. */
const journalOf = (path: string): string => `${path}-journal`;

/**
 * Where a database is opened. One that nobody has open is taken as it stands: SQLite would leave files beside it, even where
 * it only reads.
 */
function placeOf(path: string): string | URL {
  if (existsSync(writeAheadLogOf(path)) || existsSync(journalOf(path))) return path;
  const place = pathToFileURL(path);
  place.search = '?immutable=1';
  return place;
}

/** How long a lock is waited for, in milliseconds: a program that closes a database holds it for a moment. */
const PATIENCE = 500;

function open(sqlite: Sqlite, path: string): Database {
  try {
    return new sqlite.DatabaseSync(placeOf(path), { readOnly: true, timeout: PATIENCE });
  } catch (error) {
    // The first versions take no more than a path.
    if (errorCode(error) !== 'ERR_INVALID_ARG_TYPE') throw error;
    return new sqlite.DatabaseSync(path, { readOnly: true });
  }
}

/** What went wrong, in the words of SQLite where it has some: a lock, damage, a column that is not there. */
function whyNot(path: string, error: unknown): CtxError {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR') return ioError('read', path, error);
  const { message } = error as Error;
  const hint = /locked|busy/.test(message) ? 'Close the program that holds it, then run the command again.' : undefined;
  return new CtxError('io', `Cannot read ${path}: ${message}`, { hint, cause: error });
}

/** Asks a database; a statement is prepared once. */
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
 * Has a database open for as long as what `use` gives is gone through; gives nothing where this Node cannot.
 * @throws {CtxError} io, where it cannot be read
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

/** The same for one answer; null where this Node cannot. @throws {CtxError} io */
export function withDatabase<Value>(path: string, use: (ask: Ask) => Value): Value | null {
  for (const value of withinDatabase(path, (ask) => [use(ask)])) return value;
  return null;
}
