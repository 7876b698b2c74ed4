// Every switch of an agent for its place is followed: what it names is looked at, and named itself where nothing is there.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { collectionPlaces, transcriptPlaces } from '../../src/agents/index.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { conversation, put } from '../support/homes.ts';
import { makeProject, type Project, ROOT, temporaryFolder } from '../support/store.ts';

let project: Project;
let home: string;
let elsewhere: string;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  elsewhere = temporaryFolder();
});

const status = (more: Record<string, string> = {}) =>
  captureStatus(project.open(), { environment: { HOME: home, ...more } });
const seen = (more: Record<string, string> = {}): string[] => status(more).conversations.map(({ agent }) => agent);
const reasons = (more: Record<string, string> = {}): string[] =>
  status(more).problems.map(({ agent, reason, file }) => `${agent} ${reason} ${file}`);

/** The text of a fixture, as if it had taken place in the project. */
const fixture = (name: string): string =>
  readFileSync(join(ROOT, 'fixtures', name), 'utf8').replaceAll('/home/dev/acme-http', project.folder);
const pi = (): string => fixture('pi/compactions.jsonl');

/** Files of each agent, by their place in the agent's home. */
const written: Record<string, [place: () => string, text: () => string]> = {
  'claude-code': [
    () => `projects/${folderNameOf(project.folder)}/a.jsonl`,
    () => conversation('questions.jsonl', project.folder),
  ],
  codex: [() => 'sessions/2026/11/01/rollout-1.jsonl', () => fixture('codex/rollback.jsonl')],
  gemini: [() => 'tmp/p/chats/session-1.json', () => fixture('gemini/hello.json')],
  pi: [() => `sessions/-${project.folder.replaceAll('/', '-')}--/1.jsonl`, pi],
  cursor: [
    () => `projects/${project.folder.slice(1).replaceAll(/[^a-zA-Z0-9]+/g, '-')}/agent-transcripts/a.jsonl`,
    () => fixture('cursor/readme.jsonl'),
  ],
  copilot: [() => 'session-state/s1/events.jsonl', () => fixture('copilot/count.jsonl')],
  opencode: [() => 'storage/session/p/ses_1.json', () => ''],
};

/** Puts what an agent writes below a folder that is its home. */
function write(agent: string, folder: string): void {
  if (agent === 'opencode') {
    const info = {
      id: 'ses_1',
      directory: project.folder,
      projectID: 'p',
      title: 'T',
      version: '1',
      time: { created: 1 },
    };
    put(join(folder, 'storage/session/p/ses_1.json'), JSON.stringify(info));
    const message = { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } };
    put(join(folder, 'storage/message/ses_1/msg_1.json'), JSON.stringify(message));
    const part = { id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1', type: 'text', text: 'Add a cache' };
    put(join(folder, 'storage/part/msg_1/prt_1.json'), JSON.stringify(part));
    return;
  }
  const [place, text] = written[agent] as (typeof written)[string];
  if (agent === 'gemini') put(join(folder, 'tmp/p/.project_root'), project.folder);
  put(join(folder, place()), text());
}

describe('a home that a variable names', () => {
  const variables: [agent: string, variable: string, below: string][] = [
    ['claude-code', 'CLAUDE_CONFIG_DIR', ''],
    ['claude-code', 'XDG_CONFIG_HOME', 'claude'],
    ['codex', 'CODEX_HOME', ''],
    ['gemini', 'GEMINI_CLI_HOME', '.gemini'],
    ['pi', 'PI_CODING_AGENT_DIR', ''],
    ['cursor', 'CURSOR_CONFIG_DIR', ''],
    ['cursor', 'CURSOR_DATA_DIR', ''],
    ['copilot', 'COPILOT_HOME', ''],
    ['copilot', 'XDG_STATE_HOME', '.copilot'],
    ['copilot', 'XDG_CONFIG_HOME', '.copilot'],
    ['opencode', 'XDG_DATA_HOME', 'opencode'],
    ['opencode', 'LOCALAPPDATA', 'opencode'],
    ['opencode', 'APPDATA', 'opencode'],
  ];

  test.each(variables)('%s: %s', (agent, variable, below) => {
    write(agent, join(elsewhere, below));
    expect(seen()).toEqual([]);
    expect(seen({ [variable]: elsewhere })).toEqual([agent]);
    expect(reasons({ [variable]: elsewhere })).toEqual([]);
    // A relative path counts from the project, and `~` is the home folder.
    expect(seen({ [variable]: relative(project.folder, elsewhere) })).toEqual([agent]);
    expect(seen({ [variable]: `~/${relative(home, elsewhere)}` })).toEqual([agent]);
    // An empty one says nothing.
    expect(reasons({ [variable]: '' })).toEqual([]);
  });

  test.each(variables)('%s: %s that leads nowhere is named, unless other programs heed it, too', (agent, variable) => {
    const folder = join(elsewhere, 'gone');
    const isShared = /^(XDG|LOCALAPPDATA|APPDATA)/.test(variable);
    expect(reasons({ [variable]: folder })).toEqual(isShared ? [] : [`${agent} missing ${folder}`]);
    writeFileSync(folder, 'no folder');
    expect(status({ [variable]: folder }).complete).toBe(false);
  });

  test('a database that OPENCODE_DB names is named if there is none, but for one in memory', () => {
    const file = join(elsewhere, 'mine.db');
    const problem = `opencode missing ${file}`;
    expect(reasons({ OPENCODE_DB: file })).toEqual([problem]);
    expect(status({ OPENCODE_DB: file }).complete).toBe(false);
    expect(reasons({ OPENCODE_DB: 'mine.db', XDG_DATA_HOME: elsewhere })).toEqual([
      problem.replace('mine.db', 'opencode/mine.db'),
    ]);
    symlinkSync(join(elsewhere, 'gone'), file);
    expect(reasons({ OPENCODE_DB: file })).toEqual([problem]);
    expect(reasons({ OPENCODE_DB: ':memory:' })).toEqual([]);
    expect(reasons({ OPENCODE_DB: '' })).toEqual([]);
  });

  test('what was written before it was set still counts', () => {
    write('codex', join(home, '.codex'));
    expect(seen({ CODEX_HOME: elsewhere })).toEqual(['codex']);
  });

  test.each([
    ['claude-code', '.config/claude'],
    ['opencode', '.local/share/opencode'],
    ['opencode', 'Library/Application Support/opencode'],
  ])('%s: is %s if nothing is set', (agent, place) => {
    write(agent, join(home, place));
    expect(seen()).toEqual([agent]);
  });
});

describe('a folder in which the sessions of all projects lie', () => {
  const setting = (folder: string, value: unknown, name = 'settings.json'): string =>
    put(join(folder, name), JSON.stringify({ theme: 'dark', sessionDir: value }));

  test.each([
    ['a path', () => elsewhere],
    ['a path from the home folder', () => `~/${relative(home, elsewhere)}`],
    ['a path from the project', () => relative(project.folder, elsewhere)],
  ])('%s, by the variable, the user and the project', (_, value) => {
    put(join(elsewhere, '1.jsonl'), pi());
    put(join(elsewhere, '2.jsonl'), pi().replaceAll(project.folder, '/elsewhere'));
    expect(seen()).toEqual([]);
    expect(seen({ PI_CODING_AGENT_SESSION_DIR: value() })).toEqual(['pi']);
    const file = setting(join(home, '.pi/agent'), value());
    expect(seen()).toEqual(['pi']);
    writeFileSync(file, '{}');
    const own = setting(join(project.folder, '.pi'), value());
    expect(seen()).toEqual(['pi']);
    writeFileSync(own, `// mine\n{"sessionDir": ${JSON.stringify(value())},}`);
    expect(seen()).toEqual(['pi']);
    expect(reasons()).toEqual([]);
    const { conversations, problems } = catchUp(project.open(), { environment: { HOME: home }, all: true });
    expect([conversations.length, problems]).toEqual([1, []]);
  });

  test('settings in the home that PI_CODING_AGENT_DIR names count, and those in the default one', () => {
    put(join(elsewhere, '1.jsonl'), pi());
    const other = temporaryFolder();
    setting(other, elsewhere);
    expect(seen({ PI_CODING_AGENT_DIR: other })).toEqual(['pi']);
    setting(join(home, '.pi/agent'), join(elsewhere, 'gone'));
    expect(reasons({ PI_CODING_AGENT_DIR: other })).toEqual([`pi missing ${join(elsewhere, 'gone')}`]);
  });

  test('what is there and is not read is named, whosever it may be', () => {
    put(join(elsewhere, '1.jsonl'), pi().replaceAll(project.folder, '/elsewhere'));
    put(join(elsewhere, '3.jsonl'), 'no JSON\n');
    put(join(elsewhere, '4.jsonl.zst'), 'x');
    const environment = { HOME: home, PI_CODING_AGENT_SESSION_DIR: elsewhere };
    const expected = [`pi unknown ${join(elsewhere, '3.jsonl')}`, `pi damaged ${join(elsewhere, '4.jsonl.zst')}`];
    expect(reasons(environment)).toEqual(expected);
    const { problems } = ingestMany(project.open(), [elsewhere], { environment });
    expect(problems.map(({ reason, file }) => `pi ${reason} ${file}`)).toEqual(expected);
  });

  test('in a folder that is for other things, too, only what may be a transcript is named', () => {
    put(join(elsewhere, 'notes.txt'), 'x');
    put(join(elsewhere, 'deep/x.bin'), 'x');
    const packed = put(join(elsewhere, 'x.jsonl.gz'), 'x');
    const environment = { PI_CODING_AGENT_SESSION_DIR: elsewhere };
    expect(reasons(environment)).toEqual([`pi compressed ${packed}`]);
    put(join(elsewhere, '1.jsonl'), pi());
    expect(reasons(environment)).toHaveLength(3);
    // The project itself.
    put(join(project.folder, '1.jsonl'), pi());
    put(join(project.folder, 'README.md'), 'x');
    expect(seen({ PI_CODING_AGENT_SESSION_DIR: '.' })).toEqual(['pi']);
    expect(reasons({ PI_CODING_AGENT_SESSION_DIR: '.' })).toEqual([]);
  });

  test('settings that cannot be parsed, and such as are no file, are named; what names no text says nothing', () => {
    const file = put(join(home, '.pi/agent/settings.json'), '{"sessionDir": ');
    expect(reasons()).toEqual([`pi damaged ${file}`]);
    const own = put(join(project.folder, '.pi/settings.json/x'), '');
    writeFileSync(file, '{"sessionDir": 5}');
    expect(reasons()).toEqual([`pi damaged ${own.slice(0, -2)}`]);
  });
});

test('every switch is in the documents', () => {
  const text = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
  const names = [...transcriptPlaces(), ...collectionPlaces()].flatMap(({ folderVariable, switches }) => [
    ...(folderVariable === undefined ? [] : [folderVariable]),
    ...switches.flatMap(({ variable, setting, unset }) => [variable, setting?.key, variable ? undefined : unset]),
  ]);
  const own = [
    ...transcriptPlaces().map(({ projectVariable }) => projectVariable),
    ...collectionPlaces().map(({ fileVariable }) => fileVariable),
  ];
  const missing = [...names, ...own].filter(
    (name) => name !== undefined && !text.includes(`\`${name}\``) && !text.includes(`/${name}\``),
  );
  expect(missing).toEqual([]);
});
