// Hooks of several agents at once: an install that links would lead out of the project, and an uninstall that must leave a file.
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hookSettings } from '../../src/agents/index.ts';
import { type HookOptions, installAgentHooks } from '../../src/app/setup/hooks.ts';
import { uninstallHooksHere } from '../../src/app/setup/uninstall.ts';
import { put } from '../support/homes.ts';
import { temporaryFolder } from '../support/store.ts';

let home: string;
let project: string;
let away: string;
let options: HookOptions;

beforeEach(() => {
  const place = temporaryFolder();
  [home, project, away] = [join(place, 'home'), join(place, 'project'), join(place, 'away')];
  for (const folder of [home, away, join(project, '.git')]) mkdirSync(folder, { recursive: true });
  const program = put(join(place, 'dist/ctx.cjs'), '');
  options = { directory: project, environment: { HOME: home, PATH: '' }, node: '/usr/bin/node', program, agents: [] };
});

/** Puts a link in the place of something, to something of that name elsewhere. */
function linkTo(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

describe.each(hookSettings().map((agent) => [agent.agent, agent] as const))('the hooks of %s', (name, agent) => {
  const own = agent.homeFolder ?? agent.folder;

  test.each<[what: string, link: (target: string) => void]>([
    ['folder', (target) => linkTo(target, join(project, agent.folder))],
    ['file', (target) => linkTo(join(target, agent.file), join(project, agent.folder, agent.file))],
  ])('are not written through a %s of the project that leads out of it', async (_what, link) => {
    await installAgentHooks({ ...options, agents: [name], scope: 'user', node: '/another/node' });
    const target = join(home, own);
    const before = readFileSync(join(target, agent.file), 'utf8');
    link(target);
    for (const scope of ['project', undefined] as const)
      await expect(installAgentHooks({ ...options, agents: [name], scope })).rejects.toMatchObject({
        code: 'invalid_settings',
        message: `${join(project, agent.folder, agent.file)} leads out of the project, to ${join(target, agent.file)}`,
        hint: expect.stringContaining(`ctx hooks install ${name} --user`),
      });
    expect(readFileSync(join(target, agent.file), 'utf8')).toBe(before);
  });

  test.each<[what: string, scope: 'user' | 'project', link: () => void]>([
    ['a folder of your own that lies elsewhere', 'user', () => linkTo(away, join(home, own))],
    [
      'a folder of the project elsewhere in it',
      'project',
      () => {
        mkdirSync(join(project, 'shared'));
        linkTo('shared', join(project, agent.folder));
      },
    ],
  ])('follow a link to %s', async (_what, scope, link) => {
    link();
    const { changes } = await installAgentHooks({ ...options, agents: [name], scope });
    expect(changes).toMatchObject([{ change: 'installed', scope }]);
    const folder = scope === 'user' ? away : join(project, 'shared');
    expect(readFileSync(join(folder, agent.file), 'utf8')).toContain(options.program);
  });
});

test('a project that a link names is still one', async () => {
  const link = join(away, 'link');
  symlinkSync(project, link);
  const { changes } = await installAgentHooks({ ...options, directory: link, agents: ['codex'], scope: 'project' });
  expect(changes).toMatchObject([{ change: 'installed', file: join(link, '.codex/hooks.json') }]);
});

describe('an uninstall from all agents', () => {
  const changedBy = (agent: string): string =>
    join(project, agent === 'pi' ? '.pi/extensions/ctx.ts' : '.opencode/plugin/ctx.ts');

  test.each<[left: string[], dryRun: boolean]>([
    [['pi'], false],
    [['opencode'], false],
    [['pi', 'opencode'], false],
    [['pi'], true],
  ])('leaves what was changed of %j, and does the others (trial: %j)', async (left, dryRun) => {
    const agents = hookSettings().map(({ agent }) => agent);
    await installAgentHooks({ ...options, agents, scope: 'project' });
    for (const agent of left) appendFileSync(changedBy(agent), '// mine\n');
    const result = await uninstallHooksHere({ ...options, dryRun });
    const why = (file: string) => `${file} was written by ctx, and somebody has changed it since.`;
    expect(result.left).toMatchObject(
      left.map((agent) => ({ agent, scope: 'project', code: 'invalid_settings', problem: why(changedBy(agent)) })),
    );
    const done = result.changes.filter(({ change }) => change !== 'unchanged');
    expect(done.map(({ agent }) => agent)).toEqual(agents.filter((agent) => !left.includes(agent)));
    expect(done.filter(({ file }) => existsSync(file) !== dryRun)).toEqual([]);
    for (const agent of left) expect(readFileSync(changedBy(agent), 'utf8')).toMatch(/\/\/ mine\n$/);
  });

  test('says what is wrong if there is nothing else to do', async () => {
    await installAgentHooks({ ...options, agents: ['pi'], scope: 'project' });
    appendFileSync(changedBy('pi'), '// mine\n');
    await expect(uninstallHooksHere(options)).rejects.toMatchObject({
      code: 'invalid_settings',
      hint: 'Nothing was changed. Move the file away and run the command again.',
    });
  });
});
