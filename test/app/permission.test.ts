// `ctx permission` on real stores: rules of a session, a project and a manifest, what undo takes back, and what a branch has.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { branchSession } from '../../src/app/conversation/branch.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { checkPermission } from '../../src/app/permission/check.ts';
import { listRules, resetRules, setRule } from '../../src/app/permission/rules.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { trust } from '../../src/history/store/trust.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const SESSION = { scope: 'session' } as const;
const PROJECT = { scope: 'project' } as const;

function begun(): Project {
  const project = makeProject();
  ctx.startSession(project.repository, 'the task');
  return project;
}

const rulesOf = ({ repository }: Project): string[] =>
  listRules(repository).rules.map(({ verdict, rule, scope, pin }) => `${scope}: ${verdict} ${rule}${pin ? ' !' : ''}`);

function expectSound({ repository, store }: Project): void {
  expect(fsck(store)).toBe('');
  expect(checkStore(repository, { full: true }).healthy).toBe(true);
}

describe('a rule of a session', () => {
  test('is a record of its chain, replaces the same rule, and is gone after a reset', () => {
    const project = begun();
    expect(setRule(project.repository, 'allow', 'Bash(npm  test *)', SESSION)).toMatchObject({
      rule: 'Bash(npm test *)',
      previous: null,
      counts: true,
    });
    expect(setRule(project.repository, 'deny', 'shell(npm test *)', { ...SESSION, pin: true }).previous).toBe('allow');
    setRule(project.repository, 'allow', 'Edit(src/**)', SESSION);
    expect(rulesOf(project)).toEqual(['session: deny Bash(npm test *) !', 'session: allow Edit(src/**)']);
    expect(resetRules(project.repository, 'Edit(src/**)', 'session').removed).toEqual([
      { verdict: 'allow', rule: 'Edit(src/**)' },
    ]);
    expect(resetRules(project.repository, null, 'session').removed).toHaveLength(1);
    expect(rulesOf(project)).toEqual([]);
    expectSound(project);
  });

  test('counts in no other session', () => {
    const project = begun();
    setRule(project.repository, 'allow', 'Bash', SESSION);
    ctx.startSession(project.repository, 'another task', { beside: true });
    expect(rulesOf(project)).toEqual([]);
  });

  test('is taken back by undo, which restores what was before', () => {
    const project = begun();
    setRule(project.repository, 'ask', 'Bash', SESSION);
    setRule(project.repository, 'allow', 'Bash', SESSION);
    undoOperations(project.repository);
    expect(rulesOf(project)).toEqual(['session: ask Bash']);
    resetRules(project.repository, null, 'session');
    setRule(project.repository, 'deny', 'Edit', SESSION);
    undoOperations(project.repository, 2);
    expect(rulesOf(project)).toEqual(['session: ask Bash']);
    expectSound(project);
  });

  test('needs an active session, a rule that can be read, and no secret', () => {
    const { repository } = makeProject();
    expect(errorOf(() => setRule(repository, 'allow', 'Bash', SESSION)).code).toBe('no_active_session');
    expect(errorOf(() => setRule(repository, 'allow', 'Bash(', SESSION)).code).toBe('usage');
    const secret = `Bash(curl -H ${['gh', 'p_'].join('')}${'Zk3vQ9xW2mN7bT5rY8cL1dF6gH4jS0aPuEoI'} *)`;
    expect(errorOf(() => setRule(repository, 'allow', secret, PROJECT)).code).toBe('invalid_input');
    expect(errorOf(() => resetRules(repository, 'Bash', 'project')).code).toBe('not_found');
  });
});

describe('a branch', () => {
  const branch = (permissions: boolean): string[] => {
    const project = begun();
    const line = JSON.stringify({
      kind: 'message',
      message: { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'a' }] },
    });
    ctx.observeBatch(project.repository, [Buffer.from(`${line}\n`)]);
    ctx.flushStep(project.repository);
    for (const [verdict, rule] of [
      ['allow', 'Edit'],
      ['deny', 'Read'],
      ['ask', 'Bash'],
    ] as const)
      setRule(project.repository, verdict, rule, { ...SESSION, pin: verdict === 'deny' });
    branchSession(project.repository, 'u1', { permissions });
    expectSound(project);
    return rulesOf(project);
  };

  test('has what its parent asks for and denies, and not what that allows', () => {
    expect(branch(false)).toEqual(['session: deny Read !', 'session: ask Bash']);
  });

  test('has what its parent allows if that is wanted', () => {
    expect(branch(true)).toContain('session: allow Edit');
  });
});

describe('a rule of a project', () => {
  const file = ({ store }: Project): string => join(store, 'permissions.json');

  test('is in permissions.json, beside whatever else is in there', () => {
    const project = makeProject();
    writeFileSync(file(project), '{"version": 1, "note": "ours", "rules": []}', { mode: 0o600 });
    setRule(project.repository, 'deny', 'Bash(git push *)', { ...PROJECT, pin: true });
    expect(JSON.parse(readFileSync(file(project), 'utf8'))).toEqual({
      version: 1,
      note: 'ours',
      rules: [{ verdict: 'deny', rule: 'Bash(git push *)', pin: true }],
    });
    expect(resetRules(project.repository, null, 'project').removed).toHaveLength(1);
    expect(rulesOf(project)).toEqual([]);
    expectSound(project);
  });

  test('that allows something counts only in a trusted store', () => {
    const project = makeProject();
    setRule(project.repository, 'deny', 'Read', PROJECT);
    expect(setRule(project.repository, 'allow', 'Bash', PROJECT).counts).toBe(false);
    expect(checkPermission(project.repository, 'Bash', { command: 'ls' })).toMatchObject({
      verdict: 'ask',
      ignored: [{ verdict: 'allow', rule: 'Bash' }],
    });
    expect(checkPermission(project.repository, 'Read', { path: 'a' }).verdict).toBe('deny');
    trust(project.repository, true);
    expect(checkPermission(project.open(), 'Bash', { command: 'ls' })).toMatchObject({ verdict: 'allow', ignored: [] });
    // A change keeps the rules that do not count.
    setRule(project.repository, 'ask', 'Edit', PROJECT);
    expect(rulesOf(project)).toHaveLength(3);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another version', '{"version": 2, "rules": []}'],
    ['no list', '{"version": 1, "rules": {}}'],
    ['an unknown verdict', '{"version": 1, "rules": [{"verdict": "never", "rule": "Bash"}]}'],
    ['no rule', '{"version": 1, "rules": [{"verdict": "deny", "rule": "Bash("}]}'],
    ['a pin that is none', '{"version": 1, "rules": [{"verdict": "deny", "rule": "Bash", "pin": "yes"}]}'],
  ])('is an error in a file with %s: none of it is left out', (_what, text) => {
    const project = begun();
    writeFileSync(file(project), text, { mode: 0o600 });
    expect(errorOf(() => checkPermission(project.repository, 'Bash', {})).code).toBe('invalid_settings');
    expect(errorOf(() => setRule(project.repository, 'allow', 'Bash', PROJECT)).code).toBe('invalid_settings');
    expect(readFileSync(file(project), 'utf8')).toBe(text);
  });
});

test('the rules of a manifest are defaults that a session overrides, unless they are pinned', () => {
  const project = begun();
  const manifest = join(project.folder, 'agent.json');
  const write = (pin: boolean): void =>
    writeFileSync(
      manifest,
      JSON.stringify({ version: 1, rules: [{ verdict: 'deny', rule: 'Bash(git push *)', pin }] }),
    );
  write(false);
  setRule(project.repository, 'allow', 'Bash(git push *)', SESSION);
  const verdict = (): string =>
    checkPermission(project.repository, 'Bash', { command: 'git push' }, { manifest }).verdict;
  expect(verdict()).toBe('allow');
  write(true);
  expect(verdict()).toBe('deny');
  expect(errorOf(() => listRules(project.repository, { manifest: join(project.folder, 'none.json') })).code).toBe(
    'not_found',
  );
});

test('a path counts from the folder of the tool, and through its links', () => {
  const project = begun();
  setRule(project.repository, 'allow', 'Edit(src/**)', SESSION);
  mkdirSync(join(project.folder, 'src', 'deep'), { recursive: true });
  symlinkSync('/etc', join(project.folder, 'src', 'out'));
  const on = (file_path: string, directory?: string): string =>
    checkPermission(project.repository, 'Edit', { file_path }, { directory }).verdict;
  expect(on('src/a.ts')).toBe('allow');
  expect(on('a.ts', join(project.folder, 'src', 'deep'))).toBe('allow');
  expect(on('../../a.ts', join(project.folder, 'src', 'deep'))).toBe('ask');
  expect(on('src/out/hosts')).toBe('ask');
});
