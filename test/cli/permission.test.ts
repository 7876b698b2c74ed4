// `ctx permission` as a user types it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { NOON, type Repo, repository, seen } from '../support/cli.ts';

let repo: Repo;
beforeEach(() => {
  repo = repository({ now: NOON });
  repo.run(['start', 'Add retry']);
});

const input = (command: string): string => JSON.stringify({ command });

test('rules are set, listed, checked and taken back', () => {
  expect(seen(repo.run(['permission', 'allow', 'Bash(npm test *)', '--session']))).toMatchInlineSnapshot(`
    "exit 0
    out| allow Bash(npm test *) (session)"
  `);
  expect(seen(repo.run(['permission', 'ask', 'Bash(npm test --watch)', '--project']))).toMatchInlineSnapshot(`
    "exit 0
    out| ask Bash(npm test --watch) (project)"
  `);
  expect(seen(repo.run(['permission', 'deny', 'Bash(git push *)', '--project', '--pin']))).toMatchInlineSnapshot(`
    "exit 0
    out| deny Bash(git push *) (project, pinned)"
  `);
  expect(seen(repo.run(['permission', 'list']))).toMatchInlineSnapshot(`
    "exit 0
    out| ask Bash(npm test --watch) (project)
    out| deny Bash(git push *) (project, pinned)
    out| allow Bash(npm test *) (session)"
  `);
  expect(
    seen(repo.run(['permission', 'check', 'Bash', '--input', input('npm test && sudo git push')])),
  ).toMatchInlineSnapshot(`
    "exit 0
    out| deny Bash(git push *) (project, pinned)
    out|   npm test: allow Bash(npm test *) (session)
    out|   sudo git push: ask, no rule
    out|   git push: deny Bash(git push *) (project, pinned)
    out|   beaten: allow Bash(npm test *) (session)"
  `);
  expect(
    seen(repo.run(['permission', 'check', 'Bash', '--input', '-'], { input: input('npm test "') })),
  ).toMatchInlineSnapshot(`
    "exit 0
    out| ask: a part of the command is not understood
    out|   beaten: allow Bash(npm test *) (session)"
  `);
  expect(seen(repo.run(['permission', 'check', 'WebFetch']))).toMatchInlineSnapshot(`
    "exit 0
    out| ask: no rule is about it"
  `);
  expect(seen(repo.run(['permission', 'reset', 'Bash(npm test *)', '--session']))).toMatchInlineSnapshot(`
    "exit 0
    out| Taken back: allow Bash(npm test *) (session)"
  `);
  expect(seen(repo.run(['permission', 'reset', '--project']))).toMatchInlineSnapshot(`
    "exit 0
    out| Taken back: ask Bash(npm test --watch) (project), deny Bash(git push *) (project, pinned)"
  `);
  expect(seen(repo.run(['permission', 'reset']))).toMatchInlineSnapshot(`
    "exit 0
    out| There is no rule to take back."
  `);
});

test('the answer of check has the verdict, the rule and what it beat, as JSON', () => {
  const manifest = join(repo.dir, 'agent.json');
  writeFileSync(manifest, JSON.stringify({ version: 1, rules: [{ verdict: 'deny', rule: 'Bash(git push *)' }] }));
  repo.run(['permission', 'allow', 'Bash(git push *)']);
  const line = ['permission', 'check', 'Bash', '--input', input('git push'), '--manifest', 'agent.json'];
  expect(repo.json(line)).toMatchObject({
    verdict: 'allow',
    rule: { verdict: 'allow', rule: 'Bash(git push *)', scope: 'session', pin: false },
    beaten: [{ verdict: 'deny', rule: 'Bash(git push *)', scope: 'manifest', pin: false }],
  });
  expect(repo.json(['permission', 'list', '--manifest', 'agent.json'])).toMatchObject({ rules: [{}, {}] });
});

test('a session of another id is meant by --session before the command', () => {
  const [{ session_id: first }] = repo.json<{ session_id: string }[]>(['list']) as [{ session_id: string }];
  repo.run(['start', '--beside', 'Another']);
  repo.run(['--session', first, 'permission', 'allow', 'Read']);
  expect(repo.json(['permission', 'list'])).toMatchObject({ rules: [] });
  expect(repo.json(['permission', 'list', '--session', first])).toMatchObject({ rules: [{ rule: 'Read' }] });
});

test.each([
  ['both scopes', ['permission', 'allow', 'Bash', '--session', '--project']],
  ['no rule', ['permission', 'deny', 'Bash(']],
  ['an input that is no JSON', ['permission', 'check', 'Bash', '--input', '{']],
])('%s is an error of the command line', (_what, line) => {
  expect(repo.run(line).code).toBe(2);
});

test.each([
  [['permission', 'allow', 'Bash', '--session', '--pin']],
  [['permission', 'allow', 'Bash', '--project']],
  [['permission', 'ask', 'Bash', '--session', '--pin']],
  [['permission', 'ask', 'Bash', '--project']],
  [['permission', 'deny', 'Bash', '--session', '--pin']],
  [['permission', 'deny', 'Bash', '--project']],
  [['hooks', 'install', 'claude-code', '--project', '--permissions', '--dry-run']],
  [['hooks', 'install', 'claude-code', '--project', '--mcp', '--dry-run']],
  [['hook', 'claude-code', '--permissions']],
])('%j is done', (line) => {
  expect(repo.run(line)).toMatchObject({ code: 0 });
});

test('a branch takes what the session allows along only if the line says so', () => {
  const said = '{"id":"ask-1","parts":[{"type":"text","text":"Add retry."}]}';
  repo.run(['messages', 'append', '--role', 'user', said]);
  repo.run(['permission', 'allow', 'Read']);
  repo.run(['branch', 'ask-1']);
  expect(repo.json(['permission', 'list'])).toMatchObject({ rules: [] });
  repo.run(['switch', '-']);
  repo.run(['branch', 'ask-1', '--with-permissions']);
  expect(repo.json(['permission', 'list'])).toMatchObject({ rules: [{ rule: 'Read' }] });
});
