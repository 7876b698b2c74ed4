// Stop and resume through the command line: the dialogues of people, what programs get, and exit codes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResumableRow } from '../../src/app/resume/resumable.ts';
import type { ResumeResult } from '../../src/app/resume/resume.ts';
import type { StopResult } from '../../src/app/resume/stop.ts';
import { folder, fsck, NOON, type Repo, repository, session } from '../support/cli.ts';

const HOUR = 3600;

/** The two conversations of the requirement: one was stopped two hours ago, the other was active yesterday. */
function conversations(): Repo {
  const repo = repository({ now: NOON + 10 * HOUR });
  const at = (now: number, ...words: string[]): void => {
    const ran = repo.run(words, { now });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  };
  at(NOON - 14 * HOUR, 'start', 'Auth tokens expire too early', '--agent', 'codex');
  at(NOON - 14 * HOUR, 'session', 'set', '--type', 'debug', '--title', 'Auth Token Expiry Issue');
  at(NOON - 14 * HOUR, 'stop', 'Identified race condition in token refresh');
  at(NOON + 8 * HOUR, 'start', 'How should our internal API look?', '--agent', 'claude-code');
  at(NOON + 8 * HOUR, 'session', 'set', '--type', 'brainstorm', '--title', 'API Design Discussion');
  at(NOON + 8 * HOUR, 'stop', 'Exploring REST vs GraphQL, leaning toward REST');
  return repo;
}

const rows = (repo: Repo): ResumableRow[] => repo.json<ResumableRow[]>(['resume', '--list']);

describe('SESS-002: ctx stop', () => {
  test('confirms with the title, how to resume, and the last of what was said', () => {
    const repo = session('Please explore our API');
    repo.run(['session', 'set', '--title', 'API Design Discussion']);
    const summary = 'We were exploring REST vs GraphQL, leaning toward REST for simplicity.';
    const { code, stdout, stderr } = repo.run(['stop', summary]);
    const [row] = rows(repo);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'Session saved.',
        '',
        'Conversation "API Design Discussion" has been paused.',
        `You can continue later with ctx resume ${row?.short_id}`,
        '',
        `Summary: ${summary}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(repo.run(['status']).stdout).toContain('No session is active.');
    fsck(repo.dir);
  });

  test('gives programs what they need to come back', () => {
    const repo = session();
    repo.run(['observe', 'note', 'half of it']);
    const stopped = repo.json<StopResult>(['stop']);
    expect(stopped).toMatchObject({ title: 'Add retry with backoff', status: 'paused', summary: 'half of it' });
    expect(stopped.resume_with).toBe(`ctx resume ${stopped.short_id}`);
  });

  test('ends with 1 if nothing is active, and names what is paused', () => {
    const repo = session();
    repo.run(['stop']);
    const [row] = rows(repo);
    const { code, stdout, stderr } = repo.run(['stop']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error: No session is active: there is nothing to stop.');
    expect(stderr).toContain(`ctx resume ${row?.short_id}  Add retry with backoff`);
    expect(repo.refused(['stop'])).toMatchObject({ code: 'no_active_session', exit: 1, data: { paused: [{}] } });
  });

  test('takes its summary from standard input', () => {
    const repo = session();
    expect(repo.run(['stop', '-'], { input: 'From a pipe.\n' }).stdout).toContain('Summary: From a pipe.');
  });
});

describe('SESS-003 and SESS-004: ctx resume', () => {
  test('lists type, title, last active time, status, summary and id, newest work first, and asks which', () => {
    const repo = conversations();
    const [first, second] = rows(repo);
    const { code, stdout } = repo.run(['resume']);
    expect(code).toBe(3);
    expect(stdout).toBe(
      [
        'Here are your resumable conversations:',
        '',
        '1. [brainstorm] API Design Discussion',
        `   Last active: 2 hours ago | Status: paused | ID: ${first?.short_id} | Agent: claude-code`,
        '   Summary: Exploring REST vs GraphQL, leaning toward REST',
        '',
        '2. [debug] Auth Token Expiry Issue',
        `   Last active: yesterday | Status: paused | ID: ${second?.short_id} | Agent: codex`,
        '   Summary: Identified race condition in token refresh',
        '',
        'Which conversation would you like to continue? (number or search)',
        '',
      ].join('\n'),
    );
  });

  test('shows of a completed conversation what was said when it was saved', () => {
    const repo = session('Fix login');
    repo.run(['done', 'The narwhal fix is in.'], { now: NOON });
    repo.run(['confirm', '-m', 'Refresh tokens before they expire'], { now: NOON });
    expect(rows(repo).map(({ summary }) => summary)).toEqual(['Refresh tokens before they expire']);
    const plain = session('Fix logout');
    plain.run(['done'], { now: NOON });
    plain.run(['confirm'], { now: NOON });
    expect(rows(plain).map(({ summary }) => summary)).toEqual([null]);
  });

  test('--list lists the same, asks nothing, and ends with 0', () => {
    const repo = conversations();
    const { code, stdout } = repo.run(['resume', '--list']);
    expect(code).toBe(0);
    expect(stdout).toContain('1. [brainstorm] API Design Discussion');
    expect(stdout).not.toContain('Which conversation');
    expect(rows(repo)).toMatchObject([
      { number: 1, type: 'brainstorm', title: 'API Design Discussion', status: 'paused', agent: 'claude-code' },
      {
        number: 2,
        type: 'debug',
        title: 'Auth Token Expiry Issue',
        status: 'paused',
        name: '001-debug-auth-token-expiry-issue',
      },
    ]);
  });

  test('says that there are no resumable conversations, and suggests to start one', () => {
    const repo = repository({ now: NOON });
    const words = 'There are no resumable conversations. Start a new one with: ctx start "<task>"\n';
    expect(repo.run(['resume'])).toEqual({ code: 1, stdout: words, stderr: '' });
    expect(repo.run(['resume', '--list'])).toEqual({ code: 0, stdout: words, stderr: '' });
    expect(repo.json(['resume', '--list'])).toEqual([]);
    expect(repo.json(['resume'], { exit: 1 })).toEqual([]);
  });

  test.each([
    ['its number', () => '1'],
    ['its short id', (row: ResumableRow) => row.short_id],
    ['its id', (row: ResumableRow) => row.session_id],
    ['its name', (row: ResumableRow) => row.name],
    ['words of its title', () => 'api design'],
    ['words of its summary', () => 'leaning rest'],
    ['-, the session before', () => '-'],
  ])('resumes by %s', (_how, given) => {
    const repo = conversations();
    const [row] = rows(repo);
    const { code, stdout, stderr } = repo.run(['resume', given(row as ResumableRow)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'hint: Resuming "API Design Discussion"\n' });
    expect(stdout).toContain('Session: API Design Discussion\nType: brainstorm\n');
    expect(stdout).toContain('Where it stopped: it was at work:\n  Exploring REST vs GraphQL, leaning toward REST\n');
    expect(stdout).toContain('  How should our internal API look?\n');
    expect(repo.json(['status'])).toMatchObject({ session_id: row?.session_id, status: 'active' });
  });

  test('of several that match lists these, and ends with 3', () => {
    const repo = conversations();
    repo.run(['start', 'API design of the client', '--beside'], { now: NOON + 9 * HOUR });
    repo.run(['stop'], { now: NOON + 9 * HOUR });
    const { code, stdout } = repo.run(['resume', 'api', 'design']);
    expect(code).toBe(3);
    expect(stdout).toContain('2 conversations match "api design":');
    expect(stdout).toContain('1. [session] API design of the client');
    expect(stdout).toContain('2. [brainstorm] API Design Discussion');
    expect(repo.json<ResumableRow[]>(['resume', 'api design'], { exit: 3 }).map(({ number }) => number)).toEqual([
      1, 2,
    ]);
    expect(repo.json(['status'])).toMatchObject({ active: false });
  });

  test('of none that matches names the nearest, and ends with 1', () => {
    const repo = conversations();
    const error = repo.refused(['resume', 'auht token expri']);
    expect(error).toMatchObject({ code: 'not_found', exit: 1, message: 'No session matches "auht token expri".' });
    expect(error.hint).toMatch(/^The nearest:\nctx resume [0-9a-f]{6} {2}Auth Token Expiry Issue\n/);
  });

  test('gives programs the context, and what was left out of it', () => {
    const repo = conversations();
    const resumed = repo.json<ResumeResult>(['resume', '1']);
    expect(resumed).toMatchObject({
      ...{ continues: null, title: 'API Design Discussion', status: 'active', command: null, prompt_changed: null },
      ...{ left_out: { turns: 0, tokens: 0 }, launch: null },
    });
    expect(resumed.tokens).toBe(Math.ceil(resumed.context.length / 4));
  });

  test('--context writes the context into a file of its own', () => {
    const repo = conversations();
    const { stdout } = repo.run(['resume', '1', '--context', 'context.md']);
    const file = join(repo.dir, 'context.md');
    expect(stdout).toMatch(new RegExp(`^Wrote the context \\(about \\d+ tokens\\) to ${file}\\n$`));
    expect(readFileSync(file, 'utf8')).toContain('How should our internal API look?');
  });

  test('--budget says what was left out, and --full leaves out nothing', () => {
    const repo = session();
    for (let count = 0; count < 30; count += 1) repo.run(['observe', 'note', `note ${count} ${'x'.repeat(300)}`]);
    repo.run(['stop']);
    const cut = repo.run(['resume', '1', '--budget', '1000']);
    expect(cut.stderr).toMatch(
      /hint: Left out of the context: a part of the last turn, about \d+ tokens\. For all of it: --full/,
    );
    expect(cut.stdout.length).toBeLessThanOrEqual(4000);
    repo.run(['stop']);
    const whole = repo.run(['resume', '1', '--full']);
    expect(whole.stdout).toContain('note 0 xxx');
    expect(whole.stderr).not.toContain('Left out');
    expect(repo.run(['resume', '1', '--full', '--budget', '5']).code).toBe(2);
  });
});

describe('SESS-005: completed conversations', () => {
  test('warn, and are resumed only with --reopen', () => {
    const repo = session();
    repo.run(['done', 'It retries.']);
    repo.run(['confirm']);
    const [row] = rows(repo);
    expect(row).toMatchObject({ open: false, status: 'completed' });
    expect(repo.run(['resume', '--list']).stdout).toContain('Status: completed, ended: --reopen');
    expect(repo.refused(['resume', '1'])).toMatchObject({
      code: 'session_completed',
      exit: 1,
      message: '"Add retry with backoff" was marked complete.',
      hint: `To resume it anyway: ctx resume ${row?.short_id} --reopen`,
    });
    const resumed = repo.json<ResumeResult>(['resume', '1', '--reopen']);
    expect(resumed).toMatchObject({ continues: row?.session_id, status: 'active' });
    expect(repo.json(['status'])).toMatchObject({ session_id: resumed.session_id });
    fsck(repo.dir);
  });
});

describe('SESS-005: auto-pause', () => {
  test('is said by readers each time, and once by the change that records it', () => {
    const repo = session();
    const later = { now: NOON + 1200 };
    for (let look = 0; look < 2; look += 1) {
      expect(repo.run(['status'], later).stdout).toContain(
        'Status   paused: nothing was done for 20 minutes; continue: ctx resume',
      );
    }
    expect(repo.run(['list'], later).stdout).toContain('Running, paused');
    const begun = repo.run(['start', 'Another task', '--beside'], later);
    expect(begun.stderr).toBe(
      'Saved as paused: "Add retry with backoff", since nothing was done in it for 20 minutes.\n',
    );
    expect(repo.run(['start', 'A third task', '--beside'], later).stderr).toBe('');
  });
});

describe('SESS-001: ctx session set', () => {
  test('keeps agent, version, command, model, prompt, tools, type and title with the session', () => {
    const repo = session();
    repo.write('.claude/commands/workspace.brainstorm.md', 'Ask one question at a time.');
    // biome-ignore format: one list of words, as a user types them
    const words = [
      'session', 'set', '--type', 'brainstorm', '--title', 'API Design', '--agent', 'claude-code', '--agent-version', '2.1',
      '--command', '/workspace.brainstorm', '--mode', 'plan', '--model', 'claude-opus-4', '--mcp', 'github', '--mcp', 'linear',
      '--tool', 'Bash', '--system-prompt', '.claude/commands/workspace.brainstorm.md',
    ];
    const set = repo.json<object>(words);
    expect(set).toMatchObject({
      ...{ title: 'API Design', type: 'brainstorm', agent: 'claude-code', agent_version: '2.1' },
      ...{ command: '/workspace.brainstorm', mode: 'plan', model: 'claude-opus-4' },
      ...{ mcp_servers: ['github', 'linear'], tools: ['Bash'] },
      system_prompt: {
        path: '.claude/commands/workspace.brainstorm.md',
        sha256: createHash('sha256').update('Ask one question at a time.').digest('hex'),
      },
    });
    fsck(repo.dir);
  });

  test('ctx start keeps what is known when the session begins', () => {
    const repo = repository();
    // biome-ignore format: one list of words, as a user types them
    const words = [
      'start', 'REST or GraphQL?', '--agent', 'claude-code', '--type', 'brainstorm', '--title', 'API Design',
      '--command', '/workspace.brainstorm', '--model', 'claude-opus-4',
    ];
    expect(repo.run(words)).toMatchObject({ code: 0 });
    expect(repo.json<object>(['session', 'set', '--mode', 'plan'])).toMatchObject({
      ...{ title: 'API Design', type: 'brainstorm', agent: 'claude-code', mode: 'plan' },
      ...{ command: '/workspace.brainstorm', model: 'claude-opus-4' },
    });
    expect(repo.refused(['start', 'Another', '--beside', '--title', ' '])).toMatchObject({ code: 'invalid_input' });
    expect(repo.refused(['start', 'Another', '--beside', '--type', ''])).toMatchObject({ code: 'usage', exit: 2 });
    expect(repo.json<{ result: object[] } | object[]>(['list'])).toHaveLength(1);
    fsck(repo.dir);
  });

  test('refuses what it cannot keep', () => {
    const repo = session();
    expect(repo.refused(['session', 'set'])).toMatchObject({ code: 'invalid_input', exit: 1 });
    expect(repo.refused(['session', 'set', '--system-prompt', 'none.md'])).toMatchObject({
      code: 'not_found',
      exit: 1,
    });
    expect(repo.refused(['session', 'set', '--system-prompt-hash', 'abc'])).toMatchObject({ code: 'usage', exit: 2 });
  });
});

describe('SESS-004: starting the agent', () => {
  /** A program in the place of an agent: it writes down what it was given, and ends as it is told. */
  function withAgent(name: string, body = 'exit 0'): { env: Record<string, string>; log: string } {
    const bin = folder('bin-');
    const log = join(bin, 'log');
    const script = `#!/bin/sh\nprintf '%s\\n' "$PWD" "$CTX_RESUMED" "$@" > ${log}\n${body}\n`;
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
    return { env: { PATH: `${bin}:${process.env['PATH']}` }, log };
  }

  test('hands the context to a new conversation of the agent that the session had', () => {
    const repo = conversations();
    const { env, log } = withAgent('claude');
    const [row] = rows(repo);
    const ran = repo.run(['resume', '1', '--launch'], { env, own: true });
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    const [directory, resumed, flag, ...rest] = readFileSync(log, 'utf8').split('\n');
    expect(directory).toBe(repo.dir);
    expect(resumed).toMatch(new RegExp(`^${row?.session_id}:[0-9a-f]{40}$`));
    expect(flag).toBe('--append-system-prompt');
    expect(rest.join('\n')).toContain('Exploring REST vs GraphQL');
    expect(rest.join('\n').trimEnd()).toMatch(/Resume the session that ctx has handed over to you\.$/);
  });

  test('begins with the command that the session was begun with', () => {
    const repo = conversations();
    repo.run(['resume', '2']);
    repo.run(['session', 'set', '--command', '/workspace.debug']);
    repo.run(['stop']);
    const { env, log } = withAgent('codex');
    expect(repo.run(['resume', 'token', '--launch'], { env, own: true }).code).toBe(0);
    expect(readFileSync(log, 'utf8').split('\n')[2]).toMatch(
      /^\/workspace\.debug From ctx, the memory of this project/,
    );
  });

  test('--no-launch starts none, and prints the context', () => {
    const { code, stdout } = conversations().run(['resume', '1', '--no-launch']);
    expect(code).toBe(0);
    expect(stdout).toContain('How should our internal API look?');
  });

  test('starts another agent if one is named', () => {
    const repo = conversations();
    const { env, log } = withAgent('pi');
    for (const words of [
      ['1', '--launch', 'pi'],
      ['--launch', 'pi', 'api', 'design'],
      ['--launch=pi', '1'],
    ]) {
      rmSync(log, { force: true });
      expect(repo.run(['resume', ...words], { env, own: true }).code).toBe(0);
      expect(existsSync(log)).toBe(true);
    }
  });

  test('takes a word behind --launch for the session if it names no agent', () => {
    const repo = conversations();
    const { env, log } = withAgent('claude');
    expect(repo.run(['resume', '--launch', '1'], { env, own: true }).code).toBe(0);
    expect(readFileSync(log, 'utf8')).toContain('--append-system-prompt');
  });

  test('ends as the agent ends', () => {
    const repo = conversations();
    expect(repo.run(['resume', '1', '--launch'], { ...withAgent('claude', 'exit 42'), own: true }).code).toBe(42);
    expect(
      repo.run(['resume', '1', '--launch'], { ...withAgent('claude', 'kill -TERM $$'), own: true }).code,
    ).toBeNull();
  });

  test('says what is missing: the program, or an agent that ctx can start', () => {
    const repo = conversations();
    const missing = repo.run(['resume', '1', '--launch'], { env: { PATH: folder('empty-') }, own: true });
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('error: claude is not installed here, or is not on PATH.');
    expect(repo.run(['resume', '1', '--launch', 'vim']).stderr).toContain('error: ctx cannot start the agent vim.');
  });

  test('--print-command shows how the agent would be started, as a shell takes it', () => {
    const repo = conversations();
    const { stdout } = repo.run(['resume', '1', '--print-command']);
    expect(stdout).toMatch(new RegExp(`^cd ${repo.dir} && CTX_RESUMED=\\S+ claude --append-system-prompt '`));
    const { env, log } = withAgent('claude');
    const shell = folder('shell-');
    writeFileSync(join(shell, 'line.sh'), stdout);
    execFileSync('sh', [join(shell, 'line.sh')], { env });
    expect(readFileSync(log, 'utf8')).toContain('How should our internal API look?');
  });
});
