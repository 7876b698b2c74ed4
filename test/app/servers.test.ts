// The MCP server of ctx in the settings of agents: beside what the user has there, and gone again without a trace.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type HookOptions, installAgentHooks, statusOfAgentHooks } from '../../src/app/setup/hooks.ts';
import { uninstallHooksHere } from '../../src/app/setup/uninstall.ts';
import { put } from '../support/homes.ts';

const ground = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-servers-'));
afterAll(() => rmSync(ground, { recursive: true, force: true }));

let home: string;
let project: string;
let program: string;
let options: HookOptions;

beforeEach(() => {
  const root = mkdtempSync(join(ground, 'place-'));
  home = join(root, 'home');
  project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  program = put(join(root, 'package/dist/ctx.cjs'), '');
  const environment = { HOME: home, PATH: '' };
  options = { directory: project, environment, agents: [], node: '/usr/bin/node', program, mcp: true };
});

const text = (path: string): string => readFileSync(path, 'utf8');

/** Files in which the agents list their servers, with something of the user's in each, and what ctx adds. */
const AGENTS = [
  ['claude-code', 'project', '.mcp.json', '{\n  "mcpServers": {"mine": {"command": "mine"}}\n}\n', '"args":'],
  ['claude-code', 'user', '../.claude.json', '{"numStartups": 3, "projects": {}}', '"mcpServers":'],
  [
    'codex',
    'project',
    '.codex/config.toml',
    'model = "o3"\n\n[mcp_servers.mine]\ncommand = "mine"\n',
    '[mcp_servers.ctx]',
  ],
  ['codex', 'user', '../.codex/config.toml', '# mine\n[features]\nhooks = true', '[mcp_servers.ctx]'],
  ['gemini', 'project', '.gemini/settings.json', '{\n  // mine\n  "theme": "dark",\n}\n', '"mcpServers":'],
  ['gemini', 'user', '../.gemini/settings.json', '{"mcpServers": {}}\n', '"args":'],
  ['opencode', 'project', 'opencode.json', '{\n\t"$schema": "https://opencode.ai/config.json"\n}\n', '"type": "local"'],
  ['opencode', 'user', '../.config/opencode/opencode.json', '{"mcp": {"mine": {"type": "remote"}}}', '"type":'],
] as const;

describe.each(AGENTS)('the server for %s in its settings of the %s', (agent, scope, name, before, added) => {
  const file = (): string => join(project, name);
  const here = (): HookOptions => ({ ...options, agents: [agent], scope });

  test.each([
    ['with what the user has there', before],
    ['in a file of its own', null],
  ])('is put there %s, and taken away as if it had not been', async (_name, content) => {
    if (content !== null) put(file(), content);
    const { changes } = await installAgentHooks(here());
    expect(changes.filter(({ of }) => of === 'server')).toMatchObject([
      { agent, scope, file: realpathSync(file()), change: 'installed' },
    ]);
    const installed = text(file());
    expect(installed).toContain(added);
    expect(installed).toContain(program);
    expect(statusOfAgentHooks({ ...here(), mcp: true })).toMatchObject([{ state: 'current' }]);

    const again = await installAgentHooks(here());
    expect(again.changes.map(({ change }) => change)).toEqual(again.changes.map(() => 'unchanged'));
    expect(text(file())).toBe(installed);

    const moved = { ...here(), node: '/opt/node' };
    expect(statusOfAgentHooks(moved)).toMatchObject([{ state: 'outdated' }]);
    await installAgentHooks(moved);
    expect(text(file())).toContain('/opt/node');

    const { left } = await uninstallHooksHere({ ...here(), node: '/opt/node' });
    expect(left).toEqual([]);
    expect(existsSync(file()) ? text(file()) : null).toBe(content);
  });

  test('is only shown by a trial', async () => {
    put(file(), before);
    const { changes } = await installAgentHooks({ ...here(), dryRun: true });
    expect(changes.find(({ of }) => of === 'server')?.patch).toContain(added);
    expect(text(file())).toBe(before);
  });
});

test.each([
  ['claude-code', '.mcp.json', '{"mcpServers": {\n"ctx": {"command": "context", "args": ["mcp"]}}}', 'line 2'],
  ['codex', '.codex/config.toml', 'a = 1\n[mcp_servers.ctx]\ncommand = "context"\n', 'line 2'],
  ['opencode', 'opencode.json', '{"mcp": {"ctx": {"type": "remote", "url": "https://example.com"}}}', 'line 1'],
])(
  'a server of the name that %s has is left as it is, and so is everything else',
  async (agent, name, content, line) => {
    put(join(project, name), content);
    const failure = installAgentHooks({ ...options, agents: [agent], scope: 'project' });
    await expect(failure).rejects.toMatchObject({ code: 'invalid_settings', message: expect.stringContaining(line) });
    expect(text(join(project, name))).toBe(content);
    const { changes } = await installAgentHooks({
      ...options,
      mcp: false,
      agents: [agent],
      scope: 'project',
      dryRun: true,
    });
    expect(changes).toMatchObject([{ of: 'hooks', change: 'installed' }]);
  },
);

test('what is no list of servers is refused, and what comes after an install stays', async () => {
  put(join(project, '.codex/config.toml'), 'mcp_servers = { mine = { command = "mine" } }\n');
  const codex = { ...options, agents: ['codex'], scope: 'project' as const };
  await expect(installAgentHooks(codex)).rejects.toMatchObject({ code: 'invalid_settings' });
  const claude = { ...options, agents: ['claude-code'], scope: 'project' as const };
  await installAgentHooks(claude);
  const file = join(project, '.mcp.json');
  put(file, text(file).replace('"mcpServers": {', '"mcpServers": {\n    "late": {"command": "late"},'));
  await uninstallHooksHere(claude);
  expect(JSON.parse(text(file))).toEqual({ mcpServers: { late: { command: 'late' } } });
});
