// Everything in an agent's places is a conversation, known to be none, or named with the reason: by capture status, doctor and ingest.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import { unreadLookup } from '../../src/app/transcript/unread-lookup.ts';
import { conversation, put, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, ROOT, temporaryFolder } from '../support/store.ts';
import { stored } from '../support/zstd.ts';

let project: Project;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  environment = { HOME: home };
});

const status = () => captureStatus(project.open(), { environment });
const named = () => status().problems.map(({ reason, file }) => `${reason} ${file.slice(home.length + 1)}`);
const findings = () =>
  examine({ directory: project.folder, environment, node: process.execPath, program: 'ctx' }).findings;
const json = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const gzip = gzipSync('a conversation');
const zstd = stored(Buffer.from('no JSON\n'));
const database = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(84)]);

/** Places of a project's own in each agent's home, and the name of a conversation there. */
const places: [agent: string, folder: () => string, name: string][] = [
  [
    'claude-code',
    () => `.claude/projects/${folderNameOf(project.folder)}`,
    '41fa3607-9d41-5607-905b-d0f910ab2865.jsonl',
  ],
  ['codex', () => '.codex/sessions/2026/11/01', 'rollout-2026-11-01T10-00-00-1.jsonl'],
  ['codex', () => '.codex/archived_sessions', 'rollout-2026-11-01T10-00-00-2.jsonl'],
  [
    'gemini',
    () => `.gemini/tmp/${createHash('sha256').update(project.folder).digest('hex')}/chats`,
    'session-2026-11-01T10-00-x.json',
  ],
  ['pi', () => `.pi/agent/sessions/-${project.folder.replaceAll('/', '-')}--`, '2026-11-01T10-00-00-000Z_1.jsonl'],
  [
    'cursor',
    () => `.cursor/projects/${project.folder.slice(1).replaceAll(/[^a-zA-Z0-9]+/g, '-')}/agent-transcripts`,
    'a.jsonl',
  ],
  ['copilot', () => '.copilot/session-state/s1', 'events.jsonl'],
];

describe.each(places)('%s', (agent, folder, name) => {
  const write = (file: string, bytes: string | Buffer): void => {
    const path = join(home, folder(), file);
    put(path, '');
    writeFileSync(path, bytes);
  };

  test.each([
    ['compressed', `${name}.gz`, gzip],
    ['compressed', 'conversations.zst', zstd],
    ['compressed', `${name}.br`, Buffer.from([0x0b, 0x02, 0x80])],
    ['compressed', `${name}.age`, 'age-encryption.org/v1\n'],
    ['unknown', 'sessions.sqlite3', database],
    ['unknown', 'conversations.v9', '{"version":9}\n'],
  ])('names what is %s: %s', (reason, file, bytes) => {
    write(file, bytes);
    expect(status()).toMatchObject({ complete: false, conversations: [] });
    expect(named()).toEqual([`${reason} ${folder()}/${file}`]);
    expect(status().problems).toMatchObject([{ agent, message: expect.any(String), hint: expect.any(String) }]);
    const told = findings().filter(({ kind }) => kind === 'capture');
    expect(told.map(({ severity, message }) => [severity, message.includes(file)])).toEqual([['problem', true]]);
    const ingested = ingestMany(project.open(), [home], { environment });
    expect(ingested.problems.map((problem) => `${problem.reason} ${problem.file.slice(home.length + 1)}`)).toEqual(
      named(),
    );
    expect(ingested.passed_over).toEqual([]);
    expect(catchUp(project.open(), { environment, all: true }).problems).toHaveLength(1);
  });

  test('names a conversation in which nothing can be read, or that is packed under its own name', () => {
    write(name, 'no JSON at all\n');
    expect(named()).toEqual([expect.stringMatching(/^(unknown|damaged) /)]);
    write(name, gzip);
    expect(status()).toMatchObject({ complete: false, problems: [{ agent }] });
  });

  test('names what Zstandard has compressed in the words for its plain form, and as damaged where it is none', () => {
    write(`${name}.zst`, zstd);
    const [compressed] = status().problems;
    const [ingested] = ingestMany(project.open(), [join(home, folder())], { environment }).problems;
    expect(ingested?.message).toBe('is of a kind that ctx does not know.');
    rmSync(join(home, folder(), `${name}.zst`));
    write(name, 'no JSON\n');
    const [plain] = status().problems;
    expect({ ...compressed, message: compressed?.message.replaceAll('.zst', ''), hint: '' }).toEqual({
      ...{ ...plain, hint: '' },
      file: `${plain?.file}.zst`,
    });
    rmSync(join(home, folder(), name));
    write(`${name}.zst`, zstd.subarray(0, 8));
    expect(status().problems).toMatchObject([
      { agent, reason: 'damaged', message: expect.stringContaining('cannot be decompressed') },
    ]);
  });

  test('has nothing to name in an empty file, or in what the system leaves behind', () => {
    write(name, '');
    write('.DS_Store', database);
    write(`${name}.lock`, '1');
    expect(status()).toMatchObject({ complete: true, problems: [], conversations: [] });
    expect(ingestMany(project.open(), [home], { environment }).problems).toEqual([]);
  });
});

describe('what is known to be none', () => {
  test.each([
    ['sessions-index.json', '{}'],
    ['.session-aliases', '/x'],
    ['memory/MEMORY.md', '# Notes'],
    ['s1/tool-results/toolu_1.txt', 'out'],
    ['s1/subagents/agent-a1.jsonl', json({ type: 'user', isSidechain: true, agentId: 'a1' })],
    ['s1/subagents/agent-a1.meta.json', '{}'],
    ['s1/subagents/journal.jsonl', json({ type: 'started' })],
    ['s1/subagents/workflows/r1/agent-a1.jsonl', json({ type: 'user', isSidechain: true, agentId: 'a1' })],
    ['s1/subagents/workflows/r1/journal.jsonl', json({ type: 'started' })],
    ['s1/subagents/workflows/r1/deeper/r2/agent-a1.jsonl', json({ type: 'user', isSidechain: true, agentId: 'a1' })],
    ['s1/subagents/workflows/r1/deeper/r2/agent-a1.meta.json', '{}'],
    ['s1/subagents/workflows/r1/deeper/r2/journal.jsonl', json({ type: 'started' })],
    ['agent-a1.jsonl', json({ type: 'user', isSidechain: true, agentId: 'a1', message: {}, cwd: '/x' })],
    ['s2.jsonl', json({ type: 'summary', summary: 'x' }, { type: 'file-history-delta' })],
  ])('Claude Code: %s', (name, text) => {
    putTranscript(home, project.folder, '.keep', '');
    put(join(home, '.claude/projects', folderNameOf(project.folder), name), text);
    const at = named();
    expect(at.filter((each) => !each.endsWith('.keep'))).toEqual([]);
  });

  test.each([
    '.codex/sessions/index.sqlite',
    '.gemini/tmp/bin/rg',
    '.gemini/tmp/p/logs.json',
    '.gemini/tmp/p/shell_history',
    '.gemini/tmp/p/checkpoints/x.json',
    '.gemini/tmp/p/chats/5e551011-0000-4000-8000-000000000001/a1.jsonl',
    '.copilot/session-state/s1/workspace.yaml',
    '.copilot/session-state/s1/checkpoints/index.md',
    '.copilot/session-state/s1/session.db',
    '.local/share/opencode/auth.json',
    '.local/share/opencode/log/dev.log',
    '.local/share/opencode/opencode.db-wal',
  ])('%s', (name) => {
    put(join(home, name), 'x');
    expect(named()).toEqual([]);
  });

  test('records of a type that no agent is known to write are none of it', () => {
    putTranscript(
      home,
      project.folder,
      's3.jsonl',
      json({ type: 'summary', summary: 'x' }, { type: 'utterance', cwd: project.folder }),
    );
    expect(status().problems).toMatchObject([{ reason: 'unknown', message: expect.stringContaining('utterance') }]);
  });
});

test('what a session was read from is no file of an unknown kind, whatever its name and place', () => {
  const file = put(join(temporaryFolder(), 'kept.txt'), conversation('questions.jsonl', project.folder));
  ingestMany(project.open(), [file]);
  expect(status()).toMatchObject({ problems: [], conversations: [{ file, captured: 'captured' }] });
});

test.each([
  ['under its own path', (file: string) => file],
  ['through a link', (file: string) => join(temporaryFolder(), 'l', relative(home, file))],
])('a file that a session was read from %s, and that is not read now, is named once', (_, way) => {
  const text = readFileSync(join(ROOT, 'fixtures/codex/rollback.jsonl'), 'utf8');
  const file = put(
    join(home, '.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-1.jsonl'),
    text.replaceAll('/home/dev/acme-http', project.folder),
  );
  const given = way(file);
  if (given !== file) symlinkSync(home, given.slice(0, given.indexOf('/.codex')));
  expect(ingestMany(project.open(), [given]).sessions).toHaveLength(1);
  writeFileSync(file, gzip);
  expect(named()).toEqual([`compressed ${relative(home, file)}`]);
});

describe('sub-agents that were ingested with their caller', () => {
  test.each([
    ['agent-a1.jsonl', 'a1'],
    ['workflows/run1/agent-a2.jsonl', 'a2'],
    ['workflows/agent-a3.jsonl', 'a3'],
  ])('are no files of an unknown kind: %s', (name, agentId) => {
    const id = '41fa3607-9d41-5607-905b-d0f910ab2865';
    const base = { cwd: project.folder, sessionId: id, version: '2.1.0', timestamp: '2026-11-01T10:00:00.000Z' };
    const said = (uuid: string, isSidechain: boolean) => ({
      ...base,
      ...{ type: 'user', uuid, parentUuid: null, isSidechain, message: { role: 'user', content: 'Add a cache' } },
    });
    putTranscript(home, project.folder, `${id}.jsonl`, json(said('u1', false)));
    const below = join(home, '.claude/projects', folderNameOf(project.folder), id, 'subagents', name);
    const file = put(below, json({ ...said('u2', true), agentId }));
    const { sessions } = ingestMany(project.open(), [join(home, '.claude/projects')], { environment });
    expect(sessions).toHaveLength(2);
    ingestMany(project.open(), [file]);
    expect(status()).toMatchObject({ complete: true, problems: [], conversations: [{ captured: 'captured' }] });
  });
});

test.each(places.filter(([agent]) => agent === 'claude-code'))(
  'a conversation of %s that somebody has compressed is compared like a plain one',
  (_, folder, name) => {
    const text = conversation('questions.jsonl', project.folder);
    const file = put(join(home, folder(), `${name}.zst`), '');
    writeFileSync(file, stored(Buffer.from(text)));
    expect(status()).toMatchObject({ problems: [], conversations: [{ file, captured: 'never' }] });
    expect(catchUp(project.open(), { environment, all: true }).problems).toEqual([]);
    expect(status()).toMatchObject({ complete: true, conversations: [{ file, captured: 'captured' }] });
  },
);

describe('whose it is', () => {
  const below = (): string => `${folderNameOf(project.folder)}-below`;
  const strange = (folder: string): void => {
    put(join(home, '.claude/projects', folder, 'x.jsonl.gz'), 'x');
  };

  test("what is in another project's folder is not named", () => {
    strange('-elsewhere');
    put(join(home, '.pi/agent/sessions/--elsewhere--/x.jsonl.gz'), 'x');
    put(join(home, '.gemini/tmp/p/.project_root'), '/elsewhere\n');
    put(join(home, '.gemini/tmp/p/chats/session-x.json.gz'), 'x');
    put(
      join(home, `.gemini/tmp/${'0'.repeat(64)}/chats/session-1.jsonl`),
      json({ projectHash: '0'.repeat(64), kind: 'main' }),
    );
    put(join(home, `.gemini/tmp/${'0'.repeat(64)}/chats/session-x.json.gz`), 'x');
    put(join(home, '.copilot/session-state/s1/workspace.yaml'), 'id: s1\ncwd: /elsewhere\n');
    put(join(home, '.copilot/session-state/s1/events.jsonl.gz'), 'x');
    expect(status()).toMatchObject({ complete: true, problems: [] });
  });

  test('is named if nothing identifies its project, unless the conversations in its folder do', () => {
    strange(below());
    expect(named()).toEqual([`compressed .claude/projects/${below()}/x.jsonl.gz`]);
    const beside = (cwd: string): string => {
      put(join(home, '.claude/projects', below(), 'y.jsonl'), conversation('questions.jsonl', cwd));
      return named().join();
    };
    expect(beside(`${project.folder}-below`)).toBe('');
    expect(beside(`${project.folder}/below`)).toContain('x.jsonl.gz');
  });

  test('in a folder that the path of the project in it names, it is named', () => {
    put(join(home, '.gemini/tmp/p/.project_root'), `${project.folder}\n`);
    put(join(home, '.gemini/tmp/p/chats/session-x.json.gz'), 'x');
    put(join(home, '.copilot/session-state/s1/workspace.yaml'), `id: s1\ncwd: ${project.folder}\n`);
    put(join(home, '.copilot/session-state/s1/events.jsonl.gz'), 'x');
    expect(named()).toHaveLength(2);
  });

  test('CLAUDE_CODE_PROJECT_DIR_NAME names the folder of every project', () => {
    strange('mine');
    expect(named()).toEqual([]);
    environment = { ...environment, CLAUDE_CODE_PROJECT_DIR_NAME: 'mine' };
    expect(named()).toEqual(['compressed .claude/projects/mine/x.jsonl.gz']);
  });
});

test.skipIf(process.getuid?.() === 0)('what may not be read is denied, be it a file or a folder', () => {
  const file = putTranscript(home, project.folder, 'a.jsonl', conversation('questions.jsonl', project.folder));
  chmodSync(file, 0);
  const folder = join(home, '.codex/sessions/2026');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0);
  const reasons = status().problems.map(({ reason }) => reason);
  chmodSync(folder, 0o700);
  expect(reasons).toEqual(['denied', 'denied']);
});

describe('databases', () => {
  test('are those of opencode for any channel, and the one that OPENCODE_DB names', () => {
    const data = join(home, '.local/share/opencode');
    put(join(data, 'opencode-nightly.db'), '');
    for (const name of ['opencode.db', 'opencode-nightly.db']) writeFileSync(join(data, name), database);
    writeFileSync(join(data, 'later.db3'), database);
    expect(named().sort()).toEqual(
      ['damaged opencode-nightly.db', 'damaged opencode.db', 'unknown later.db3'].map((each) =>
        each.replace(' ', ' .local/share/opencode/'),
      ),
    );
    const file = put(join(home, 'mine.db'), '');
    writeFileSync(file, database);
    environment = { HOME: temporaryFolder(), OPENCODE_DB: file };
    expect(status().problems).toMatchObject([{ agent: 'opencode', file, reason: 'unknown' }]);
  });

  test('of opencode that are none are damaged, by every door', () => {
    const data = '.local/share/opencode/opencode.db';
    for (const bytes of [Buffer.from([7, 0, 200, 1, 0, 99]), Buffer.from('garbage\n')]) {
      writeFileSync(put(join(home, data), ''), bytes);
      expect(named()).toEqual([`damaged ${data}`]);
      const reason = 'damaged';
      const message = 'is no SQLite database, though its name says so.';
      expect(ingestMany(project.open(), [home], { environment }).passed_over).toEqual([]);
      expect(ingestMany(project.open(), [home], { environment }).problems).toMatchObject([{ reason, message }]);
      expect(findTranscripts([join(home, data)], undefined).problems).toMatchObject([{ reason, message }]);
    }
  });

  test("a chat of Cursor's is named as long as it has no transcript", () => {
    const id = '5f2b7c1e-3d4a-4b6c-8e9f-0a1b2c3d4e5f';
    const hash = createHash('md5').update(project.folder).digest('hex');
    put(join(home, '.cursor/chats', hash, id, 'store.db'), '');
    put(join(home, '.cursor/chats', '0'.repeat(32), id, 'store.db'), '');
    expect(named()).toEqual([`unknown .cursor/chats/${hash}/${id}/store.db`]);
    const [, place] = places[5] as (typeof places)[number];
    const said = json({
      role: 'user',
      message: { content: [{ type: 'text', text: '<user_query>\nAdd it\n</user_query>' }] },
    });
    put(join(home, place(), id, `${id}.jsonl`), said);
    expect(status()).toMatchObject({ problems: [], conversations: [{ agent: 'cursor', captured: 'never' }] });
  });
});

test('conversations of Copilot CLI are compared and taken in', () => {
  const text = readFileSync(join(ROOT, 'fixtures/copilot/count.jsonl'), 'utf8').replaceAll(
    '/home/dev/acme-http',
    project.folder,
  );
  put(join(home, '.copilot/session-state/s1/events.jsonl'), text);
  expect(status()).toMatchObject({ conversations: [{ agent: 'copilot', captured: 'never' }], problems: [] });
  expect(catchUp(project.open(), { environment, all: true }).problems).toEqual([]);
  expect(status()).toMatchObject({ complete: true, conversations: [{ captured: 'captured' }] });
});

describe('ingest', () => {
  test('names a packed transcript wherever it lies; other files are passed over', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'rollout-1.jsonl.gz'), gzip);
    writeFileSync(join(folder, 'rollout-2.jsonl.zst'), zstd.subarray(0, 8));
    writeFileSync(join(folder, 'rollout-3.jsonl.zst'), zstd);
    writeFileSync(join(folder, 'picture.png'), gzip);
    writeFileSync(join(folder, 'notes.jsonl'), 'no JSON\n');
    const { problems, passed_over } = ingestMany(project.open(), [folder], { environment });
    expect(problems).toMatchObject([
      { file: join(folder, 'rollout-1.jsonl.gz'), reason: 'compressed' },
      { file: join(folder, 'rollout-2.jsonl.zst'), reason: 'damaged', hint: expect.stringContaining('zstd --test') },
    ]);
    expect(passed_over).toEqual(
      ['notes.jsonl', 'picture.png', 'rollout-3.jsonl.zst'].map((name) => join(folder, name)),
    );
  });

  test('of one agent leaves out what another has written', () => {
    put(join(home, '.codex/sessions/2026/11/01/x.bin'), 'x');
    put(join(home, '.claude/projects/-p/x.bin'), 'x');
    const { problems } = findTranscripts([home], 'codex', unreadLookup(project.folder, { environment }));
    expect(problems.map(({ file }) => file)).toEqual([join(home, '.codex/sessions/2026/11/01/x.bin')]);
  });

  test.each([
    ['text', 'no JSON\n', 'is no transcript that ctx knows.'],
    ['records of no agent', json({ colour: 'red' }), 'is no transcript that ctx knows.'],
    ['a database', database, 'is an SQLite database, which ctx does not read.'],
    ['an archive', gzip, 'is compressed with gzip, which ctx does not read.'],
  ])('of one file that is compressed with Zstandard names what is in it: %s', (_, held, message) => {
    for (const name of ['a.jsonl.zst', 'a.json.zst']) {
      const file = join(temporaryFolder(), name);
      writeFileSync(file, stored(Buffer.from(held)));
      expect(findTranscripts([file], undefined).problems).toMatchObject([{ file, message }]);
    }
  });

  test('names the form of one file that is none', () => {
    const file = join(temporaryFolder(), 'a.jsonl.gz');
    writeFileSync(file, gzip);
    expect(() => findTranscripts([file], undefined)).not.toThrow();
    expect(findTranscripts([file], undefined).problems).toMatchObject([
      { file, message: 'is compressed with gzip, which ctx does not read.' },
    ]);
  });
});
