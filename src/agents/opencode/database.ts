/** Sessions as newer versions of opencode keep them, in the tables of a database: put together as an export. */
import { isObject, type JsonObject, type JsonValue, numberOf, textOf } from '../../core/json.ts';
import { valueIn } from '../shared/document/document.ts';
import { secondsOf } from '../shared/fields.ts';

/** A row, by the names of its columns. */
export type Row = { readonly [column: string]: unknown };

/** Asks a database. */
export type Query = (sql: string, ...values: string[]) => Iterable<Row>;

/** Whether a database is opencode's, by the names of its tables. */
export function isOpencodeDatabase(tables: Iterable<string>): boolean {
  const names = new Set(tables);
  return ['session', 'message', 'part'].every((name) => names.has(name));
}

/** The tables that a stretch of a database makes, as far as its words tell. */
export const tablesMadeIn = (stretch: string): string[] =>
  [...stretch.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?[`"[]?(\w+)/g)].flatMap(([, name]) => name ?? []);

/** A session in the database. */
export interface SessionRow {
  id: string;
  /** When it was last written, in Unix seconds; null where it does not tell. */
  written_at: number | null;
  row: Row;
}

/** The sessions of a database, the one that was written last at the end. */
export function sessionRows(query: Query): SessionRow[] {
  const rows = [...query('SELECT * FROM session ORDER BY time_updated, id')];
  return rows.flatMap((row) => {
    const id = textOf(plain(row['id']));
    const written = secondsOf(plain(row['time_updated']));
    return id === undefined ? [] : [{ id, written_at: written ?? null, row }];
  });
}

/** A value of a column as JSON has it. */
function plain(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return null;
}

/** Columns of a session that an export calls otherwise. */
const NAMES: Record<string, string> = {
  project_id: 'projectID',
  workspace_id: 'workspaceID',
  parent_id: 'parentID',
};
/** Columns that hold JSON. */
const IN_JSON: readonly string[] = ['revert', 'permission', 'model', 'metadata', 'goal'];
/** Sums over all messages, each of which tells its own. */
const SUMS = /^(cost|tokens_|summary_)/;
const TIMES: Record<string, string> = {
  time_created: 'created',
  time_updated: 'updated',
  time_compacting: 'compacting',
  time_archived: 'archived',
};

/** What an export tells of a session. */
export function databaseInfo({ row }: SessionRow): JsonObject {
  const info: JsonObject = {};
  const time: JsonObject = {};
  for (const [column, cell] of Object.entries(row)) {
    const value = plain(cell);
    const moment = Object.hasOwn(TIMES, column) ? TIMES[column] : undefined;
    if (value === null || SUMS.test(column)) continue;
    if (moment !== undefined) time[moment] = value;
    else if (IN_JSON.includes(column)) info[column] = valueIn(String(value)) ?? value;
    else info[(Object.hasOwn(NAMES, column) ? NAMES[column] : undefined) ?? column] = value;
  }
  return { ...info, time };
}

/** What a row holds as JSON, with the ids that stand in columns of their own. What is none is kept as it stands. */
function dataOf(row: Row, ids: JsonObject): JsonObject {
  const text = textOf(plain(row['data'])) ?? '';
  const value = valueIn(text);
  return isObject(value) ? { ...ids, ...value } : { ...ids, type: 'unreadable', value: text };
}

/** The ids of the parts of a session, in their order, by those of the messages that they belong to. */
function partsBy(query: Query, session: string): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const row of query('SELECT id, message_id FROM part WHERE session_id = ? ORDER BY id', session)) {
    const message = String(row['message_id']);
    const ids = parts.get(message);
    if (ids) ids.push(String(row['id']));
    else parts.set(message, [String(row['id'])]);
  }
  return parts;
}

/** The messages of a session as `opencode export` writes them, one by one: a session may hold more than memory. */
export function* databaseMessages(query: Query, session: string): Generator<JsonObject> {
  const parts = partsBy(query, session);
  for (const { id } of query('SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id', session)) {
    for (const row of query('SELECT id, time_created, data FROM message WHERE id = ?', String(id))) {
      const messageID = String(id);
      const info = dataOf(row, { id: plain(row['id']), sessionID: session });
      const created = numberOf(plain(row['time_created']));
      const time = info['time'] ?? (created === undefined ? {} : { created });
      yield {
        info: { ...info, time },
        parts: partsIn(query, parts.get(messageID) ?? [], { sessionID: session, messageID }),
      };
    }
  }
}

function partsIn(query: Query, ids: readonly string[], of: JsonObject): JsonObject[] {
  return ids.flatMap((id) =>
    [...query('SELECT data FROM part WHERE id = ?', id)].map((row) => dataOf(row, { id, ...of })),
  );
}
