// Questions of agents for permissions that the rules of `ctx permission` answer, if the hooks were installed so.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { setRule } from '../../src/app/permission/rules.ts';
import { installAgentHooks, statusOfAgentHooks, uninstallAgentHooks } from '../../src/app/setup/hooks.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Verdict } from '../../src/core/permission/rule.ts';
import * as ctx from '../../src/index.ts';
import { groundOfFile } from '../support/ground.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { type Kept, recordsOf } from './support/day.ts';

let project: Project;

const hook = (agent: string, payload: JsonObject, permissions = true): Promise<JsonObject | null> =>
  handleHook(agent, JSON.stringify({ session_id: 'talk-1', cwd: project.folder, ...payload }), {
    directory: project.folder,
    permissions,
    environment: {},
  });

const PROMPTS: Readonly<Record<string, JsonObject>> = {
  'claude-code': { hook_event_name: 'UserPromptSubmit', prompt: 'Add retry' },
  codex: { hook_event_name: 'UserPromptSubmit', prompt: 'Add retry' },
  gemini: { hook_event_name: 'BeforeAgent', prompt: 'Add retry' },
  opencode: { hook_event_name: 'prompt', prompt: 'Add retry' },
};

/** A session of an agent, with rules. */
async function at(agent: string, ...rules: (readonly [Verdict, string])[]): Promise<void> {
  project = makeProject();
  await hook(agent, PROMPTS[agent] as JsonObject);
  for (const [verdict, rule] of rules) setRule(project.repository, verdict, rule, { scope: 'session' });
}

const asks = (command: string, more: JsonObject = {}): JsonObject => ({
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command },
  ...more,
});

const state = (): string => {
  const status = ctx.sessionStatus(project.repository);
  return status.active ? status.session_state.kind : 'none';
};
/** The records of answers, in the chain. */
function answers(): Kept[] {
  ctx.flushStep(project.repository);
  expect(fsck(project.store)).toBe('');
  return recordsOf(project.folder, 'STAGE').filter(({ kind }) => kind === 'permission');
}
const decided = (behavior: string, message?: string): JsonObject => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: message === undefined ? { behavior } : { behavior, message },
  },
});

describe.each(['claude-code', 'codex'])('%s', (agent) => {
  test('is answered what a rule allows, and nothing is asked of the user: the answer is a record', async () => {
    await at(agent, ['allow', 'Bash(npm test *)']);
    expect(await hook(agent, asks('npm test', { tool_use_id: 'call-1' }))).toEqual(decided('allow'));
    expect(state()).toBe('Running');
    expect(answers()).toEqual([
      expect.objectContaining({
        verdict: 'allow',
        tool: 'Bash',
        use: 'npm test',
        rule: 'allow Bash(npm test *) (session)',
        beaten: [],
        call_id: 'call-1',
      }),
    ]);
  });

  test('is refused what a rule denies, with the rule', async () => {
    await at(agent, ['allow', 'Bash'], ['deny', 'Bash(git push *)']);
    const message = 'A rule of the user says: deny Bash(git push *) (session). See: ctx permission list';
    expect(await hook(agent, asks('npm test && timeout 5 git push'))).toEqual(decided('deny', message));
    expect(answers()).toHaveLength(1);
  });

  test('asks the user if the verdict is ask, or if the hooks do not answer', async () => {
    await at(agent, ['allow', 'Bash(npm test *)']);
    expect(await hook(agent, asks('make'))).toBeNull();
    expect(state()).toBe('AwaitingUser');
    await at(agent, ['allow', 'Bash(npm test *)']);
    expect(await hook(agent, asks('npm test'), false)).toBeNull();
    expect(state()).toBe('AwaitingUser');
    expect(answers()).toEqual([]);
  });

  test('is not answered without an open session, since that could not be recorded', async () => {
    project = makeProject();
    setRule(project.repository, 'deny', 'Bash', { scope: 'project' });
    expect(await hook(agent, asks('npm test'))).toBeNull();
  });
});

test('a question that Claude Code puts by a tool is never answered by a rule', async () => {
  await at('claude-code', ['allow', '*']);
  const input = { questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'A' }, { label: 'B' }] }] };
  expect(await hook('claude-code', { ...asks(''), tool_name: 'AskUserQuestion', tool_input: input })).toBeNull();
  expect(state()).toBe('AwaitingUser');
});

test('Gemini CLI is refused a tool; what a rule allows is left to its own question', async () => {
  await at('gemini', ['allow', 'Bash(npm test *)'], ['deny', 'Edit(*.env)']);
  const before = (tool_name: string, tool_input: JsonObject): Promise<JsonObject | null> =>
    hook('gemini', { hook_event_name: 'BeforeTool', tool_name, tool_input });
  expect(await before('run_shell_command', { command: 'npm test' })).toBeNull();
  expect(await before('write_file', { file_path: 'a/.env' })).toMatchObject({ decision: 'deny' });
  expect(answers()).toHaveLength(1);
});

test('the plugin of opencode gets the verdict for a call whose input it passes', async () => {
  await at('opencode', ['allow', 'Bash(npm test *)'], ['deny', 'Bash(git push *)']);
  const question = (command: string | null): Promise<JsonObject | null> =>
    hook('opencode', {
      hook_event_name: 'question',
      permission: 'bash',
      patterns: ['npm test'],
      ...(command === null ? {} : { permission_input: { command }, tool_call_id: 'call-1' }),
    });
  expect(await question('npm test')).toMatchObject({ hookSpecificOutput: { additionalContext: 'allow' } });
  expect(await question('git push')).toMatchObject({ hookSpecificOutput: { additionalContext: 'deny' } });
  // The patterns alone may show less than what runs.
  expect(await question(null)).toBeNull();
  expect(answers()).toHaveLength(2);
});

describe('hooks install', () => {
  let folder: string;
  const options = (permissions?: boolean) => ({
    directory: folder,
    environment: { HOME: join(folder, 'home') },
    agents: ['claude-code', 'codex', 'gemini', 'opencode'],
    scope: 'project' as const,
    node: process.execPath,
    program: join(folder, 'package/dist/ctx.cjs'),
    permissions,
  });
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const counted = (): number[] =>
    ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json', '.opencode/plugin/ctx.ts'].map(
      (file) => textOf(file).match(/ hook [a-z-]+ --permissions/g)?.length ?? 0,
    );

  beforeEach(() => {
    folder = mkdtempSync(join(groundOfFile(), 'project-'));
    for (const file of ['.git/HEAD', 'package/dist/ctx.cjs', 'home/x']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
  });

  test('answers nothing unless --permissions says so, and then at the questions alone', async () => {
    await installAgentHooks(options());
    expect(counted()).toEqual([0, 0, 0, 0]);
    expect(textOf('.gemini/settings.json')).not.toContain('BeforeTool');
    await installAgentHooks(options(true));
    expect(counted()).toEqual([1, 1, 1, 1]);
    expect(textOf('.gemini/settings.json')).toContain('BeforeTool');
  });

  test('keeps what was chosen when it is run again, and an uninstall removes all of it', async () => {
    await installAgentHooks(options(true));
    const { changes } = await installAgentHooks(options());
    expect(changes.map(({ change }) => change)).toEqual(Array(4).fill('unchanged'));
    expect(statusOfAgentHooks(options()).map(({ state: of }) => of)).toEqual(Array(4).fill('current'));
    const undone = await uninstallAgentHooks(options());
    expect(undone.changes.map(({ change }) => change)).toEqual(Array(4).fill('restored'));
    await installAgentHooks(options());
    expect(counted()).toEqual([0, 0, 0, 0]);
  });
});
