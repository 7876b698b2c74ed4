// Tests the files and databases in which opencode keeps its sessions: put together as an export, and read as one.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  databaseInfo,
  databaseMessages,
  type Query,
  type Row,
  type SessionRow,
  sessionRows,
} from '../../src/agents/opencode/database.ts';
import { opencode } from '../../src/agents/opencode/index.ts';
import { isOpencodeDatabase, tablesMadeIn } from '../../src/agents/opencode/tables.ts';
import { type Export, exportLines } from '../../src/agents/opencode/unfold.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { collectionAt } from '../../src/app/transcript/collections.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/core/json.ts';
import { hasSqlite, SQLITE_MAGIC } from '../../src/platform/sqlite.ts';
import { replay } from '../agents/support/replay.ts';
import { unfoldText } from '../agents/support/unfold.ts';
import { firstPage, interiorPage, leafPage } from '../support/sqlite-pages.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';

const door = readFileSync(new URL('../../fixtures/opencode/door.json', import.meta.url), 'utf8');
const { info, messages } = JSON.parse(door) as {
  info: JsonObject;
  messages: { info: JsonObject; parts: JsonObject[] }[];
};
const id = String(info['id']);

/** Returns the lines of a session, without the order of keys. */
function told(lines: readonly string[]) {
  const { about, moves, derived, usage, visible, problems } = replay(lines, [], false, opencode);
  return { about, moves, derived, usage, visible, problems };
}
const expected = told(unfoldText(opencode, door) ?? []);

const linesAt = (path: string, isFolder: boolean): string[][] =>
  [...(collectionAt(path, isFolder, undefined) ?? [])].map(({ open }) => {
    const { text, agentSession } = open();
    expect(agentSession).toBe(id);
    return Buffer.concat([...text.pieces(0)].map((piece) => Buffer.from(piece)))
      .toString('utf8')
      .trimEnd()
      .split('\n');
  });

/** Writes the fixture as older versions of opencode would have stored it. */
function stored(layout: 'oldest' | 'newer'): string {
  const root = temporaryFolder();
  const put = (path: string, value: JsonValue): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(value));
  };
  const isOldest = layout === 'oldest';
  put(isOldest ? `session/info/${id}.json` : `session/global/${id}.json`, info);
  for (const message of messages.toReversed()) {
    const name = String(message.info['id']);
    put(isOldest ? `session/message/${id}/${name}.json` : `message/${id}/${name}.json`, message.info);
    for (const part of message.parts.toReversed())
      put(`${isOldest ? `session/part/${id}` : 'part'}/${name}/${part['id']}.json`, part);
  }
  return root;
}

describe('a folder of files', () => {
  test.each(['oldest', 'newer'] as const)(
    '%s: it is one collection, with the session as an export has it',
    (layout) => {
      const folder = stored(layout);
      const [lines = [], ...others] = linesAt(folder, true);
      expect(others).toEqual([]);
      expect(told(lines)).toEqual(expected);
      const { transcripts, passed_over } = findTranscripts([folder], undefined);
      expect(transcripts.map(({ file }) => file)).toHaveLength(1);
      expect(passed_over).toEqual([]);
    },
  );

  test('keeps a torn file as it is, and reads the rest', () => {
    const folder = stored('newer');
    writeFileSync(join(folder, 'part/msg_01', `${messages[0]?.parts[1]?.['id']}.json`), '{"type":"te');
    writeFileSync(join(folder, 'message', id, 'msg_06.json'), '{');
    const [lines = []] = linesAt(folder, true);
    const result = replay(lines, [], false, opencode);
    expect(result.problems).toEqual([]);
    const torn = result.bodies.filter((body) => 'type' in body && body['type'] === 'unknown');
    expect(torn).toMatchObject([{ data: { info: { id: 'msg_06', unreadable: '{' }, parts: expect.any(Array) } }]);
    expect(result.messages.get('msg_01')?.parts[1]).toMatchObject({
      type: 'data-unreadable',
      data: { value: '{"type":"te' },
    });
    expect(result.messages.has('msg_06')).toBe(false);
    expect(result.messages.size).toBe(messages.length - 1);
  });

  test('names each torn file by its own path, and takes in the session without it', () => {
    const folder = stored('newer');
    const torn = ['part/msg_01/zz.json', `message/${id}/msg_99.json`, 'session/global/ses_99.json'];
    for (const file of torn) writeFileSync(join(folder, file), '{"id":"x","ty');
    const { sessions, problems, passed_over } = ingestMany(makeProject().repository, [folder], { here: true });
    expect(sessions.map(({ messages: count }) => count)).toEqual([messages.length]);
    expect(problems).toEqual(
      torn.map((file) => ({ file: join(folder, file), line: null, message: 'is no JSON object' })),
    );
    expect(passed_over).toEqual([]);
  });

  test('names and leaves out a file that is longer than any line, and reads the rest', () => {
    const folder = stored('newer');
    const file = join(folder, 'part/msg_01', `${messages[0]?.parts[1]?.['id']}.json`);
    truncateSync(file, 17 * 1024 * 1024);
    const { sessions, problems } = ingestMany(makeProject().repository, [folder], { here: true });
    expect(sessions.map(({ messages: count }) => count)).toEqual([messages.length]);
    expect(problems).toEqual([{ file, line: null, message: 'is larger than 16 MiB, and was not kept' }]);
  });

  test('any other folder is none', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'session', 'global'), { recursive: true });
    writeFileSync(join(folder, 'session', 'global', 'notes.json'), '{}');
    expect(collectionAt(folder, true, undefined)).toBeNull();
  });
});

const TABLES = [
  'CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text, `parent_id` text, `slug` text, `directory` text, `title` text, `version` text, `revert` text, `cost` real, `tokens_input` integer, `time_created` integer, `time_updated` integer, `time_archived` integer)',
  'CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text, `time_created` integer, `data` text)',
  'CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text, `session_id` text, `data` text)',
];
const without = (fields: JsonObject, ...keys: string[]): string =>
  JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key))));

/** The rows that the database would have for the fixture. */
const rows: Record<string, Row[]> = {
  sqlite_master: ['session', 'message', 'part'].map((name) => ({ type: 'table', name })),
  session: [
    {
      ...{ id, project_id: info['projectID'], parent_id: null, slug: info['slug'], directory: info['directory'] },
      ...{ title: info['title'], version: info['version'], revert: null, cost: 0.5, tokens_input: 9n },
      ...{ time_created: 1795000000000, time_updated: 1795000900000, time_archived: null },
    },
  ],
  message: messages.map((message) => ({
    id: message.info['id'],
    session_id: id,
    time_created: isObject(message.info['time']) ? message.info['time']['created'] : 0,
    data: without(message.info, 'id', 'sessionID'),
  })),
  part: messages.flatMap(({ parts }) =>
    parts.map((part) => ({
      ...{ id: part['id'], message_id: part['messageID'], session_id: id },
      data: without(part, 'id', 'messageID', 'sessionID'),
    })),
  ),
};

describe('a database', () => {
  const query: Query = (sql, value) => {
    const [, table = '', column = ''] = /FROM (\w+)(?: WHERE (\w+))?/.exec(sql) ?? [];
    return (rows[table] ?? []).filter((row) => column === '' || row[column] === value);
  };
  const exported = (ask: Query, session: SessionRow | undefined): Export => ({
    fields: { info: databaseInfo(session as SessionRow) },
    messages: () => databaseMessages(ask, session as SessionRow),
  });

  test('its rows are put together as an export', () => {
    const [session, ...others] = sessionRows(query);
    expect(others).toEqual([]);
    expect(session).toMatchObject({ id, written_at: 1795000900 });
    expect(told([...exportLines(exported(query, session))])).toEqual(expected);
    const { fields } = exported(query, session);
    expect(fields['info']).not.toHaveProperty('cost');
    expect(fields['info']).toMatchObject({ projectID: info['projectID'], time: { created: 1795000000000 } });
  });

  test('keeps a row that is no JSON as it is', () => {
    const torn: Query = (sql, ...values) =>
      sql.includes('FROM part') ? [{ id: 'prt_1', message_id: 'msg_01', data: '{"ty' }] : query(sql, ...values);
    const [session] = sessionRows(torn);
    const result = replay([...exportLines(exported(torn, session))], [], false, opencode);
    expect(result.messages.get('msg_01')?.parts).toMatchObject([{ type: 'data-unreadable', data: { value: '{"ty' } }]);
  });

  test('is recognised by the names of its tables', () => {
    expect(isOpencodeDatabase(tablesMadeIn(TABLES.join('\n')))).toBe(true);
    expect(isOpencodeDatabase(tablesMadeIn(TABLES.slice(1).join('\n')))).toBe(false);
    expect(isOpencodeDatabase(tablesMadeIn('session message part'))).toBe(false);
  });

  test('of another program it is none; a file that only begins like one is none either', () => {
    const file = join(temporaryFolder(), 'other.db');
    writeFileSync(file, `${SQLITE_MAGIC}CREATE TABLE \`other\``);
    expect(collectionAt(file, false, undefined)).toBeNull();
    writeFileSync(file, TABLES.join('\n'));
    expect(collectionAt(file, false, undefined)).toBeNull();
  });

  test.skipIf(hasSqlite())('a Node that reads no databases says so, and names the way out', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    writeFileSync(file, SQLITE_MAGIC + TABLES.join('\n'));
    expect(() => collectionAt(file, false, undefined)).toThrow(/reads no databases/);
    expect(() => recogniseTranscript(file, 'gemini')).toThrow(/is a database of opencode/);
    const { problems } = findTranscripts([file], undefined);
    expect(problems).toMatchObject([{ file, message: expect.stringMatching(/^is a database of opencode/) }]);
  });

  test.skipIf(hasSqlite())(
    'a Node that reads no databases says so if the list of tables is at the end of a large file',
    () => {
      const file = join(temporaryFolder(), 'opencode.db');
      const at = 2000;
      writeFileSync(file, firstPage(interiorPage([at, at + 1], 100)));
      truncateSync(file, (at - 1) * 4096);
      const listed = (...names: string[]): Buffer => leafPage(names.map((name) => ['table', name]));
      appendFileSync(file, Buffer.concat([listed('session', 'message'), listed('other', 'part')]));
      expect(() => collectionAt(file, false, undefined)).toThrow(/is a database of opencode/);
    },
  );

  test.skipIf(hasSqlite())(
    'so does it where the tables still stand in the log beside it, since opencode is running',
    () => {
      const file = join(temporaryFolder(), 'opencode.db');
      writeFileSync(file, SQLITE_MAGIC);
      expect(() => collectionAt(file, false, undefined)).toThrow(/is a damaged database/);
      writeFileSync(`${file}-wal`, TABLES.join('\n'));
      expect(() => collectionAt(file, false, undefined)).toThrow(
        /is a database of opencode, and Node .* reads no databases/,
      );
      expect(() => recogniseTranscript(file, 'gemini')).toThrow(/is a database of opencode/);
      expect(findTranscripts([join(file, '..')], undefined)).toMatchObject({
        passed_over: [`${file}-wal`],
        problems: [{ file, message: expect.stringMatching(/^is a database of opencode/) }],
      });
    },
  );

  test.skipIf(!hasSqlite())('one whose tables still stand in the log beside it is read', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    const close = makeDatabase(file, 'open');
    try {
      expect(isOpencodeDatabase(tablesMadeIn(readFileSync(file, 'latin1')))).toBe(false);
      const [lines = []] = linesAt(file, false);
      expect(told(lines)).toEqual(expected);
    } finally {
      close();
    }
  });

  test.skipIf(!hasSqlite())('a real one is read, and stays as it is', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    makeDatabase(file);
    const before = readFileSync(file);
    const [lines = [], ...others] = linesAt(file, false);
    expect(others).toEqual([]);
    expect(told(lines)).toEqual(expected);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(join(file, '..'))).toEqual(['opencode.db']);
    expect(
      [...(collectionAt(file, false, undefined) ?? [])].map(({ file: name, written_at }) => [name, written_at]),
    ).toEqual([[`${file}#${id}`, 1795000900]]);
    expect(() => recogniseTranscript(file, 'gemini')).toThrow('is of opencode, not of gemini');
  });

  test.skipIf(!hasSqlite())('one whose list of tables has moved to its end is read', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    makeDatabase(file, 'grow');
    expect(isOpencodeDatabase(tablesMadeIn(readFileSync(file, 'latin1').slice(0, 4 * 1024 * 1024)))).toBe(false);
    const [lines = []] = linesAt(file, false);
    expect(told(lines)).toEqual(expected);
  });

  test.skipIf(!hasSqlite())('a damaged one is an error that names it', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    writeFileSync(file, SQLITE_MAGIC + TABLES.join('\n').padEnd(8192));
    expect(() => collectionAt(file, false, undefined)).toThrow(file);
  });
});

/** Writes a database with the rows of the fixture. @returns what closes one that is left open */
function makeDatabase(file: string, then: 'close' | 'open' | 'grow' = 'close'): () => void {
  interface Writable {
    exec: (sql: string) => void;
    prepare: (sql: string) => { run: (...values: unknown[]) => void };
    close: () => void;
  }
  const sqlite = process.getBuiltinModule('node:sqlite') as unknown as { DatabaseSync: new (path: string) => Writable };
  const database = new sqlite.DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  for (const sql of TABLES) database.exec(sql);
  for (const [table, list] of Object.entries(rows)) {
    if (table === 'sqlite_master') continue;
    for (const row of list) {
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row));
    }
  }
  if (then === 'grow') {
    // A part that has moved leaves no traces in its old place.
    database.exec('PRAGMA secure_delete = ON');
    database.exec('CREATE TABLE filler (data text)');
    database.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(5 * 1024 * 1024));
    // Too many for the first page: SQLite moves all that stands there behind what was written.
    for (let index = 0; index < 40; index += 1) database.exec(`CREATE TABLE later_${index} (${'c'.repeat(200)} text)`);
  }
  if (then !== 'open') database.close();
  return () => database.close();
}
