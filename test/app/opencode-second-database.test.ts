// Databases of opencode 2, made by SQL of our own: what is read of them, and that what cannot be read is named.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { showRevision } from '../../src/app/show.ts';
import { collectionAt } from '../../src/app/transcript/collections.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { hasSqlite, SQLITE_MAGIC } from '../../src/platform/sqlite.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

interface Writable {
  exec: (sql: string) => void;
  prepare: (sql: string) => { run: (...values: unknown[]) => void };
  close: () => void;
}

/** Opens a database for writing. */
function database(file: string): Writable {
  const sqlite = process.getBuiltinModule('node:sqlite') as unknown as { DatabaseSync: new (path: string) => Writable };
  return new sqlite.DatabaseSync(file);
}

const AT = 1_796_000_000_000;
const FIRST = [
  'CREATE TABLE session (id text PRIMARY KEY, directory text, parent_id text, title text, version text, time_created integer, time_updated integer)',
  'CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text)',
  'CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)',
];
const MESSAGES =
  'CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, time_created integer, time_updated integer, data text)';
const SECOND = [
  'CREATE TABLE project (id text PRIMARY KEY, worktree text)',
  'CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text, parent_id text, fork_session_id text, directory text, title text, version text, agent text, model text, revert text, cost real, tokens_input integer, time_created integer, time_updated integer, time_idle integer, idle_outcome text)',
  MESSAGES,
];

let project: Project;
let home: string;
beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  mkdirSync(data(), { recursive: true });
});

const data = (): string => join(home, '.local', 'share', 'opencode');
const around = (more: object = {}) => ({ environment: { HOME: home, ...more } });
const status = (more: object = {}) => captureStatus(project.open(), around(more));
const problems = (more: object = {}): string[] => status(more).problems.map(({ message }) => message);

/** Makes a database with these tables, and has it filled. */
function make(tables: readonly string[], fill: (write: Writing) => void = () => {}, name = 'opencode.db'): string {
  const file = join(data(), name);
  const made = database(file);
  for (const sql of tables) made.exec(sql);
  fill(new Writing(made));
  made.close();
  return file;
}

class Writing {
  readonly database: Writable;
  #seq = 0;

  constructor(database: Writable) {
    this.database = database;
  }

  /** A session of opencode 1, with one turn. */
  first(id: string, prompt: string, at = AT): void {
    const insert = (sql: string, ...values: unknown[]): void => this.database.prepare(sql).run(...values);
    insert('INSERT INTO session VALUES (?, ?, NULL, ?, ?, ?, ?)', id, project.folder, 'Old', '1.18.33', at, at);
    for (const [role, text] of [
      ['user', prompt],
      ['assistant', `Done: ${prompt}`],
    ] as const) {
      const message = `msg_${id}_${role}`;
      const time = { created: at, completed: at + 1000 };
      insert(
        'INSERT INTO message VALUES (?, ?, ?, ?)',
        message,
        id,
        at,
        JSON.stringify({ role, time, finish: 'stop' }),
      );
      insert(
        'INSERT INTO part VALUES (?, ?, ?, ?)',
        `prt_${message}`,
        message,
        id,
        JSON.stringify({ type: 'text', text }),
      );
    }
  }

  /** A session of opencode 2 without a message. */
  session(id: string, fields: Record<string, string | number | null> = {}): void {
    const all = { id, project_id: 'p', directory: project.folder, title: 'The shelf', version: '2.0.14', ...fields };
    const row = { time_created: AT, time_updated: AT, ...all };
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    this.database.prepare(`INSERT INTO session_v2 (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row));
  }

  message(session: string, type: string, fields: object | string, id = `msg_${session}${this.#seq}`): void {
    this.#seq += 1;
    const at = AT + this.#seq * 1000;
    const text = typeof fields === 'string' ? fields : JSON.stringify({ time: { created: at }, ...fields });
    this.database
      .prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(id, session, type, this.#seq, at, at, text);
  }

  /** One turn in it. */
  turn(session: string, prompt: string): void {
    this.message(session, 'user', { text: prompt });
    const time = { created: AT + this.#seq * 1000, completed: AT + this.#seq * 1000 + 500 };
    const tokens = { input: 5, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
    this.message(session, 'assistant', {
      content: [{ type: 'text', text: `Done: ${prompt}` }],
      finish: 'stop',
      tokens,
      time,
    });
    this.message(session, 'idle', { outcome: 'succeeded' });
  }
}

/** All that is stored of the current session, as text. */
const stored = (): string => JSON.stringify(showRevision(project.open(), 'STAGE'));

describe.skipIf(!hasSqlite())('a database of opencode 2', () => {
  test('is read: turns, title and version; a second look finds nothing new, and what is added is taken in', () => {
    const file = make(SECOND, (write) => {
      write.session('ses_1');
      write.turn('ses_1', 'Sort the shelf.');
      write.session('ses_2', { parent_id: 'ses_1', agent: 'helper' });
      write.turn('ses_2', 'Look for pears.');
      write.session('ses_3', { directory: '/home/dev/elsewhere' });
      write.turn('ses_3', 'Nothing of ours.');
    });
    expect(status()).toMatchObject({ turns: 1, turns_stored: 0, problems: [] });
    const before = readFileSync(file);
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({ turns_added: 1, problems: [] });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(stored()).toContain('The shelf');
    expect(status()).toMatchObject({ turns: 1, turns_stored: 1, complete: true });
    const more = new Writing(database(file));
    more.message('ses_1', 'user', { text: 'And the attic.' }, 'msg_later');
    more.database.exec(
      "UPDATE session_v2 SET time_updated = time_updated + 9, idle_outcome = 'failed' WHERE id = 'ses_1'",
    );
    more.database.close();
    expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 1, conversations: [{ created: false }] });
  });

  test.each([
    ['with its old rows beside it', true],
    ['when it was read from the old rows before', false],
  ])('that was taken over from opencode 1 counts once, in its newer form: %s', (_way, isFresh) => {
    const file = make(FIRST, (write) => write.first('ses_1', 'Old words.'));
    if (!isFresh) catchUp(project.open(), { ...around(), all: true });
    const taken = new Writing(database(file));
    for (const sql of SECOND) taken.database.exec(sql);
    taken.session('ses_1');
    taken.message('ses_1', 'user', { text: 'Old words.' }, 'msg_ses_1_user');
    taken.message(
      'ses_1',
      'assistant',
      { content: [{ type: 'text', text: 'Done: Old words.' }], finish: 'stop' },
      'msg_ses_1_assistant',
    );
    taken.turn('ses_1', 'New words.');
    taken.database.close();
    expect(status().conversations.map(({ agent_session_id, turns }) => [agent_session_id, turns])).toEqual([
      ['ses_1', 2],
    ]);
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({
      turns_added: isFresh ? 2 : 1,
      problems: [],
    });
    expect(status()).toMatchObject({ turns: 2, turns_stored: 2, complete: true });
    expect(showRevision(project.open(), 'STAGE').session_state).toMatchObject({ summary: 'Done: New words.' });
  });

  test('has sessions that nothing was taken over of yet read from their old rows', () => {
    make([...FIRST, ...SECOND], (write) => {
      write.first('ses_1', 'Old words.');
      write.session('ses_1');
      write.first('ses_2', 'Not yet.');
      write.message('ses_2', 'model-switched', { model: { id: 'm' } });
    });
    expect(status()).toMatchObject({ turns: 2, problems: [] });
  });

  test('of its first versions, which had no table of its own for sessions, is read', () => {
    make([FIRST[0] as string, MESSAGES], (write) => {
      write.database.exec(
        `INSERT INTO session VALUES ('ses_1', '${project.folder}', NULL, 'A', '0.0.0', ${AT}, ${AT})`,
      );
      write.turn('ses_1', 'Sort the shelf.');
    });
    expect(status()).toMatchObject({ turns: 1, problems: [] });
  });

  test('continues a session that hooks reported with what only it has, and repeats no command', async () => {
    const hook = (hook_event_name: string, fields: object) => {
      const about = { session_id: 'ses_1', sub_agent: null, transcript_path: null, cwd: project.folder };
      const payload = JSON.stringify({ hook_event_name, ...about, ...fields });
      return handleHook('opencode', payload, { directory: project.folder, clock: project.clock });
    };
    const command = 'sort list.txt';
    await hook('session_start', { source: 'startup' });
    await hook('prompt', { prompt: 'Sort the list.' });
    await hook('tool_result', {
      ...{ tool_name: 'shell', tool_call_id: 'call_1', tool_input: { command } },
      ...{ tool_output: [{ type: 'text', text: 'apples' }], tool_told: { exit: 3 } },
    });
    await hook('turn_end', { text: 'Sorted.' });
    make(SECOND, (write) => {
      write.session('ses_1');
      write.message('ses_1', 'user', { text: 'Sort the list.' });
      const state = {
        status: 'completed',
        input: { command },
        content: [{ type: 'text', text: 'apples' }],
        metadata: { exit: 3 },
      };
      const content = [
        { type: 'tool', id: 'call_1', name: 'shell', state },
        { type: 'text', text: 'Sorted.' },
      ];
      write.message('ses_1', 'assistant', { content, finish: 'stop', time: { created: AT, completed: AT + 500 } });
    });
    expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 1, conversations: [{ created: false }] });
    const { objects, refs } = project.open();
    const head = refs.read(sessionRef(status().conversations[0]?.session_id ?? '')) as string;
    const records = [...readSteps(objects, head, true)].flatMap((step) => step.records);
    expect(records.filter(({ kind }) => kind === 'command')).toMatchObject([
      { command, exit_code: 3, output: 'apples' },
    ]);
    expect(status()).toMatchObject({ turns: 1, turns_stored: 1, complete: true });
  });

  test('has a row that is no JSON named, and kept', () => {
    const file = make(SECOND, (write) => {
      write.session('ses_1');
      write.turn('ses_1', 'Sort the shelf.');
      write.message('ses_1', 'user', '{"text":"torn');
    });
    const { problems: lines } = ingestMany(project.repository, [file], { here: true });
    expect(lines).toMatchObject([{ file: `${file}#ses_1`, message: expect.stringContaining('text') }]);
  });

  test('has a revert taken back, and brought again', () => {
    const file = make(SECOND, (write) => {
      write.session('ses_1', { revert: JSON.stringify({ messageID: 'msg_ses_13' }) });
      write.turn('ses_1', 'Sort the shelf.');
      write.turn('ses_1', 'Burn the shelf.');
    });
    const linesAt = (): string => {
      const [only] = [...(collectionAt(file, false, undefined) ?? [])];
      return Buffer.concat([...(only?.open().text.pieces(0) ?? [])].map((piece) => Buffer.from(piece))).toString(
        'utf8',
      );
    };
    expect(linesAt()).toContain('{"revert":{"messageID":"msg_ses_13"}}');
  });
});

describe.skipIf(!hasSqlite())('what is not read of a database is named', () => {
  test.each([
    ['a form of tomorrow alone', ['CREATE TABLE session_v3 (id text)', 'CREATE TABLE project (id text)'], 'session_v3'],
    ['sessions without the messages that are known', [SECOND[1] as string], 'session_v2'],
    ['nothing that was ever heard of', ['CREATE TABLE conversation (id text)'], 'conversation'],
  ])('%s', (_what, tables, name) => {
    const file = make(tables);
    expect(problems()).toEqual([
      expect.stringMatching(new RegExp(`${file} .* form that this ctx does not know .*${name}`)),
    ]);
    expect(status().complete).toBe(false);
    const { problems: lines } = ingestMany(project.repository, [file], { here: true });
    expect(lines).toMatchObject([{ file, message: expect.stringContaining('does not know') }]);
  });

  test('a form of tomorrow beside one that is known: that is read, and the other is named once there is something in it', () => {
    const file = make([...SECOND, 'CREATE TABLE session_v3 (id text)'], (write) => {
      write.session('ses_1');
      write.turn('ses_1', 'Sort the shelf.');
    });
    expect(status()).toMatchObject({ turns: 1, problems: [] });
    const later = database(file);
    later.exec("INSERT INTO session_v3 VALUES ('ses_9')");
    later.close();
    expect(status()).toMatchObject({ turns: 1, complete: false });
    expect(problems()).toEqual([expect.stringContaining('session_v3')]);
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({
      turns_added: 1,
      problems: [{ message: expect.stringContaining('session_v3') }],
    });
    const { sessions, problems: lines } = ingestMany(makeProject().repository, [file], { here: true });
    expect([sessions.length, lines.length]).toEqual([1, 1]);
  });

  test.each(['WAL', 'DELETE'])('a database that is locked, with the journal %s', (mode) => {
    const file = make(SECOND, (write) => write.session('ses_1'));
    const held = database(file);
    held.exec(`PRAGMA journal_mode = ${mode}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
    held.exec("INSERT INTO project VALUES ('p', '/')");
    try {
      expect(problems()).toEqual([expect.stringMatching(/opencode\.db.*locked/)]);
    } finally {
      held.close();
    }
  });

  test('a damaged one', () => {
    const file = make(SECOND, (write) => write.session('ses_1'));
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x55)]));
    expect(problems()).toEqual([expect.stringContaining(file)]);
  });

  test('a table that lacks a column', () => {
    make(
      [SECOND[1] as string, 'CREATE TABLE session_message (id text, session_id text, type text, time_created integer)'],
      (write) => {
        write.session('ses_1');
      },
    );
    expect(problems()).toEqual([expect.stringMatching(/opencode\.db.*no such column/)]);
  });
});

describe('where databases lie', () => {
  const turn = (prompt: string) => (write: Writing) => {
    const id = `ses_${prompt.length}`;
    write.session(id);
    write.turn(id, prompt);
  };

  test.skipIf(!hasSqlite())('those of all channels are read, and each session once', () => {
    make(SECOND, turn('Of the release.'));
    make(SECOND, turn('Of the release.'), 'opencode-beta.db');
    make(SECOND, turn('Of a channel of its own.'), 'opencode-my.branch-2.db');
    expect(status()).toMatchObject({ turns: 2, problems: [] });
  });

  test.skipIf(!hasSqlite())('one of another program beside them is named as what it is', () => {
    const file = make(['CREATE TABLE memory (id text)'], () => {}, 'opencode-memory.db');
    expect(problems()).toEqual([`${file} is an SQLite database, which ctx does not read.`]);
  });

  test.skipIf(!hasSqlite()).each([
    ['by a name in the folder', 'mine.sqlite'],
    ['by a path', '/'],
  ])('OPENCODE_DB names one more, %s', (_way, name) => {
    make(SECOND, turn('Of the release.'));
    const file = make(SECOND, turn('Of a place of its own.'), 'mine.sqlite');
    const OPENCODE_DB = name === '/' ? file : name;
    expect(status({ OPENCODE_DB })).toMatchObject({ turns: 2, problems: [] });
    // One that was named once is still read by what stands in it.
    expect(status({ OPENCODE_DB: ':memory:' })).toMatchObject({ turns: 2, problems: [] });
  });

  test.skipIf(!hasSqlite())('one that OPENCODE_DB names is named if it is of a form that is not known', () => {
    const elsewhere = join(temporaryFolder(), 'mine.sqlite');
    const made = database(elsewhere);
    made.exec('CREATE TABLE conversation (id text)');
    made.close();
    expect(problems()).toEqual([]);
    expect(problems({ OPENCODE_DB: elsewhere })).toEqual([expect.stringContaining(elsewhere)]);
  });

  test.skipIf(!hasSqlite())('one that nothing was put into yet holds nothing', () => {
    make(['CREATE TABLE gone (id text)', 'DROP TABLE gone']);
    expect(status()).toMatchObject({ complete: true, problems: [] });
  });

  test('a file of that name that is no database is named, and one that is empty holds nothing', () => {
    writeFileSync(join(data(), 'opencode.db'), '');
    expect(status()).toMatchObject({ complete: true, problems: [] });
    writeFileSync(join(data(), 'opencode.db'), 'U2FsdGVkX1'.repeat(100));
    expect(problems()).toEqual([expect.stringContaining('opencode.db')]);
    writeFileSync(join(data(), 'opencode.db'), SQLITE_MAGIC.padEnd(4096, '\x55'));
    expect(problems()).toEqual([expect.stringContaining('opencode.db')]);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that cannot be listed is named', () => {
    chmodSync(data(), 0o000);
    try {
      expect(problems()).toEqual(expect.arrayContaining([expect.stringContaining(data())]));
    } finally {
      chmodSync(data(), 0o700);
    }
  });

  test.skipIf(hasSqlite())('a Node that reads no databases names those of opencode 2, too', () => {
    const words = [...SECOND, ...FIRST].join('\n');
    writeFileSync(join(data(), 'opencode.db'), `${SQLITE_MAGIC}${SECOND.join('\n')}`);
    writeFileSync(join(data(), 'opencode-beta.db'), `${SQLITE_MAGIC}${words}`);
    expect(status()).toMatchObject({ complete: false });
    expect(problems()).toEqual([
      expect.stringMatching(/opencode\.db is a database of opencode, and Node .* reads no databases/),
      expect.stringContaining('opencode-beta.db is a database of opencode'),
    ]);
    writeFileSync(join(data(), 'opencode-beta.db'), `${SQLITE_MAGIC}CREATE TABLE session_v3 (id text)`);
    expect(problems()[1]).toContain('session_v3');
  });
});
