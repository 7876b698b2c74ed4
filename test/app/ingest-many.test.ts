// Folders of transcripts: each becomes a session of its own project, children know their parents, and no file stops another.
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from '../../src/app/intake/many.ts';
import { readLog } from '../../src/app/log.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { SESSIONS, sessionRef } from '../../src/history/names/layout.ts';
import { fsck, makeProject, type Project, ROOT, temporaryFolder } from '../support/store.ts';

const HOUR = 3600;
/** The time of a project. */
const NOW = 1_769_040_000;

let project: Project;
let folder: string;

beforeEach(() => {
  project = makeProject();
  folder = temporaryFolder();
});

interface Told {
  /** The agent's id of the session. */
  id: string;
  cwd?: string;
  /** Seconds before now. */
  ago?: number;
  prompt?: string;
  /** Of a sub-agent with this id. */
  agentId?: string;
}

/** The lines of a small conversation, as Claude Code writes it. */
function conversation({ id, cwd = project.folder, ago = HOUR, prompt = `Do ${id}`, agentId }: Told): string[] {
  const own = agentId === undefined ? {} : { isSidechain: true, agentId };
  const timestamp = new Date((NOW - ago) * 1000).toISOString();
  const say = (uuid: string, parentUuid: string | null, message: object): string =>
    JSON.stringify({
      type: parentUuid ? 'assistant' : 'user',
      uuid,
      parentUuid,
      ...own,
      sessionId: id,
      timestamp,
      cwd,
      message,
    });
  const prefix = agentId ?? id;
  return [
    say(`${prefix}-1`, null, { role: 'user', content: prompt }),
    say(`${prefix}-2`, `${prefix}-1`, {
      id: `m-${prefix}`,
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
    }),
  ];
}

function put(name: string, lines: readonly string[]): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

const ingest = (options: IngestManyOptions = {}, paths = [folder]): IngestManyResult =>
  ingestMany(project.open(), paths, options);
const tasks = (result: IngestManyResult): string[] => result.sessions.map(({ task_description }) => task_description);
const current = (): string | null => {
  const status = sessionStatus(project.open());
  return status.active ? status.task_description : null;
};

describe('what is found', () => {
  test('transcripts anywhere below, by their content, the newest last; other files are counted', () => {
    put('a/newest.txt', conversation({ id: 'newest', ago: 60 }));
    put('b/c/oldest.jsonl', conversation({ id: 'oldest', ago: 9000 }));
    put('middle', conversation({ id: 'middle', ago: 500 }));
    put('notes.jsonl', ['{"hello":1}']);
    put('empty.jsonl', []);
    put('.git/in-git.jsonl', conversation({ id: 'in-git' }));
    put('node_modules/x.jsonl', conversation({ id: 'package' }));
    const result = ingest();
    expect(tasks(result)).toEqual(['Do oldest', 'Do middle', 'Do newest']);
    expect(result.passed_over).toEqual([join(folder, 'empty.jsonl'), join(folder, 'notes.jsonl')]);
    expect(result).toMatchObject({ problems: [], left_out: [], older: 0 });
    expect(result.totals).toMatchObject({ created: 3, added: 0, unchanged: 0, messages: 6, lines: 6, steps_added: 3 });
  });

  test('Codex and Claude Code beside each other; --agent takes one of them', () => {
    cpSync(join(ROOT, 'fixtures', 'codex'), join(folder, 'codex'), { recursive: true });
    put('claude.jsonl', conversation({ id: 'claude' }));
    const result = ingest({ agent: 'claude-code' });
    expect(tasks(result)).toEqual(['Do claude']);
    expect(result.passed_over.length).toBeGreaterThan(5);
    expect(new Set(ingest().sessions.map(({ agent }) => agent))).toEqual(new Set(['claude-code', 'codex']));
    expect(() => ingest({ agent: 'nobody' })).toThrow('There is no agent nobody.');
  });

  test('a file that is named twice, or linked to, is read once; a link that leads round is not followed', () => {
    const file = put('one.jsonl', conversation({ id: 'one' }));
    symlinkSync(file, join(folder, 'link.jsonl'));
    symlinkSync(folder, join(folder, 'round'));
    symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
    const result = ingest({}, [folder, file]);
    expect(result.sessions).toHaveLength(1);
    expect(result.problems).toEqual([]);
  });

  test('selects by the time of the last record, or of the file if no record has a time', () => {
    put('old.jsonl', conversation({ id: 'old', ago: 5 * HOUR }));
    put('young.jsonl', conversation({ id: 'young', ago: HOUR }));
    const timeless = (id: string, ago: number): void => {
      const file = put(
        `${id}.jsonl`,
        conversation({ id }).map((line) => line.replace(/"timestamp":"[^"]*",/, '')),
      );
      utimesSync(file, NOW - ago, NOW - ago);
    };
    timeless('old-file', 5 * HOUR);
    timeless('young-file', HOUR);
    // A line that is longer than what is looked at first.
    const long = conversation({ id: 'long', ago: HOUR, prompt: 'x'.repeat(100_000) });
    const file = put('long.jsonl', [long[1] as string, long[0] as string]);
    utimesSync(file, NOW - 5 * HOUR, NOW - 5 * HOUR);
    const result = ingest({ since: NOW - 2 * HOUR });
    expect(result.sessions.map(({ agent_session_id }) => agent_session_id).sort()).toEqual([
      'long',
      'young',
      'young-file',
    ]);
    expect(result.older).toBe(2);
  });
});

describe('one bad file', () => {
  test('never stops the rest, and is named with its line', () => {
    const [first, second] = conversation({ id: 'damaged' }) as [string, string];
    const damaged = put('damaged.jsonl', [first, '{"type":', second]);
    const locked = put('locked.jsonl', conversation({ id: 'locked' }));
    put('sound.jsonl', conversation({ id: 'sound' }));
    chmodSync(locked, 0);
    const isRoot = process.getuid?.() === 0;
    const missing = join(folder, 'missing.jsonl');
    const notes = put('notes.txt', ['nothing']);
    const result = ingest({}, [missing, notes, folder]);
    expect(tasks(result)).toEqual(expect.arrayContaining(['Do damaged', 'Do sound']));
    const files = result.problems.map(({ file, line }) => [file, line]);
    expect(files).toEqual(
      expect.arrayContaining([
        [missing, null],
        [notes, null],
        [damaged, 2],
      ]),
    );
    expect(files).toHaveLength(isRoot ? 3 : 4);
    expect(() => ingest({}, [missing])).toThrow(`There is no file ${missing}.`);
  });

  test('keeps what is done if it is cut off in the middle, and the same command continues', () => {
    for (let index = 0; index < 6; index += 1)
      put(`${index}.jsonl`, conversation({ id: `s${index}`, ago: HOUR - index }));
    const stop = (): void => {
      ingest({
        progress: ({ done, total }) => {
          if (total === 6 && done === 3 && project.open().refs.names(SESSIONS).length === 3) throw new Error('Ctrl-C');
        },
      });
    };
    expect(stop).toThrow('Ctrl-C');
    expect(project.open().refs.names(SESSIONS)).toHaveLength(3);
    expect(current()).toBeNull();
    expect(ingest().totals).toMatchObject({ created: 3, unchanged: 3 });
    expect(current()).toBeNull();
    expect(ingest().totals).toMatchObject({ created: 0, added: 0, unchanged: 6, lines: 0 });
    expect(fsck(project.store)).toBe('');
  });

  test('a file that grew is added to, and copies of other times bring nothing twice', () => {
    const grown = ['1', '2', '3'].map((name) => join(ROOT, 'fixtures', 'claude-code', 'growth', `${name}.jsonl`));
    for (const [index, file] of grown.entries()) cpSync(file, join(folder, `${index}.jsonl`));
    const result = ingest();
    expect(result.totals).toMatchObject({ created: 1, added: 0, unchanged: 0 });
    expect(result.sessions.map(({ steps_added }) => steps_added > 0)).toEqual([true, true, true]);
    const whole = makeProject();
    const { session_id } = ingestTranscript(whole.repository, grown[2] as string);
    const messages = (place: Project, id: string): number =>
      [...showRevision(place.open(), id).steps]
        .flatMap(({ observations }) => observations)
        .filter(({ kind }) => kind === 'message').length;
    expect(messages(project, result.sessions[0]?.session_id as string)).toBe(messages(whole, session_id));
    expect(ingest().totals).toMatchObject({ created: 0, added: 0, unchanged: 3 });
  });
});

test('what one command took in is undone at once, and brought back at once', () => {
  const open = (): string[] => [...project.open().refs.names(SESSIONS)].sort();
  startSession(project.open(), 'mine');
  const mine = open();
  for (const id of ['a', 'b', 'c']) put(`${id}.jsonl`, conversation({ id }));
  expect(ingest().sessions).toHaveLength(3);
  const all = open();
  expect(all).toHaveLength(4);
  const { undone } = undoOperations(project.open());
  expect(undone.map(({ command }) => command)).toEqual(['ingest', 'ingest', 'ingest']);
  expect(new Set(undone.map(({ run }) => run)).size).toBe(1);
  expect(open()).toEqual(mine);
  expect(undoOperations(project.open()).undone).toMatchObject([
    { command: 'undo', of: { command: 'ingest', stands: true } },
  ]);
  expect(open()).toEqual(all);
  // Two commands are two.
  put('d.jsonl', conversation({ id: 'd' }));
  expect(ingest({}, [join(folder, 'd.jsonl')]).sessions).toHaveLength(1);
  put('e.jsonl', conversation({ id: 'e' }));
  expect(ingest({}, [join(folder, 'e.jsonl')]).sessions).toHaveLength(1);
  expect(undoOperations(project.open()).undone).toHaveLength(1);
  expect(open()).toHaveLength(5);
  expect(fsck(project.store)).toBe('');
});

describe('which session is the current one', () => {
  test('with activate, is the newest, and the others stay open', () => {
    put('a.jsonl', conversation({ id: 'a', ago: 3 * HOUR }));
    put('b.jsonl', conversation({ id: 'b', ago: 2 * HOUR }));
    put('b/subagents/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', ago: HOUR }));
    const result = ingest({ activate: true });
    expect(current()).toBe('Do b');
    expect(result.sessions.map(({ current: is }) => is)).toEqual([false, true, false]);
    expect(listSessions(project.open())).toHaveLength(3);
  });

  test('with activate, is the one that continued last, though it came first for its child', () => {
    put('a.jsonl', conversation({ id: 'a', ago: HOUR }));
    put('a/subagents/agent-x.jsonl', conversation({ id: 'a', agentId: 'x', ago: 3 * HOUR }));
    put('b.jsonl', conversation({ id: 'b', ago: 2 * HOUR }));
    expect(ingest({ activate: true }).sessions.map(({ current: is }) => is)).toEqual([true, false, false]);
    expect(current()).toBe('Do a');
  });

  test('is found without reading the packs that ingests leave', () => {
    const turns = Array.from({ length: 80 }, (_, turn) =>
      conversation({ id: 'long' }).map((line) => line.replaceAll('"long-', `"long-${turn}-`)),
    );
    put('long.jsonl', turns.flat());
    ingest({ activate: true });
    const pack = join(project.store, 'objects', 'pack');
    expect(readdirSync(pack).filter((name) => name.endsWith('.pack'))).toHaveLength(1);
    renameSync(pack, join(folder, 'pack'));
    expect(sessionStatus(project.open())).toMatchObject({ session_state: { kind: 'PendingComplete' } });
  });

  test('is none without activate', () => {
    put('a.jsonl', conversation({ id: 'a' }));
    expect(ingest().sessions[0]).toMatchObject({ open: true, current: false });
    expect(current()).toBeNull();
  });

  test('the active one stays it without activate, and is replaced with it', () => {
    const file = put('a.jsonl', conversation({ id: 'a', ago: 3 * HOUR }));
    ingestTranscript(project.repository, file);
    put('b.jsonl', conversation({ id: 'b', ago: 2 * HOUR }));
    ingest();
    expect(current()).toBe('Do a');
    ingest({ activate: true });
    expect(current()).toBe('Do b');
  });

  test('with --compact each is saved, the parent before its child', () => {
    put('b.jsonl', conversation({ id: 'b', ago: HOUR }));
    put('b/subagents/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', ago: 2 * HOUR, prompt: 'Look' }));
    put('a.jsonl', conversation({ id: 'a', ago: 3 * HOUR }));
    const result = ingest({ compact: true });
    expect(tasks(result)).toEqual(['Do a', 'Do b', 'Look']);
    const entries = [...readLog(project.open())];
    const child = entries.find((entry) => entry.task_description === 'Look');
    const parent = entries.find((entry) => entry.session_id === child?.parent_session_id);
    expect(child).toMatchObject({ task_description: 'Look', parent_session_id: parent?.session_id });
    expect(parent).toMatchObject({ task_description: 'Do b', parent_session_id: null });
    expect(project.open().refs.names(SESSIONS)).toEqual([]);
  });
});

describe('sessions idle for longer than the second threshold', () => {
  const WEEKS = 30 * 24 * HOUR;

  test('are archived at once, dated by their work, and the next start just works', () => {
    put('old.jsonl', conversation({ id: 'old', ago: WEEKS }));
    put('older.jsonl', conversation({ id: 'older', ago: 2 * WEEKS }));
    put('new.jsonl', conversation({ id: 'new' }));
    const result = ingest();
    expect(result.totals).toMatchObject({ created: 3, saved: 2 });
    expect(result.sessions.map(({ open }) => open)).toEqual([false, false, true]);
    const entries = [...readLog(project.open())];
    expect(entries.map(({ task_description, commit_type }) => [task_description, commit_type])).toEqual([
      ['Do old', { kind: 'StaleAutoCompact', idle_duration_secs: WEEKS }],
      ['Do older', { kind: 'StaleAutoCompact', idle_duration_secs: 2 * WEEKS }],
    ]);
    expect(entries[0]?.message).toMatch(/^Auto-saved: session idle for /);
    const authored = project.git('log', '-1', '--format=%at', 'main');
    expect(Number(authored)).toBe(NOW - WEEKS);
    expect(current()).toBeNull();
    startSession(project.open(), 'Go on');
    expect(current()).toBe('Go on');
    expect(ingest().totals).toMatchObject({ unchanged: 3, saved: 0 });
    expect(fsck(project.store)).toBe('');
  });

  test('with activate, the newest stays open and active, however old', () => {
    put('old.jsonl', conversation({ id: 'old', ago: WEEKS }));
    put('older.jsonl', conversation({ id: 'older', ago: 2 * WEEKS }));
    expect(ingest({ activate: true }).totals.saved).toBe(1);
    expect(current()).toBe('Do old');
    // The current session is the user's: it stays.
    expect(ingest().totals.saved).toBe(0);
    expect(current()).toBe('Do old');
  });

  test('a run that was cut off before is completed by the next one', () => {
    const file = put('old.jsonl', conversation({ id: 'old', ago: WEEKS }));
    ingestTranscript(project.repository, file, { beside: true });
    expect(ingest().totals).toMatchObject({ unchanged: 1, saved: 1 });
  });

  test('are back, all of them, after one undo', () => {
    put('old.jsonl', conversation({ id: 'old', ago: WEEKS }));
    put('new.jsonl', conversation({ id: 'new' }));
    ingest({ activate: true });
    ingest();
    undoOperations(project.open());
    expect([...readLog(project.open())]).toEqual([]);
    expect(project.open().refs.names(SESSIONS)).toEqual([]);
    expect(current()).toBeNull();
  });
});

describe('sub-agents and copies', () => {
  test('a sub-agent of Claude Code is a child of its session, and the file next to its transcript is known', () => {
    put('b/subagents/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', ago: 2 * HOUR }));
    writeFileSync(
      join(folder, 'b/subagents/agent-x.meta.json'),
      JSON.stringify({ agentType: 'Explore', description: 'Look around', toolUseId: 'toolu_1' }),
    );
    const alone = ingest({}, [join(folder, 'b')]);
    expect(alone.sessions[0]).toMatchObject({ agent_session_id: 'b/agent-x', parent_session_id: null });
    expect(current()).toBeNull();
    put('b.jsonl', conversation({ id: 'b' }));
    const result = ingest();
    const parent = result.sessions.find(({ agent_session_id }) => agent_session_id === 'b')?.session_id;
    // It was there before its parent: it is found all the same.
    const child = alone.sessions[0]?.session_id as string;
    expect(showRevision(project.open(), child)).toMatchObject({ parent_session_id: parent, title: 'Look around' });
    const listed = listSessions(project.open()).find((one) => 'session_id' in one && one.session_id === child);
    expect(listed).toMatchObject({ parent_session_id: parent });
    const [document] = project.git('show', `${sessionRef(child)}:session.json`).split('\n');
    expect(JSON.parse(document as string)).toMatchObject({
      parent_agent_session_id: 'b',
      parent_tool_call_id: 'toolu_1',
      sub_agent_type: 'Explore',
    });
    // With the next step it stands in the session itself.
    put('b/subagents/agent-x.jsonl', [
      ...conversation({ id: 'b', agentId: 'x', ago: 2 * HOUR }),
      ...conversation({ id: 'b', agentId: 'x', ago: HOUR }).map((line) =>
        line.replaceAll('"x-', '"y-').replace('m-x', 'm-y'),
      ),
    ]);
    expect(ingest().totals).toMatchObject({ added: 1 });
    expect(JSON.parse(project.git('show', `${sessionRef(child)}:session.json`))).toMatchObject({
      parent_session_id: parent,
    });
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test.each([
    [
      'begun and left',
      (lines: readonly string[]) => [JSON.stringify({ type: 'last-prompt', sessionId: 'b' }), ...lines],
    ],
    ['cut off', (lines: readonly string[]) => ['{"type":"user","sessionId":"b","uuid', ...lines]],
  ])('a file of the parent that is older, %s and without a conversation does not put the child first', (_, lines) => {
    const enqueued = (ago: number): string =>
      JSON.stringify({
        ...{ type: 'queue-operation', operation: 'enqueue', sessionId: 'b', content: 'x' },
        timestamp: new Date((NOW - ago) * 1000).toISOString(),
      });
    put('a-stub.jsonl', lines([enqueued(9 * HOUR)]));
    put('b.jsonl', conversation({ id: 'b' }));
    put('b/subagents/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', ago: 2 * HOUR, prompt: 'Look' }));
    const { sessions } = ingest();
    expect(sessions.map(({ task_description }) => task_description)).toEqual(['Do b', 'Look']);
    expect(sessions[1]?.parent_session_id).toBe(sessions[0]?.session_id);
    expect(
      JSON.parse(project.git('show', `${sessionRef(sessions[1]?.session_id as string)}:session.json`)),
    ).toMatchObject({ parent_session_id: sessions[0]?.session_id });
  });

  test('the file of a sub-agent named first, or its chat beside one that holds only a header: a child all the same', () => {
    const parent = put('b.jsonl', conversation({ id: 'b' }));
    const child = put('b/subagents/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', ago: 2 * HOUR }));
    const named = ingest({}, [child, parent]).sessions;
    expect(named.map(({ parent_session_id }) => parent_session_id)).toEqual([null, named[0]?.session_id]);
    const [hour, id] = [(at: number) => `2026-01-21T0${at}:00:00.000Z`, '11111111-2222-4333-8444-555555555555'];
    const header = (sessionId: string, at: number, kind = 'main'): string =>
      JSON.stringify({ sessionId, projectHash: 'ab'.repeat(32), startTime: hour(at), lastUpdated: hour(at), kind });
    const said = (at: number): string =>
      JSON.stringify({ id: `u${at}`, timestamp: hour(at), type: 'user', content: [{ text: `At ${at}` }] });
    const chats = 'gemini/chats';
    put(`${chats}/session-stub.jsonl`, [header(id, 1)]);
    put(`${chats}/session-a.jsonl`, [header(id, 4), said(5)]);
    put(`${chats}/${id}/sub.jsonl`, [header('sub', 2, 'subagent'), said(3)]);
    const { sessions } = ingest({ here: true }, [join(folder, 'gemini')]);
    expect(sessions.map(({ task_description }) => task_description)).toEqual(['At 5', 'At 3']);
    expect(sessions.map(({ parent_session_id }) => parent_session_id)).toEqual([null, sessions[0]?.session_id]);
  });

  test('rollouts of Codex name the one that started them, or that they are copies of', () => {
    cpSync(join(ROOT, 'fixtures', 'codex'), folder, { recursive: true });
    const { sessions } = ingest();
    const byId = new Map(sessions.map((session) => [session.agent_session_id.slice(-1), session]));
    expect(byId.get('5')?.parent_session_id).toBe(byId.get('1')?.session_id);
    expect(byId.get('6')?.parent_session_id).toBe(byId.get('4')?.session_id);
    expect(byId.get('1')?.parent_session_id).toBeNull();
  });
});

describe('projects', () => {
  const idsIn = (place: Project): string[] =>
    listSessions(place.open()).flatMap((one) => ('session_id' in one ? [one.task_description] : []));

  test('a session goes where its own folder says, not where ctx runs', () => {
    const other = makeProject();
    const storeless = temporaryFolder();
    const deep = join(project.folder, 'deep');
    mkdirSync(deep);
    put('own.jsonl', conversation({ id: 'own', cwd: deep }));
    put('other.jsonl', conversation({ id: 'other', cwd: other.folder, ago: 60 }));
    put('strange.jsonl', conversation({ id: 'strange', cwd: storeless, ago: 30 }));
    put('gone.jsonl', conversation({ id: 'gone', cwd: '/home/dev/acme-http', ago: 20_000 }));
    const result = ingest({ activate: true });
    expect(idsIn(project)).toEqual(['Do own', 'Do gone']);
    expect(idsIn(other)).toEqual(['Do other']);
    expect(sessionStatus(other.open()).active).toBe(false);
    expect(current()).toBe('Do own');
    expect(result.left_out).toEqual([{ file: join(folder, 'strange.jsonl'), agent: 'claude-code', cwd: storeless }]);
    expect(result.sessions.map(({ other_cwd, other_store }) => [other_cwd, other_store])).toEqual([
      ['/home/dev/acme-http', null],
      [null, null],
      [other.folder, other.store],
    ]);
  });

  test('all come into this store where that is asked for', () => {
    const other = makeProject();
    put('other.jsonl', conversation({ id: 'other', cwd: other.folder }));
    put('strange.jsonl', conversation({ id: 'strange', cwd: temporaryFolder(), ago: 60 }));
    expect(ingest({ here: true })).toMatchObject({ left_out: [], totals: { created: 2 } });
    expect(idsIn(project)).toHaveLength(2);
    expect(idsIn(other)).toEqual([]);
  });

  test('a sub-agent goes with the session that started it, wherever it worked', () => {
    put('b.jsonl', conversation({ id: 'b' }));
    put('b/agent-x.jsonl', conversation({ id: 'b', agentId: 'x', cwd: temporaryFolder() }));
    // Tells nothing of where.
    put('a-stub.jsonl', ['{"type":"last-prompt","sessionId":"b","lastPrompt":"x"}']);
    expect(ingest().left_out).toEqual([]);
    expect(idsIn(project)).toHaveLength(2);
  });

  test.each(['HEAD', 'refs/heads/main'])(
    'a store of another project whose %s is damaged is a problem of its own',
    (harm) => {
      const other = makeProject();
      writeFileSync(join(other.store, harm), 'nonsense');
      const file = put('other.jsonl', conversation({ id: 'other', cwd: other.folder }));
      put('own.jsonl', conversation({ id: 'own' }));
      const result = ingest();
      expect(tasks(result)).toEqual(['Do own']);
      expect(result.problems.map(({ file: named }) => named)).toEqual([file]);
    },
  );
});
