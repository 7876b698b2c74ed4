/** Sessions as newer versions of opencode keep them, in the tables of a database: put together as an export. */
import { isObject, type JsonObject, type JsonValue, numberOf, textOf } from '../../core/json.ts';
import { secondsOf } from '../shared/fields.ts';
import { valueIn } from '../shared/versions/document.ts';

/** A row, by the names of its columns. */
export type Row = { readonly [column: string]: unknown };

/** Asks a database. */
export type Query = (sql: string, ...values: string[]) => Iterable<Row>;

/** Whether the beginning of a database is that of opencode's, by the tables that it names. */
export function isOpencodeDatabase(beginning: string): boolean {
  const tables = [...beginning.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?[`"[]?(\w+)/g)].map(([, name]) => name);
  return ['session', 'message', 'part'].every((name) => tables.includes(name));
}

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

function infoOf(row: Row): JsonObject {
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

/** A session as `opencode export` writes it. */
export function databaseExport(query: Query, { id, row }: SessionRow): JsonObject {
  const parts = new Map<string, JsonObject[]>();
  for (const part of query('SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id', id)) {
    const messageID = String(part['message_id']);
    const data = dataOf(part, { id: plain(part['id']), sessionID: id, messageID });
    parts.set(messageID, [...(parts.get(messageID) ?? []), data]);
  }
  const messages: JsonValue[] = [];
  const sql = 'SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id';
  for (const message of query(sql, id)) {
    const info = dataOf(message, { id: plain(message['id']), sessionID: id });
    const created = numberOf(plain(message['time_created']));
    const time = info['time'] ?? (created === undefined ? {} : { created });
    messages.push({ info: { ...info, time }, parts: parts.get(String(message['id'])) ?? [] });
  }
  return { info: infoOf(row), messages };
}
