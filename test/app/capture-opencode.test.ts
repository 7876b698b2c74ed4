// Tests the stored state of opencode's sessions, compared with the files and the database that it keeps all of them in.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { lookAtCapture } from '../../src/app/doctor/capture.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { showRevision } from '../../src/app/show.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

let project: Project;
let home: string;
const around = () => ({ environment: { HOME: home } });
const status = () => captureStatus(project.open(), around());
const seen = () => status().conversations.map((each) => `${each.captured} ${each.turns_stored}/${each.turns}`);

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
});

const data = (): string => join(home, '.local', 'share', 'opencode');
const AT = 1_769_040_000_000;

interface Told {
  info: object;
  messages: { info: { id: string }; parts: { id: string }[] }[];
}

/** A session as opencode keeps it. */
function session(id: string, directory: string, prompts: string[], more: object = {}): Told {
  const part = (message: string, text: string) => ({
    id: `prt_${message}`,
    sessionID: id,
    messageID: message,
    type: 'text',
    text,
  });
  const messages = prompts.flatMap((prompt, index) => {
    const [ask, answer] = [`msg_${id}_${index}a`, `msg_${id}_${index}b`];
    const time = { created: AT + index * 60_000, completed: AT + index * 60_000 + 1000 };
    return [
      { info: { id: ask, sessionID: id, role: 'user', time }, parts: [part(ask, prompt)] },
      {
        info: { id: answer, sessionID: id, role: 'assistant', time, finish: 'stop' },
        parts: [part(answer, `Done: ${prompt}`)],
      },
    ];
  });
  return { info: { id, directory, title: 'A session', time: { created: AT, updated: AT }, ...more }, messages };
}

function put(path: string, value: object): void {
  const file = join(data(), 'storage', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

function store({ info, messages }: Told): void {
  const { id } = info as { id: string };
  put(`session/p1/${id}.json`, info);
  for (const message of messages) {
    put(`message/${id}/${message.info.id}.json`, message.info);
    for (const part of message.parts) put(`part/${message.info.id}/${part.id}.json`, part);
  }
}

test('the sessions of this project, and none of its sub-agents or of another project', () => {
  store(session('ses_1', project.folder, ['Add a cache', 'Now test it']));
  store(session('ses_2', join(project.folder, 'packages/core'), ['Fix the parser']));
  store(session('ses_3', project.folder, ['Look for caches'], { parentID: 'ses_1' }));
  store(session('ses_4', '/home/dev/acme-http', ['Nothing of ours']));
  expect(seen().sort()).toEqual(['never 0/1', 'never 0/2']);
  expect(status()).toMatchObject({ complete: false, problems: [] });
  const caught = catchUp(project.open(), { ...around(), all: true });
  expect(caught).toMatchObject({ turns_added: 3, problems: [] });
  expect(seen().sort()).toEqual(['captured 1/1', 'captured 2/2']);
  expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({ conversations: [], turns_added: 0 });
  store(session('ses_2', join(project.folder, 'packages/core'), ['Fix the parser', 'Go on']));
  expect(seen()).toContain('behind 1/2');
  expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 1, conversations: [{ created: false }] });
  expect(status()).toMatchObject({ complete: true, turns: 4, turns_stored: 4 });
});

test('XDG_DATA_HOME names another place', () => {
  store(session('ses_1', project.folder, ['Add a cache']));
  const environment = { HOME: '/nonexistent', XDG_DATA_HOME: join(home, '.local', 'share') };
  expect(captureStatus(project.open(), { environment })).toMatchObject({ turns: 1 });
});

test('a session that the plugin reported is continued with what only the messages have', async () => {
  const hook = (hook_event_name: string, fields: object) =>
    handleHook(
      'opencode',
      JSON.stringify({
        hook_event_name,
        session_id: 'ses_1',
        sub_agent: null,
        transcript_path: null,
        cwd: project.folder,
        ...fields,
      }),
      { directory: project.folder, clock: project.clock },
    );
  await hook('session_start', { source: 'startup' });
  await hook('prompt', { prompt: 'Add a cache' });
  await hook('turn_end', { text: 'Done: Add a cache' });
  store(session('ses_1', project.folder, ['Add a cache']));
  expect(seen()).toEqual(['behind 0/1']);
  const [told] = status().conversations;
  expect(told?.told_by_hooks).toBe(true);
  expect([...lookAtCapture(status())].map(({ severity, hint }) => [severity, hint])).toEqual([
    ['note', 'ctx capture catch-up'],
  ]);
  expect(catchUp(project.open(), around())).toMatchObject({
    conversations: [{ session_id: told?.session_id, created: false, turns_added: 1 }],
  });
  expect(seen()).toEqual(['captured 1/1']);
  expect(showRevision(project.open(), 'STAGE')).toMatchObject({ session_state: { kind: 'PendingComplete' } });
});

describe('its database', () => {
  const file = (): string => join(data(), 'opencode.db');
  const { DatabaseSync } = sqlite();

  test.skipIf(DatabaseSync === undefined)('tells of the same, and counts before the files that it was made of', () => {
    store(session('ses_1', project.folder, ['Add a cache']));
    const told = session('ses_1', project.folder, ['Add a cache', 'Now test it']);
    const database = new (DatabaseSync as NonNullable<typeof DatabaseSync>)(file());
    database.exec(
      `CREATE TABLE session (id TEXT, directory TEXT, parent_id TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
       CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
       CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);`,
    );
    database.prepare('INSERT INTO session VALUES (?, ?, NULL, ?, ?, ?)').run('ses_1', project.folder, 'A', AT, AT);
    for (const { info, parts } of told.messages) {
      database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(info.id, 'ses_1', AT, JSON.stringify(info));
      for (const part of parts)
        database.prepare('INSERT INTO part VALUES (?, ?, ?, ?)').run(part.id, info.id, 'ses_1', JSON.stringify(part));
    }
    database.close();
    expect(seen()).toEqual(['never 0/2']);
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({ turns_added: 2, problems: [] });
    expect(seen()).toEqual(['captured 2/2']);
  });

  test.skipIf(DatabaseSync !== undefined)('names the Node that could read it, where this one cannot', () => {
    mkdirSync(data(), { recursive: true });
    writeFileSync(file(), 'SQLite format 3\0 CREATE TABLE session ( CREATE TABLE message ( CREATE TABLE part (');
    const hint = expect.stringContaining('run ctx with Node 22.13 or later') as string;
    expect(status()).toMatchObject({ complete: false, problems: [{ agent: 'opencode', reason: 'machine', hint }] });
  });
});

/** Functions of Node's own, which the types of the oldest Node do not know. */
interface Database {
  exec: (sql: string) => void;
  prepare: (sql: string) => { run: (...values: unknown[]) => void };
  close: () => void;
}

function sqlite(): { DatabaseSync?: new (file: string) => Database } {
  try {
    return createRequire(import.meta.url)('node:sqlite') as { DatabaseSync: new (file: string) => Database };
  } catch {
    return {};
  }
}
