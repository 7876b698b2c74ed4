/** Sessions in the tables of opencode's database, read as an export. */
import { isObject, type JsonObject, type JsonValue, numberOf, textOf } from '../../core/json.ts';
import { valueIn } from '../shared/document/document.ts';
import { secondsOf } from '../shared/fields.ts';
import type { Form } from './tables.ts';

/** A row, by the names of its columns. */
export type Row = { readonly [column: string]: unknown };

/** Queries a database. */
export type Query = (sql: string, ...values: string[]) => Iterable<Row>;

/** A session in the database. */
export interface SessionRow {
  id: string;
  /** When it was last written, in Unix seconds; null if it has no time. */
  written_at: number | null;
  /** The form of its messages that counts. */
  form: Form;
  row: Row;
}

/** Messages of opencode 2 without words: opencode 1 writes them beside its own. */
const SWITCHES = "('agent-switched', 'model-switched', 'location-switched')";

/** Returns when the latest message of each session was begun, by its id. */
function latestIn(query: Query, sql: string): Map<string, number> {
  const latest = new Map<string, number>();
  for (const row of query(sql)) latest.set(String(row['session_id']), numberOf(plain(row['latest'])) ?? 0);
  return latest;
}

/**
 * Returns the sessions of a database, the one that was written last at the end. A session that opencode 2 has taken over from
 * opencode 1 is in both forms, and the older one does not change any more: the newer one counts, unless it is still empty.
 */
export function sessionRows(query: Query): SessionRow[] {
  const tables = new Set(
    [...query('SELECT name FROM sqlite_master WHERE type = ?', 'table')].map((row) => row['name']),
  );
  const from = (table: string, sql: string): Row[] => (tables.has(table) ? [...query(sql)] : []);
  const latest = (table: string, where = ''): Map<string, number> =>
    tables.has(table)
      ? latestIn(query, `SELECT session_id, MAX(time_created) AS latest FROM ${table}${where} GROUP BY session_id`)
      : new Map();
  const older = latest('message');
  const newer = latest('session_message', ` WHERE type NOT IN ${SWITCHES}`);
  const isTakenOver = new Set<string>();
  const all = new Map<string, SessionRow>();
  const take = (row: Row, form: (id: string) => Form): void => {
    const id = textOf(plain(row['id']));
    if (id === undefined || isTakenOver.has(id)) return;
    isTakenOver.add(id);
    const written_at = secondsOf(plain(row['time_updated'])) ?? null;
    all.set(id, { id, written_at, form: form(id), row });
  };
  for (const row of from('session_v2', 'SELECT * FROM session_v2'))
    take(row, (id) => (newer.has(id) || !older.has(id) ? 'second' : 'first'));
  // The first versions of opencode 2 had no table of its own for sessions.
  for (const row of from('session', 'SELECT * FROM session'))
    take(row, (id) => ((newer.get(id) ?? -1) > (older.get(id) ?? -1) ? 'second' : 'first'));
  const order = ({ row, id }: SessionRow): [number, string] => [numberOf(plain(row['time_updated'])) ?? 0, id];
  return [...all.values()].sort((one, other) => {
    const [[a, first], [b, second]] = [order(one), order(other)];
    return a - b || (first < second ? -1 : 1);
  });
}

/** Returns a value of a column as JSON. */
function plain(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return null;
}

/** Columns of a session that have another name in an export. */
const NAMES: Record<string, string> = {
  project_id: 'projectID',
  workspace_id: 'workspaceID',
  parent_id: 'parentID',
};
/** Columns that hold JSON. */
const IN_JSON: readonly string[] = ['revert', 'permission', 'model', 'metadata', 'goal', 'fork_boundary'];
/** Sums over all messages, each of which has its own, and columns that change whenever a session is looked at. */
const LEFT_OUT = /^(cost|tokens_|summary_|idle_outcome$|time_(idle|viewed|suspended)$|resume_attempts$)/;
const TIMES: Record<string, string> = {
  time_created: 'created',
  time_updated: 'updated',
  time_compacting: 'compacting',
  time_archived: 'archived',
};

/** Returns the fields of a session in an export. */
export function databaseInfo({ row }: Pick<SessionRow, 'row'>): JsonObject {
  const info: JsonObject = {};
  const time: JsonObject = {};
  for (const [column, cell] of Object.entries(row)) {
    const value = plain(cell);
    const moment = Object.hasOwn(TIMES, column) ? TIMES[column] : undefined;
    if (value === null || LEFT_OUT.test(column)) continue;
    if (moment !== undefined) time[moment] = value;
    else if (IN_JSON.includes(column)) info[column] = valueIn(String(value)) ?? value;
    else info[(Object.hasOwn(NAMES, column) ? NAMES[column] : undefined) ?? column] = value;
  }
  return { ...info, time };
}

/** Returns the JSON of a row, with the ids of its other columns. A text that is no JSON is kept unchanged. */
function dataOf(row: Row, ids: JsonObject): JsonObject {
  const text = textOf(plain(row['data'])) ?? '';
  const value = valueIn(text);
  return isObject(value) ? { ...ids, ...value } : { ...ids, type: 'unreadable', value: text };
}

/** Returns the ids of the parts of a session, in their order, by the ids of their messages. */
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

/** Returns the messages of a session as `opencode export` writes them, one by one: a session may be larger than memory. */
export const databaseMessages = (query: Query, { id, form }: SessionRow): Iterable<JsonObject | string> =>
  form === 'second' ? secondMessages(query, id) : firstMessages(query, id);

function* firstMessages(query: Query, session: string): Generator<JsonObject> {
  const parts = partsBy(query, session);
  for (const { id } of query('SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id', session)) {
    for (const row of query('SELECT id, time_created, data FROM message WHERE id = ?', String(id))) {
      const messageID = String(id);
      const info = dataOf(row, { id: plain(row['id']), sessionID: session });
      const time = info['time'] ?? begunAt(row);
      yield {
        info: { ...info, time },
        parts: partsIn(query, new Set(parts.get(messageID)), { sessionID: session, messageID }),
      };
    }
  }
}

function begunAt(row: Row): JsonObject {
  const created = numberOf(plain(row['time_created']));
  return created === undefined ? {} : { created };
}

/** Returns the parts of a message; another message may have parts with the same ids. */
function partsIn(query: Query, ids: Iterable<string>, of: JsonObject): JsonObject[] {
  return [...ids].flatMap((id) => {
    const rows = [...query('SELECT message_id, data FROM part WHERE id = ?', id)];
    return rows.filter((row) => row['message_id'] === of['messageID']).map((row) => dataOf(row, { id, ...of }));
  });
}

/** Yields the messages of opencode 2, each of which is one row; a row without JSON is a text that cannot be read. */
function* secondMessages(query: Query, session: string): Generator<JsonObject | string> {
  for (const { id } of query('SELECT id FROM session_message WHERE session_id = ? ORDER BY seq', session)) {
    for (const row of query('SELECT id, type, time_created, data FROM session_message WHERE id = ?', String(id))) {
      const text = textOf(plain(row['data'])) ?? '';
      const data = valueIn(text);
      const own = { id: plain(row['id']), type: plain(row['type']) };
      if (isObject(data)) yield { ...own, ...data, ...own, time: data['time'] ?? begunAt(row) };
      else yield text.trim() === '' ? { ...own, type: 'unreadable', was: own.type, time: begunAt(row) } : text;
    }
  }
}
