// The hooks of agents on homes of their own: where they go, what is kept of what was there, and what comes back.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { claudeCodeHooks } from '../../src/agents/claude-code/hooks.ts';
import { codexHooks } from '../../src/agents/codex/hooks.ts';
import type { AgentHooks, HookEvent } from '../../src/agents/contract/hook-settings.ts';
import {
  type HookOptions,
  installAgentHooks,
  statusOfAgentHooks,
  uninstallAgentHooks,
} from '../../src/app/setup/hooks.ts';
import { hookLine } from '../../src/core/hook-line.ts';
import { put } from '../support/homes.ts';

const ground = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-hooks-'));
afterAll(() => rmSync(ground, { recursive: true, force: true }));

let home: string;
let project: string;
let settings: string;
let options: HookOptions;

beforeEach(() => {
  const root = mkdtempSync(join(ground, 'place-'));
  home = join(root, 'home');
  project = join(home, 'work/project');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, 'src'));
  settings = join(home, '.claude/settings.json');
  options = {
    directory: join(project, 'src'),
    environment: { HOME: home, PATH: join(root, 'bin') },
    agents: [],
    node: '/usr/bin/node',
    program: put(join(root, 'package/dist/ctx.cjs'), ''),
  };
});

const text = (path: string): string => readFileSync(path, 'utf8');
const mode = (path: string): number => statSync(path).mode & 0o777;
const install = async (more: Partial<HookOptions> = {}) => (await installAgentHooks({ ...options, ...more })).changes;
const uninstall = async (more: Partial<HookOptions> = {}) =>
  (await uninstallAgentHooks({ ...options, ...more })).changes.filter(({ change }) => change !== 'unchanged');
const states = (more: Partial<HookOptions> = {}): string[] =>
  statusOfAgentHooks({ ...options, ...more }).map(({ agent, scope, state }) => `${agent} ${scope} ${state}`);

describe('the agents and the place of an install', () => {
  test('none is used here', async () => {
    await expect(install()).rejects.toMatchObject({
      code: 'not_found',
      message: 'None of the agents is used here: Claude Code, Codex, Gemini CLI, pi, opencode, Cursor.',
      hint: 'Name one: ctx hooks install claude-code',
    });
    expect(statusOfAgentHooks(options).filter(({ used }) => used)).toEqual([]);
  });

  test('one whose folder is in the home folder, and one whose program is on PATH', async () => {
    mkdirSync(join(home, '.claude'));
    expect(await install()).toMatchObject([{ agent: 'claude-code', scope: 'user', file: settings }]);
    put(join(dirname(home), 'bin/codex'), '');
    expect(await install()).toMatchObject([
      { agent: 'claude-code', change: 'unchanged' },
      { agent: 'codex', scope: 'user', file: join(home, '.codex/hooks.json'), change: 'installed' },
    ]);
  });

  test('a folder of PATH of that name is no program', async () => {
    mkdirSync(join(dirname(home), 'bin/codex'), { recursive: true });
    await expect(install()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is the project if it has a folder of the agent, from any folder in it', async () => {
    mkdirSync(join(home, '.claude'));
    mkdirSync(join(project, '.claude'));
    expect(await install()).toMatchObject([{ scope: 'project', file: join(project, '.claude/settings.json') }]);
    expect(existsSync(settings)).toBe(false);
  });

  test('is the place with hooks already, before anything else', async () => {
    await install({ agents: ['claude-code'], scope: 'user' });
    mkdirSync(join(project, '.claude'));
    expect(await install()).toMatchObject([{ scope: 'user', change: 'unchanged' }]);
    const [change] = await install({ scope: 'project' });
    expect(change).toMatchObject({ scope: 'project', change: 'installed' });
    expect(change?.to_do.at(-1)).toBe(
      `They are in ${settings} too, and would run twice: ctx hooks uninstall claude-code --user`,
    );
    expect(states({ agents: ['claude-code'] })).toEqual(['claude-code project current', 'claude-code user current']);
  });

  test('the home folder itself is nobody’s project', async () => {
    mkdirSync(join(home, '.claude'));
    mkdirSync(join(home, '.git'));
    expect(await install({ directory: home })).toMatchObject([{ scope: 'user', file: settings }]);
    await expect(install({ directory: home, scope: 'project' })).rejects.toMatchObject({ code: 'not_found' });
    expect(states({ directory: home, agents: ['claude-code', 'codex'] })).toEqual([
      'claude-code user current',
      'codex user none',
    ]);
  });

  test('the variables of the agents name other folders, USERPROFILE another home', async () => {
    const elsewhere = join(dirname(home), 'elsewhere');
    const environment = { HOME: home, CLAUDE_CONFIG_DIR: join(elsewhere, 'c'), CODEX_HOME: join(elsewhere, 'x') };
    const changes = await install({ environment, agents: ['codex', 'claude-code'] });
    expect(changes.map(({ file }) => file)).toEqual([
      join(elsewhere, 'c/settings.json'),
      join(elsewhere, 'x/hooks.json'),
    ]);
    const [profile] = await install({ environment: { USERPROFILE: elsewhere }, agents: ['codex'] });
    expect(profile?.file).toBe(join(elsewhere, '.codex/hooks.json'));
  });

  test('no home, or an agent that nobody knows', async () => {
    await expect(install({ environment: {}, agents: ['codex'], scope: 'user' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'No home folder is known.',
    });
    await expect(install({ agents: ['codex', 'cobol'] })).rejects.toMatchObject({
      code: 'usage',
      message: 'ctx has no hooks for "cobol".',
    });
    expect(existsSync(join(home, '.codex'))).toBe(false);
  });

  test('a program that no hook can call', async () => {
    const program = put(join(dirname(home), 'bin/ctx.ts'), '');
    await expect(install({ agents: ['codex'], program })).rejects.toMatchObject({ code: 'invalid_input' });
    const link = join(dirname(home), 'bin/ctx');
    symlinkSync(options.program, link);
    await install({ agents: ['codex'], program: link });
    expect(text(join(home, '.codex/hooks.json'))).toContain(` '${options.program}' hook codex`);
  });
});

const eventsOf = ({ installation }: AgentHooks): readonly HookEvent[] =>
  installation.as === 'settings' ? installation.events : expect.fail('it has a file of its own');

test.each([
  ['claude-code', claudeCodeHooks],
  ['codex', codexHooks],
] as const)('what %s is given: each event once, with its line and its time, and nothing else', async (name, agent) => {
  const [change] = await install({ agents: [name], scope: 'user' });
  const { hooks, ...others } = JSON.parse(text(change?.file ?? ''));
  expect(others).toEqual({});
  const events = eventsOf(agent);
  expect(Object.keys(hooks)).toEqual(events.map(({ event }) => event));
  const command = hookLine({ node: options.node, program: options.program, agent: name });
  for (const { event, matcher, timeout } of events) {
    const group = { ...(matcher && { matcher }), hooks: [{ type: 'command', command, timeout }] };
    expect(hooks[event]).toEqual([group]);
  }
  expect(change?.to_do.length).toBeGreaterThan(0);
});

test('of Codex: the user must review them, and no event takes longer than Codex allows', async () => {
  const [change] = await install({ agents: ['codex'], scope: 'project' });
  expect(change?.to_do.join(' ')).toMatch(/review .*trusted/);
  const times = Object.fromEntries(eventsOf(codexHooks).map(({ event, timeout }) => [event, timeout]));
  expect([times['SessionEnd'], times['Interrupt']]).toEqual([3, 3]);
});

describe('what was there comes back', () => {
  const THEIRS = '{\n  // mine\n  "model": "x"\n}\n';

  test.each(['{}', '{}\n', '', '{ "hooks": {} }'])(
    'of what ctx has not written in leaves %j alone, once and again',
    async (before) => {
      put(settings, before);
      expect(await uninstall()).toEqual([]);
      expect(text(settings)).toBe(before);
      await install();
      await uninstall();
      await uninstall();
      expect(text(settings)).toBe(before);
    },
  );

  test('byte for byte, with its mode, and no trace is left', async () => {
    put(settings, THEIRS);
    chmodSync(settings, 0o640);
    const [installed] = await install();
    expect(installed).toMatchObject({ change: 'installed', backup: `${settings}.ctx-backup` });
    expect([text(`${settings}.ctx-backup`), mode(`${settings}.ctx-backup`), mode(settings)]).toEqual([
      THEIRS,
      0o640,
      0o640,
    ]);
    expect(await install()).toMatchObject([{ change: 'unchanged', patch: '' }]);
    expect(await uninstall()).toMatchObject([{ change: 'restored', backup: null, scope: 'user' }]);
    expect([text(settings), mode(settings)]).toEqual([THEIRS, 0o640]);
    expect(readdirSync(dirname(settings))).toEqual(['settings.json']);
    expect(await uninstall()).toEqual([]);
  });

  test('a file and a folder that were not there are gone again', async () => {
    await install({ agents: ['claude-code', 'codex'], scope: 'project' });
    expect(mode(join(project, '.claude/settings.json'))).toBe(0o600);
    expect((await uninstall()).map(({ change, new_missing }) => [change, new_missing])).toEqual([
      ['restored', true],
      ['restored', true],
    ]);
    expect(readdirSync(project).sort()).toEqual(['.git', 'src']);
  });

  test('a folder that was there stays, and so does one that has something else in it', async () => {
    mkdirSync(join(project, '.claude'));
    await install({ agents: ['claude-code', 'codex'], scope: 'project' });
    put(join(project, '.codex/config.toml'), '');
    await uninstall();
    expect(readdirSync(join(project, '.claude'))).toEqual([]);
    expect(readdirSync(join(project, '.codex'))).toEqual(['config.toml']);
  });

  test('an empty file stays an empty file', async () => {
    put(settings, '');
    await install();
    await uninstall();
    expect([text(settings), readdirSync(dirname(settings))]).toEqual(['', ['settings.json']]);
  });

  test('what was changed since stays, and what was there before is kept', async () => {
    put(settings, THEIRS);
    await install();
    put(settings, text(settings).replace('"x"', '"y"'));
    expect(await uninstall()).toMatchObject([{ change: 'removed', backup: `${settings}.ctx-backup` }]);
    expect(text(settings)).toBe(THEIRS.replace('"x"', '"y"'));
    expect(text(`${settings}.ctx-backup`)).toBe(THEIRS);
    // The next install has another text to bring back, and another name for it.
    const backup = `${settings}.ctx-backup.1`;
    expect(await install()).toMatchObject([{ change: 'installed', backup }]);
    expect([text(backup), text(`${settings}.ctx-backup`)]).toEqual([THEIRS.replace('"x"', '"y"'), THEIRS]);
    expect(await uninstall()).toMatchObject([{ change: 'restored', backup: null }]);
    expect(text(settings)).toBe(THEIRS.replace('"x"', '"y"'));
    expect(readdirSync(dirname(settings)).sort()).toEqual(['settings.json', 'settings.json.ctx-backup']);
  });

  test.each([
    ['settings', THEIRS],
    ['no settings', null],
  ])('a file of the user’s own that is called as a backup, beside %s, stays as it is', async (_what, before) => {
    const own = put(`${settings}.ctx-backup`, 'mine, not JSON');
    if (before !== null) put(settings, before);
    const backup = before === null ? null : `${settings}.ctx-backup.1`;
    expect(await install()).toMatchObject([{ change: 'installed', backup }]);
    expect(await uninstall()).toMatchObject([{ change: 'restored', backup: null }]);
    expect(text(own)).toBe('mine, not JSON');
    expect(existsSync(settings) ? text(settings) : null).toBe(before);
    expect(readdirSync(dirname(settings))).toHaveLength(before === null ? 1 : 2);
  });

  test('an object that holds nothing is theirs where it was there before', async () => {
    put(settings, '{}');
    await install();
    put(settings, `${text(settings)}\n `);
    expect(await uninstall()).toMatchObject([{ change: 'removed', backup: `${settings}.ctx-backup` }]);
    expect(text(settings)).toBe('{}\n ');
  });

  test('a package that has moved brings its line up to date, and the backup stays what it was', async () => {
    put(settings, THEIRS);
    await install();
    const program = put(join(dirname(home), "it's moved/dist/ctx.cjs"), '');
    expect(states({ agents: ['claude-code'], scope: 'user', program })).toEqual(['claude-code user outdated']);
    const [status] = statusOfAgentHooks({ ...options, agents: ['claude-code'], scope: 'user', program });
    expect(status?.to_do[0]).toBe('ctx hooks install claude-code --user');
    expect(await install({ program })).toMatchObject([{ change: 'updated' }]);
    expect(text(settings)).not.toContain(options.program);
    expect(text(`${settings}.ctx-backup`)).toBe(THEIRS);
    // Uninstalled by a ctx in yet another place.
    expect(await uninstall()).toMatchObject([{ change: 'restored' }]);
    expect(text(settings)).toBe(THEIRS);
  });

  test('without its backup, our hooks go all the same', async () => {
    put(settings, THEIRS);
    await install();
    rmSync(`${settings}.ctx-backup`);
    expect(await uninstall()).toMatchObject([{ change: 'removed', backup: null }]);
    expect(text(settings)).toBe(THEIRS);
  });

  test('a link stays a link', async () => {
    const real = put(join(home, 'dotfiles/claude.json'), THEIRS);
    mkdirSync(dirname(settings));
    symlinkSync('../dotfiles/claude.json', settings);
    await install();
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(text(real)).toContain('hook claude-code');
    expect(readdirSync(dirname(real))).toEqual(['claude.json']);
    await uninstall();
    expect([lstatSync(settings).isSymbolicLink(), text(real)]).toEqual([true, THEIRS]);
  });

  test('a dry run reports the same change and makes none', async () => {
    put(settings, THEIRS);
    const [trial] = await install({ dryRun: true });
    expect([text(settings), readdirSync(dirname(settings))]).toEqual([THEIRS, ['settings.json']]);
    const [made] = await install();
    expect(trial?.patch).toBe(made?.patch);
    expect(trial?.patch).toMatch(/^@@ -1,4 \+1,\d+ @@\n {\n {3}\/\/ mine\n- {2}"model": "x"\n\+ {2}"model": "x",\n/);
    const installed = text(settings);
    const [away] = await uninstall({ dryRun: true });
    expect([away?.change, text(settings)]).toEqual(['restored', installed]);
    mkdirSync(join(home, '.codex'));
    await install({ agents: ['codex'], dryRun: true });
    expect(readdirSync(join(home, '.codex'))).toEqual([]);
  });
});

describe('what cannot be done is refused, and nothing is changed', () => {
  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3: it is not JSON (comma expected)'],
    ['{"hooks": "none"}', 'line 1: "hooks" must be an object of events'],
    ['{"hooks": {"Stop": true}}', 'line 1: "Stop" must be a list of hooks'],
  ])('%j', async (broken, why) => {
    put(settings, broken);
    mkdirSync(join(home, '.codex'));
    await expect(install()).rejects.toMatchObject({ code: 'invalid_settings', message: `${settings}, ${why}` });
    expect(readdirSync(dirname(settings))).toEqual(['settings.json']);
    expect(readdirSync(join(home, '.codex'))).toEqual([]);
    expect(text(settings)).toBe(broken);
    expect(statusOfAgentHooks(options)[1]).toMatchObject({ state: 'unreadable', problem: `${settings}, ${why}` });
  });

  test('bytes that are no text', async () => {
    mkdirSync(dirname(settings));
    writeFileSync(settings, Buffer.from('\ufeff{}', 'utf16le'));
    await expect(install()).rejects.toMatchObject({ message: `${settings}, line 1: it is not UTF-8` });
  });

  test('a read-only file, a folder, and a link to nothing', async () => {
    put(settings, '{}');
    chmodSync(settings, 0o444);
    await expect(install()).rejects.toMatchObject({ code: 'io', message: expect.stringContaining(settings) });
    expect([text(settings), mode(settings)]).toEqual(['{}', 0o444]);
    rmSync(settings);
    mkdirSync(settings);
    await expect(install()).rejects.toMatchObject({ code: 'invalid_settings', message: `${settings} is no file` });
    rmSync(settings, { recursive: true });
    symlinkSync('nowhere', settings);
    await expect(install()).rejects.toMatchObject({
      code: 'invalid_settings',
      message: `${settings} is a link to a file that is not there`,
    });
  });

  test('a file that another program changes at this very moment', async () => {
    put(settings, '{}');
    let asked = 0;
    const ids = (): string => {
      asked += 1;
      // The backup has taken the first one.
      if (asked === 2) writeFileSync(settings, '{"theirs": 1}');
      return `id-${asked}`;
    };
    await expect(install({ ids })).rejects.toMatchObject({ code: 'busy' });
    expect(text(settings)).toBe('{"theirs": 1}');
    expect(readdirSync(dirname(settings)).sort()).toEqual(['settings.json', 'settings.json.ctx-backup']);
    await install();
    await uninstall();
    expect(text(settings)).toBe('{"theirs": 1}');
  });
});
