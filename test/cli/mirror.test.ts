// Sessions as files of the project, and in the project's own commits.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MirrorResult } from '../../src/app/mirror/mirror.ts';
import type { ForgetResult } from '../../src/index.ts';
import { folder, git, NOON, type Repo, refused, repository } from '../support/cli.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

/** A project of Git's with a session that was stopped. */
function project(): Repo {
  const repo = repository({ now: NOON });
  git(repo.dir, 'init', '--quiet', '-b', 'main');
  git(repo.dir, 'config', 'user.name', 'A');
  git(repo.dir, 'config', 'user.email', 'a@b');
  writeFileSync(join(repo.dir, '.git', 'info', 'exclude'), '.ctx\n');
  repo.write('a.txt', 'a');
  git(repo.dir, 'add', 'a.txt');
  git(repo.dir, 'commit', '--quiet', '-m', 'first');
  repo.run(['start', 'How should our API look?', '--agent', 'claude-code']);
  repo.run([
    'session',
    'set',
    '--type',
    'brainstorm',
    '--title',
    'Topic',
    '--model',
    'claude-opus-4',
    '--mcp',
    'github',
  ]);
  repo.run(['session', 'set', '--command', '/workspace.brainstorm', '--system-prompt-hash', 'ab'.repeat(32)]);
  repo.run(['observe', 'note', 'Leaning toward REST']);
  repo.run(['stop', 'REST it is'], { now: NOON + 60 });
  return repo;
}

const FOLDER = 'conversations/2026-01-22/001-brainstorm-topic';
const read = (repo: Repo, path: string): string => readFileSync(join(repo.dir, FOLDER, path), 'utf8');

describe('SESS-001: ctx mirror', () => {
  test('writes the conversation, the state of the session, and its messages in order', () => {
    const repo = project();
    const { code, stdout, stderr } = repo.run(['mirror']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Wrote 1 session:\n  ${FOLDER}\n` });
    expect(stderr).toBe(
      `warning: Git does not ignore ${join(repo.dir, 'conversations')}: a commit of the project publishes what was said\n`,
    );
    expect(readdirSync(join(repo.dir, FOLDER)).sort()).toEqual(['.session', 'brainstorm.md']);
    expect(JSON.parse(read(repo, '.session/session.json'))).toMatchObject({
      ...{ title: 'Topic', type: 'brainstorm', status: 'paused', command: '/workspace.brainstorm' },
      ...{ system_prompt_hash: 'ab'.repeat(32), model: 'claude-opus-4', mcp_tools: ['github'], summary: 'REST it is' },
    });
    const messages = read(repo, '.session/messages.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(messages).toEqual([
      { role: 'user', content: 'How should our API look?', timestamp: '2026-01-22T00:00:00.000Z' },
      { role: 'assistant', content: 'Leaning toward REST', timestamp: '2026-01-22T00:00:00.000Z' },
    ]);
    expect(read(repo, 'brainstorm.md')).toContain('# Topic\n\n- Type: brainstorm\n- Status: paused\n');
    expect(read(repo, 'brainstorm.md')).toContain('> How should our API look?');
  });

  test('writes nothing a second time, and says no second time that Git would publish it', () => {
    const repo = project();
    repo.run(['mirror']);
    expect(repo.run(['mirror'])).toEqual({
      code: 0,
      stdout: `Nothing to change in ${join(repo.dir, 'conversations')}\n`,
      stderr: '',
    });
  });

  test('keeps the folder of a session whatever its title is now, and numbers the others', () => {
    const repo = project();
    repo.run(['mirror']);
    repo.run(['resume', '1']);
    repo.run(['session', 'set', '--title', 'Another title']);
    repo.run(['stop']);
    repo.run(['start', 'A second task']);
    repo.run(['stop']);
    repo.run(['mirror']);
    expect(readdirSync(join(repo.dir, 'conversations', '2026-01-22')).sort()).toEqual([
      '001-brainstorm-topic',
      '002-session-a-second-task',
    ]);
    expect(read(repo, 'brainstorm.md')).toContain('# Another title');
  });

  test('a folder stays the name of its session, and holds one conversation, when its title and type change', () => {
    const repo = project();
    repo.run(['mirror', '--commit']);
    repo.run(['resume', '-', '--no-launch']);
    repo.run(['session', 'set', '--title', 'Another', '--type', 'debug']);
    repo.run(['stop']);
    const [{ folder: below, changed }] = repo.json<MirrorResult>(['mirror', '--commit']).sessions as [
      MirrorResult['sessions'][0],
    ];
    expect([below, changed[0]]).toEqual([FOLDER, 'brainstorm.md']);
    expect(readdirSync(join(repo.dir, FOLDER)).sort()).toEqual(['.session', 'debug.md']);
    expect(git(repo.dir, 'ls-files', FOLDER)).not.toContain('brainstorm.md');
    expect(git(repo.dir, 'status', '--porcelain')).toBe('');
    const [row] = repo.json<{ name: string; session_id: string }[]>(['resume', '--list']);
    expect(row?.name).toBe('001-brainstorm-topic');
    const resumed = repo.json<{ session_id: string }>(['resume', '001-brainstorm-topic', '--no-launch']);
    expect(resumed.session_id).toBe(row?.session_id);
  });

  test('a folder that says nothing of a session, or of another one, is no name', () => {
    const repo = project();
    repo.run(['mirror', 'notes']);
    repo.run(['session', 'set', '--title', 'Another']);
    for (const name of ['005-x-y', '006-x-y'])
      mkdirSync(join(repo.dir, 'notes/2026-01-22', name, '.session'), { recursive: true });
    writeFileSync(join(repo.dir, 'notes/2026-01-22/005-x-y/.session/session.json'), '{"session_id":"x"}');
    expect(repo.refused(['mirror', 'notes', '005-x-y'])).toMatchObject({ code: 'not_found' });
    expect(repo.json<{ name: string }[]>(['resume', '--list'])).toHaveLength(1);
  });

  test('writes one session, named as for ctx resume', () => {
    const repo = project();
    repo.run(['start', 'A second task']);
    const { sessions } = repo.json<MirrorResult>(['mirror', 'notes', 'second']);
    expect(sessions).toMatchObject([{ title: 'A second task', folder: 'notes/2026-01-22/002-session-a-second-task' }]);
    expect(repo.refused(['mirror', 'notes', 'zebra'])).toMatchObject({ code: 'not_found', exit: 1 });
  });

  test('what is forgotten is taken out of a mirror in any folder', () => {
    const repo = project();
    repo.run(['mirror', 'docs/talks']);
    const file = join(repo.dir, 'docs/talks/2026-01-22/001-brainstorm-topic/brainstorm.md');
    expect(readFileSync(file, 'utf8')).toContain('Leaning toward REST');
    expect(repo.json<ForgetResult>(['forget', '--text', 'Leaning toward REST', '--yes']).mirrored).toEqual([
      'docs/talks/2026-01-22/001-brainstorm-topic',
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain('Leaning toward REST');
    expect(JSON.parse(readFileSync(join(repo.dir, '.ctx/settings.json'), 'utf8'))).toMatchObject({
      mirrors: ['docs/talks'],
    });
  });

  test.each(['..', '../elsewhere', '/tmp', '.', '.ctx', '.ctx/x', '.git', '.GIT/x', 'sub/.git/x', 'bare', 'bare/x'])(
    'refuses %s, which is not below the project, or in a folder of Git or ctx',
    (dir) => {
      const repo = project();
      git(repo.dir, 'init', '--quiet', '--bare', 'bare');
      expect(repo.refused(['mirror', dir])).toMatchObject({ code: 'invalid_input', exit: 1 });
    },
  );

  test('follows no link out of the project', () => {
    const repo = project();
    const elsewhere = folder('elsewhere-');
    symlinkSync(elsewhere, join(repo.dir, 'conversations'));
    expect(repo.refused(['mirror'])).toMatchObject({ code: 'invalid_input' });
    mkdirSync(join(repo.dir, 'notes'));
    symlinkSync(elsewhere, join(repo.dir, 'notes', '2026-01-22'));
    expect(repo.refused(['mirror', 'notes'])).toMatchObject({ code: 'invalid_input' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('SESS-006: ctx mirror --commit', () => {
  const subjects = (repo: Repo): string[] => git(repo.dir, 'log', '--format=%s').trimEnd().split('\n');

  test('commits the conversation with its session, and nothing else', () => {
    const repo = project();
    repo.write('staged.txt', 'staged');
    git(repo.dir, 'add', 'staged.txt');
    repo.write('a.txt', 'changed');
    repo.write('new.txt', 'new');
    expect(repo.run(['mirror', '--commit']).code).toBe(0);
    expect(subjects(repo)[0]).toBe('Topic (session state saved)');
    expect(git(repo.dir, 'show', '--format=', '--name-only', 'HEAD').trimEnd().split('\n').sort()).toEqual(
      [`${FOLDER}/.session/messages.jsonl`, `${FOLDER}/.session/session.json`, `${FOLDER}/brainstorm.md`].sort(),
    );
    expect(git(repo.dir, 'status', '--porcelain')).toBe(' M a.txt\nA  staged.txt\n?? new.txt\n');
  });

  test('says "session update" where only the session has changed', () => {
    const repo = project();
    repo.run(['mirror', '--commit']);
    repo.run(['resume', '1'], { now: NOON + 120 });
    repo.run(['session', 'set', '--model', 'another'], { now: NOON + 120 });
    repo.run(['stop', 'REST it is'], { now: NOON + 120 });
    expect(repo.run(['mirror', '--commit']).code).toBe(0);
    expect(subjects(repo).slice(0, 2)).toEqual(['session update', 'Topic (session state saved)']);
    expect(repo.run(['mirror', '--commit'])).toMatchObject({ code: 0, stderr: '' });
    expect(subjects(repo)).toHaveLength(3);
  });

  test('runs no hook of the project if there is nothing to commit', () => {
    const repo = project();
    const hook = join(repo.dir, '.git/hooks/pre-commit');
    writeFileSync(hook, '#!/bin/sh\necho HOOKRAN\ngit diff --cached --name-only\n');
    chmodSync(hook, 0o755);
    repo.write('staged.txt', 'staged');
    git(repo.dir, 'add', 'staged.txt');
    expect(repo.run(['mirror', '--commit']).code).toBe(0);
    const { code, stdout, stderr } = repo.run(['mirror', '--commit']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `Nothing to change in ${join(repo.dir, 'conversations')}\n`,
      stderr: '',
    });
    expect(git(repo.dir, 'status', '--porcelain')).toBe('A  staged.txt\n');
  });

  test('says what a hook of the project refuses, and loses nothing', () => {
    const repo = project();
    const hook = join(repo.dir, '.git', 'hooks', 'pre-commit');
    writeFileSync(hook, '#!/bin/sh\necho "no conversations here" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const { code, stderr } = repo.run(['mirror', '--commit']);
    expect(code).toBe(1);
    expect(stderr).toContain('warning: "Topic" is written and not committed: no conversations here');
    expect(existsSync(join(repo.dir, FOLDER, 'brainstorm.md'))).toBe(true);
    expect(git(repo.dir, 'status', '--porcelain')).toBe('?? conversations/\n');
    expect(subjects(repo)).toEqual(['first']);
  });
});

describe('ctx init --conversations', () => {
  test('mirrors each session from then on when it is paused, stopped or ended; it is off otherwise', () => {
    const repo = project();
    expect(existsSync(join(repo.dir, 'conversations'))).toBe(false);
    expect(repo.run(['init', '--conversations', 'talks']).code).toBe(0);
    const names = (): string[] => readdirSync(join(repo.dir, 'talks', '2026-01-22')).sort();
    repo.run(['start', 'One'], { now: NOON + 100 });
    repo.run(['stop'], { now: NOON + 100 });
    expect(names()).toEqual(['002-session-one']);
    repo.run(['start', 'Two'], { now: NOON + 200 });
    repo.run(['observe', 'note', 'a'], { now: NOON + 200 });
    repo.run(['stage', 'compact'], { now: NOON + 200 });
    expect(names()).toEqual(['002-session-one', '003-session-two']);
    repo.run(['start', 'Three'], { now: NOON + 300 });
    repo.run(['start', 'Four', '--beside'], { now: NOON + 1000 });
    expect(names()).toEqual(['002-session-one', '003-session-two', '004-session-three']);
  });

  test('keeps the other settings', () => {
    const repo = project();
    writeFileSync(join(repo.store, 'settings.json'), '{"ask_threshold": "2h", "mine": 1}', { mode: 0o600 });
    repo.run(['init', '--conversations', 'talks']);
    expect(JSON.parse(readFileSync(join(repo.store, 'settings.json'), 'utf8'))).toEqual({
      ...{ ask_threshold: '2h', mine: 1, conversations: 'talks' },
    });
  });

  test.each([
    ['leads out of the project', 'invalid_settings', '../talks'],
    ['has a secret in its name', 'invalid_input', fill('ghp_{36:b}', new Chance(7))],
  ])('refuses a folder that %s, before there is a store', (_what, code, name) => {
    const cwd = folder();
    expect(refused(['init', '--conversations', name], { cwd })).toMatchObject({ code });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
