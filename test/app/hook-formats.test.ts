// ctx in hooks of other shapes: Cursor's lists, and files of our own that are only ever ours.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { hookSettings } from '../../src/agents/index.ts';
import {
  type HookOptions,
  installAgentHooks,
  statusOfAgentHooks,
  uninstallAgentHooks,
} from '../../src/app/setup/hooks.ts';
import { hookFile, isHookFile } from '../../src/core/hook-file.ts';
import { hookLine } from '../../src/core/hook-line.ts';
import { put } from '../support/homes.ts';

const ground = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-stands-'));
afterAll(() => rmSync(ground, { recursive: true, force: true }));

let home: string;
let project: string;
let options: HookOptions;

const text = (path: string): string => readFileSync(path, 'utf8');

beforeEach(() => {
  const place = mkdtempSync(join(ground, 'x-'));
  [home, project] = [join(place, 'home'), join(place, 'project')];
  for (const folder of [home, join(project, '.git')]) mkdirSync(folder, { recursive: true });
  const program = put(join(place, 'dist/ctx.cjs'), '');
  options = { directory: project, environment: { HOME: home, PATH: '' }, node: '/usr/bin/node', program, agents: [] };
});

const install = async (agent: string, more: Partial<HookOptions> = {}) =>
  (await installAgentHooks({ ...options, agents: [agent], scope: 'project', ...more })).changes[0];
const uninstall = async (agent: string) => (await uninstallAgentHooks({ ...options, agents: [agent] })).changes;
const status = (agent: string, more: Partial<HookOptions> = {}) =>
  statusOfAgentHooks({ ...options, agents: [agent], scope: 'project', ...more })[0];

describe.each([
  ['pi', '.pi', 'extensions/ctx.ts'],
  ['opencode', '.opencode', 'plugin/ctx.ts'],
])('the file in %s', (agent, folder, name) => {
  const file = (): string => join(project, folder, name);

  test('is written whole, with the line in it, and removed without a trace', async () => {
    expect(status(agent)).toMatchObject({ state: 'none', to_do: [] });
    expect(await install(agent)).toMatchObject({ change: 'installed', file: file(), old_missing: true });
    const command = hookLine({ node: options.node, program: options.program, agent });
    expect(text(file()).split('\n')[0]).toMatch(/^\/\/ Written by `ctx hooks install` \([0-9a-f]{40}\)/);
    expect(text(file())).toContain(`const COMMAND = ${JSON.stringify(command)};`);
    expect(await install(agent)).toMatchObject({ change: 'unchanged', patch: '' });
    expect(status(agent)).toMatchObject({ state: 'current' });
    expect(await uninstall(agent)).toMatchObject([{ change: 'restored', new_missing: true }, { change: 'unchanged' }]);
    expect(readdirSync(project)).toEqual(['.git']);
    expect(await uninstall(agent)).toMatchObject([{ change: 'unchanged' }, { change: 'unchanged' }]);
  });

  test('leaves folders that were there, and what else is in them', async () => {
    const own = put(join(project, folder, dirname(name), 'own.ts'), '// mine');
    await install(agent);
    await uninstall(agent);
    expect(readdirSync(dirname(own))).toEqual(['own.ts']);
    rmSync(dirname(own), { recursive: true });
    await install(agent);
    await uninstall(agent);
    expect(readdirSync(join(project, folder))).toEqual([]);
  });

  test('of an older ctx is brought up to date', async () => {
    await install(agent);
    const program = put(join(dirname(home), 'moved/dist/ctx.cjs'), '');
    const [first] = status(agent, { program })?.to_do ?? [];
    expect([status(agent, { program })?.state, first]).toEqual(['outdated', `ctx hooks install ${agent} --project`]);
    expect(await install(agent, { program })).toMatchObject({ change: 'updated', backup: null });
    expect(text(file())).toContain(program);
    expect(await uninstall(agent)).toMatchObject([{ change: 'restored' }, {}]);
  });

  test('of a ctx whose file was another one is named, and brought up to date', async () => {
    const command = hookLine({ node: options.node, program: options.program, agent });
    put(file(), hookFile('// %COMMAND%\nexport const ctx = async () => ({});\n', command));
    expect(status(agent)?.state).toBe('outdated');
    expect(await install(agent)).toMatchObject({ change: 'updated' });
    expect([status(agent)?.state, text(file()).includes('export default')]).toEqual(['current', true]);
  });

  test('a file that somebody has changed is left alone and reported', async () => {
    await install(agent);
    const changed = `${text(file())}// and more\n`;
    put(file(), changed);
    expect(status(agent)).toMatchObject({ state: 'changed', problem: null });
    expect(status(agent)?.to_do[0]).toBe(`Move the file away, then: ctx hooks install ${agent} --project`);
    const refusal = {
      code: 'invalid_settings',
      message: `${file()} was written by ctx, and somebody has changed it since.`,
    };
    await expect(install(agent)).rejects.toMatchObject(refusal);
    await expect(uninstall(agent)).rejects.toMatchObject(refusal);
    expect(text(file())).toBe(changed);
  });

  test('of the same name that is the user’s own is never touched', async () => {
    put(file(), '// mine\n');
    expect(status(agent)).toMatchObject({
      state: 'unreadable',
      problem: `${file()} is there, and ctx did not write it.`,
    });
    await expect(install(agent)).rejects.toMatchObject({ code: 'invalid_settings' });
    expect(await uninstall(agent)).toMatchObject([{ change: 'unchanged' }, { change: 'unchanged' }]);
    expect(text(file())).toBe('// mine\n');
  });
});

test('what says who wrote it is the first line alone', () => {
  expect(isHookFile(`// mine\n// Written by \`ctx hooks install\` (${'0'.repeat(40)})\n`)).toBe(false);
});

test.each([
  [{}, '.pi/agent/extensions/ctx.ts', '.config/opencode/plugin/ctx.ts', '.gemini/settings.json', '.cursor/hooks.json'],
  [
    { PI_CODING_AGENT_DIR: '/p', XDG_CONFIG_HOME: '/x', GEMINI_CLI_HOME: '/g', CURSOR_CONFIG_DIR: '/c' },
    '/p/extensions/ctx.ts',
    '/x/opencode/plugin/ctx.ts',
    '/g/.gemini/settings.json',
    '.cursor/hooks.json',
  ],
] as [Record<string, string>, ...string[]][])('the user’s own folders, with %j', (more, ...files) => {
  const environment = { ...options.environment, ...more };
  const agents = ['pi', 'opencode', 'gemini', 'cursor'];
  const places = statusOfAgentHooks({ ...options, environment, agents, scope: 'user' });
  const told = new Map(places.map(({ agent, file }) => [agent, file]));
  expect(agents.map((agent) => told.get(agent))).toEqual(
    files.map((file) => (file.startsWith('/') ? file : join(home, file))),
  );
});

describe('Cursor', () => {
  const file = (): string => join(project, '.cursor/hooks.json');
  const line = (): string => hookLine({ node: options.node, program: options.program, agent: 'cursor' });

  test('is given a list of commands for each event', async () => {
    await install('cursor');
    const times = { sessionStart: 30, beforeSubmitPrompt: 30, postToolUse: 10, stop: 30, sessionEnd: 10 };
    const hooks = Object.entries(times).map(([event, timeout]) => [event, [{ command: line(), timeout }]]);
    expect(JSON.parse(text(file()))).toEqual({ version: 1, hooks: Object.fromEntries(hooks) });
    expect(status('cursor')).toMatchObject({ state: 'current' });
    await uninstall('cursor');
    expect(existsSync(dirname(file()))).toBe(false);
  });

  test.each([
    ['{\n  "version": 1,\n  "hooks": {\n    "stop": [{ "command": "./mine.sh" }] // mine\n  }\n}\n'],
    ['{"hooks":{"stop":[]},"version":1}'],
    ['{"version":1}'],
    [
      '{\n\t"version": 1,\n\t"hooks": {\n\t\t"afterFileEdit": [\n\t\t\t{ "command": "fmt", "matcher": "Write" },\n\t\t],\n\t}\n}',
    ],
    [''],
  ])('keeps what is there: %j', async (before) => {
    put(file(), before);
    const installed = await install('cursor');
    expect(installed).toMatchObject({ change: 'installed' });
    for (const own of before.match(/\{ "command": [^}]*\}/g) ?? []) expect(text(file())).toContain(own);
    expect(await install('cursor')).toMatchObject({ change: 'unchanged' });
    expect(await uninstall('cursor')).toMatchObject([{ change: 'restored' }, {}]);
    expect(text(file())).toBe(before);
  });

  test('what came since the install stays, and only our lines go', async () => {
    put(file(), '{"version":1,"hooks":{"stop":[{"command":"./mine.sh"}]}}');
    await install('cursor');
    put(file(), text(file()).replace('./mine.sh', './other.sh'));
    expect(await uninstall('cursor')).toMatchObject([{ change: 'removed' }, {}]);
    expect(JSON.parse(text(file()))).toEqual({ version: 1, hooks: { stop: [{ command: './other.sh' }] } });
  });

  test('a line that is not as it must be is put right, and one that is missing is added', async () => {
    await install('cursor');
    put(file(), text(file()).replace('"timeout": 10', '"timeout": 11'));
    expect(status('cursor')).toMatchObject({ state: 'outdated' });
    const { hooks, ...others } = JSON.parse(text(file()));
    delete hooks.stop;
    put(file(), JSON.stringify({ ...others, hooks }));
    expect(status('cursor')).toMatchObject({ state: 'partly' });
    await install('cursor');
    expect(status('cursor')).toMatchObject({ state: 'current' });
    expect(text(file())).toContain('"stop"');
  });
});

test('each agent names its own folder, title and program', () => {
  for (const key of ['agent', 'title', 'folder', 'program'] as const) {
    const values = hookSettings().map((agent) => agent[key]);
    expect(new Set(values).size).toBe(values.length);
  }
});
