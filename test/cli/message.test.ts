// A user's message on the command line: what is printed, at a terminal and for a program, and whose word counts for its class.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ActiveStatus, MessageResult, Status } from '../../src/index.ts';
import { onTerminal, opener } from '../strangers/pty.ts';
import { folder, fsck, git, json, NOON, type Repo, refused, repository, run, session, write } from '../support/cli.ts';
import { PROGRAM } from '../support/store.ts';

const status = (repo: Repo): ActiveStatus => repo.json(['stage', 'status']);

/** A session with something in it. */
function atWork(): Repo {
  const repo = session('Add retry');
  repo.run(['observe', 'note', 'Decision: full jitter', '--flush']);
  return repo;
}

test('the first message begins a session with its agent; what is only told changes nothing', () => {
  const repo = repository({ now: NOON });
  repo.run(['message', '--agent', 'my-agent', '--dry-run', 'Add retry']);
  expect((repo.json(['stage', 'status']) as Status).active).toBe(false);
  expect(repo.run(['message', '--agent', 'my-agent', 'Add', 'retry'])).toEqual({
    code: 0,
    stdout: 'NewTask\nStarted. Now: Running\n',
    stderr: '',
  });
  expect(status(repo)).toMatchObject({ task_description: 'Add retry', agent: 'my-agent' });
});

test('--explain says which words decided, and no percentage', () => {
  const repo = atWork();
  const { stdout } = repo.run(['message', '--dry-run', '--explain', 'never mind']);
  expect(stdout).toContain('Abandon: It says “never mind” and asks for no other work.');
  expect(stdout).not.toContain('%');
});

test('a question: exit code 3, how to answer it, and the answer by ctx choose', () => {
  const repo = atWork();
  const asked = repo.run(['message', '--as', 'new-task', 'Write the docs']);
  expect(asked).toEqual({
    code: 3,
    stdout: [
      'NewTask',
      '',
      'You have unfinished work on: Add retry',
      '',
      'Should I:',
      'A) Save that and start on your new request',
      'B) Continue where we left off',
      '',
      'Asked. Now: Running',
      '',
    ].join('\n'),
    stderr: 'hint: Answer with: ctx choose <A|B|continue|fresh>\n',
  });
  expect(repo.run(['stage', 'status']).stdout).toContain('B) Continue where we left off\nAnswer with: ctx choose');
  expect(repo.refused(['choose', 'C'])).toMatchObject({ exit: 1, code: 'invalid_input' });
  const told = repo.json<MessageResult>(['choose', '--dry-run', 'fresh']);
  expect(told).toMatchObject({ action: 'started', dry_run: true, commit: null });
  const answered = repo.json<MessageResult>(['choose', '--agent', 'other', 'a)']);
  expect(answered).toMatchObject({ action: 'started', classification: 'Response' });
  expect(status(repo)).toMatchObject({ task_description: 'Write the docs', agent: 'other', choice: null });
  expect(repo.refused(['choose', 'A'])).toMatchObject({ exit: 1, code: 'no_choice' });
  fsck(repo.dir);
});

test('what is only told says which session would end, and that the one behind it has no id yet', () => {
  const repo = atWork();
  const { session_id } = status(repo);
  const told = ['message', '--as', 'abandon', '--dry-run', 'Never mind'];
  expect(repo.json(told)).toMatchObject({ would_end: session_id, session_id: null, commit: null });
  expect(repo.run(told)).toEqual({
    code: 0,
    stdout: `Abandon\nAbandoned. Would be: no session\nWould end: session ${session_id}\n`,
    stderr: '',
  });
  expect(repo.json(['message', '--dry-run', 'Also log it'])).toMatchObject({ would_end: null, session_id });
  const late = { now: NOON + 9 * 86_400 };
  const stale = { action: 'started', staleness: 'auto_compact' };
  expect(repo.json(['message', '--dry-run', 'Also log it'], late)).toMatchObject({
    ...{ ...stale, would_end: session_id, session_id: null, compacted: null },
  });
  const done = repo.json<MessageResult>(['message', 'Also log it'], late);
  expect(done).toMatchObject({ ...stale, would_end: null });
  expect(done.commit).toBe(done.compacted?.oid);
});

test('what comes while a question waits is not flushed, and it is said why', () => {
  const repo = atWork();
  repo.run(['message', '--as', 'new-task', 'Write the docs']);
  repo.run(['stage', 'flush']);
  repo.run(['observe', 'note', 'meanwhile']);
  expect(repo.run(['stage', 'flush'])).toEqual({
    code: 0,
    stdout: 'Nothing to flush.\n',
    stderr: 'hint: 1 record waits for the answer to a question, or for the next message. See: ctx status\n',
  });
  expect(repo.run(['stage', 'status']).stdout).toContain('Unsaved  1 record (for the answer)\n');
});

test('a question in another session than the current one: what answers it says which', () => {
  const repo = atWork();
  const { session_id: other } = status(repo) as { session_id: string };
  repo.run(['stage', 'start', '--beside', 'Fix the build']);
  const asked = repo.run(['--session', other, 'message', '--as', 'new-task', 'Write the docs']);
  const answer = `ctx choose <A|B|continue|fresh> --session ${other}`;
  expect(asked).toMatchObject({ code: 3, stderr: `hint: Answer with: ${answer}\n` });
  expect(repo.json<MessageResult>(['--session', other, 'choose', 'continue'])).toMatchObject({ answer_with: null });
});

test('a message may come on standard input; an empty one is refused', () => {
  const repo = atWork();
  expect(repo.run(['message', '-'], { input: 'Never mind, drop it\n' })).toMatchObject({ code: 0 });
  expect((repo.json(['stage', 'status']) as Status).active).toBe(false);
  for (const text of ['', ' \n', '\u00a0']) expect(repo.refused(['message', text])).toMatchObject({ exit: 1 });
  expect(repo.refused(['message', '--as', 'unclear', 'x'])).toMatchObject({ exit: 2, code: 'usage' });
});

test.skipIf(!opener)('at a terminal the question is put at once, until it is answered', () => {
  const repo = atWork();
  const line = ['message', '--as', 'new-task', 'Write the docs'];
  const told = onTerminal([line], { cwd: repo.dir, input: 'perhaps\nB\n' });
  expect(told.codes).toEqual([0]);
  expect(told.text).toContain('Should I:\nA) Save that');
  expect(told.text).toContain('Answer with A or B:');
  expect(status(repo)).toMatchObject({ task_description: 'Add retry', choice: null });
  const left = onTerminal([line], { cwd: repo.dir, input: '\n' });
  expect(left.codes).toEqual([3]);
  expect(status(repo).choice).toMatchObject({ kind: 'new_task' });
});

describe('a classifier of the user’s own', () => {
  const home = folder('home-');
  const env = { HOME: home };

  /** A session whose settings name a program that runs this text, in a store of somebody with that home. */
  function withProgram(text: string, settings: object = {}): Repo {
    const repo = repository({ now: NOON, env });
    const program = write(join(repo.dir, 'classifier.cjs'), text);
    const classifier = { command: [process.execPath, program], ...settings };
    write(join(repo.store, 'settings.json'), JSON.stringify({ fsync: false, classifier }));
    repo.run(['init', '--trust']);
    repo.run(['stage', 'start', 'Add retry']);
    repo.run(['stage', 'done', 'Retry is in.']);
    return repo;
  }
  const says = (answer: string): string => `process.stdout.write(${JSON.stringify(answer)})`;
  const ask = (repo: Repo): MessageResult => repo.json(['message', '--dry-run', 'Looks good']);

  test('is given the message, the state, the task and the last words, and its word counts', () => {
    const seen = join(folder('seen-'), 'input');
    const answer = says('{"classification":"new-task","confidence":0.7,"reason":"I say\\u0007 so"}');
    const repo = withProgram(
      `require('node:fs').appendFileSync(${JSON.stringify(seen)}, require('node:fs').readFileSync(0)); ${answer}`,
    );
    expect(ask(repo)).toMatchObject({ classification: 'NewTask', confidence: 0.7, reason: 'I say so' });
    expect(readFileSync(seen, 'utf8')).toBe(
      '{"state":"PendingComplete","message":"Looks good","last_message":"Retry is in.","task":"Add retry"}\n',
    );
    // Without --dry-run it is asked once, before the store is locked.
    rmSync(seen);
    repo.run(['message', 'Looks good']);
    expect(readFileSync(seen, 'utf8').trim().split('\n')).toHaveLength(1);
    expect(ask(repo).reason).toBe('I say so');
    expect(repo.json<MessageResult>(['message', '--as', 'confirmation', '--dry-run', 'x']).reason).toBe(
      'The agent says so.',
    );
  });

  test.each([
    ['{"classification":"CONFIRMATION"}', 'Confirmation', 1, 'The classifier of settings.json says so.'],
    [
      '  {"classification":"new_task","confidence":7,"reason":""}\n',
      'NewTask',
      1,
      'The classifier of settings.json says so.',
    ],
    [
      '{"classification":"Unclear","confidence":0,"reason":["x"],"more":1}',
      'Unclear',
      0,
      'The classifier of settings.json says so.',
    ],
  ])('an answer in another form is understood: %s', (answer, classification, confidence, reason) => {
    expect(ask(withProgram(says(answer)))).toMatchObject({ classification, confidence, reason });
  });

  test.each([
    ['nothing', '', 'gave an answer that is none'],
    ['no JSON', says('NewTask'), 'gave an answer that is none'],
    ['a list', says('["NewTask"]'), 'gave an answer that is none'],
    ['null', says('null'), 'gave an answer that is none'],
    ['no class', says('{"class":"NewTask"}'), 'gave an answer that is none'],
    ['a class that there is not', says('{"classification":"Applause"}'), 'gave an answer that is none'],
    ['far too much', "process.stdout.write('x'.repeat(1e6))", 'gave no answer: it could not be run (ENOBUFS)'],
    ['a failure', 'process.exit(3)', 'gave no answer: it ended with 3'],
    ['a death', "process.kill(process.pid, 'SIGKILL')", 'gave no answer: it ended with SIGKILL'],
  ])('where it gives %s, ctx decides and says why', (_, text, why) => {
    const { classification, reason } = ask(withProgram(text));
    expect(classification).toBe('Confirmation');
    expect(reason).toContain(`(The classifier of settings.json ${why}`);
  });

  test('decides in a store that a hook has made, too', () => {
    const repo = repository({ now: NOON, env });
    rmSync(repo.store, { recursive: true });
    mkdirSync(join(repo.dir, '.git'), { recursive: true });
    const payload = { session_id: 's', cwd: repo.dir, hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' };
    expect(run(['hook', 'claude-code'], { cwd: repo.dir, env, input: JSON.stringify(payload) }).code).toBe(0);
    const program = write(join(repo.dir, 'classifier.cjs'), says('{"classification":"Clarification","reason":"So"}'));
    const classifier = { command: [process.execPath, program] };
    write(join(repo.store, 'settings.json'), JSON.stringify({ fsync: false, classifier }));
    expect(ask(repo)).toMatchObject({ classification: 'Clarification', reason: 'So' });
  });

  test('where it fails in a hook, that is noted', () => {
    const repo = withProgram('process.exit(3)');
    const payload = { session_id: 's', cwd: repo.dir, hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' };
    const hook = run(['hook', 'claude-code'], { cwd: repo.dir, now: NOON, env, input: JSON.stringify(payload) });
    expect(hook).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(repo.store, 'hook-errors.jsonl'), 'utf8')).toContain(
      'The classifier of settings.json gave no answer: it ended with 3.',
    );
  });

  test('where it takes too long or is not there, ctx decides', () => {
    const slow = withProgram('setInterval(() => {}, 1000)', { timeout: '1' });
    expect(ask(slow)).toMatchObject({
      classification: 'Confirmation',
      reason: expect.stringContaining('it took longer than 1 s') as string,
    });
    const gone = withProgram('', { command: ['/nowhere/classifier'] });
    expect(ask(gone).reason).toContain('it could not be run (ENOENT)');
  });

  test('its answer counts where it leaves something behind that keeps its output open', () => {
    const leave =
      "require('node:child_process').spawn('sleep', ['20'], { stdio: ['ignore', 'inherit', 'ignore'] }).unref()";
    const repo = withProgram(`${says('{"classification":"Clarification","reason":"So"}')}; ${leave}`, { timeout: '1' });
    expect(ask(repo)).toMatchObject({ classification: 'Clarification', reason: 'So' });
  });

  test('a ctx that it calls itself asks no program again', () => {
    const ctx = `require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(PROGRAM)}, '--json', 'message', '--dry-run', 'Looks good'])`;
    const repo = withProgram(
      `const told = JSON.parse(${ctx}.stdout).result; process.stdout.write(JSON.stringify({ classification: 'Clarification', reason: told.classification + ': ' + told.reason }))`,
      { timeout: '20' },
    );
    expect(ask(repo)).toMatchObject({
      classification: 'Clarification',
      reason: expect.stringMatching(
        /^Confirmation: .*\(The classifier of settings\.json was not run: CTX_CLASSIFYING is set\.\)$/,
      ) as string,
    });
  });

  test('a store that was not made here runs nothing, until its user trusts it', () => {
    const canary = join(folder('canary-'), 'ran');
    const repo = withProgram(
      `require('node:fs').writeFileSync(${JSON.stringify(canary)}, ''); ${says('{"classification":"Abandon"}')}`,
    );
    // The same store as somebody else finds it.
    const other = { cwd: repo.dir, now: NOON, env: { HOME: folder('other-home-') } };
    const told = json<MessageResult>(['message', '--dry-run', 'Looks good'], other);
    expect(told.classification).toBe('Confirmation');
    expect(told.reason).toContain('was not run: trust this store with ctx init --trust');
    run(['message', '--as', 'modification', 'More'], other);
    run(['hook', 'claude-code'], {
      ...other,
      input: JSON.stringify({ session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt: 'Add it', cwd: repo.dir }),
    });
    expect(existsSync(canary)).toBe(false);
    // Without the key of the store nobody can be known to trust it; a copy with another key is another store.
    expect(run(['init', '--trust'], other)).toMatchObject({ code: 0 });
    expect(json<MessageResult>(['message', '--dry-run', 'Looks good'], other).classification).toBe('Abandon');
    expect(existsSync(canary)).toBe(true);
    rmSync(canary);
    write(join(repo.store, 'key'), 'f'.repeat(64));
    chmodSync(join(repo.store, 'key'), 0o600);
    expect(run(['message', '--dry-run', 'Looks good'], other).code).not.toBe(70);
    expect(existsSync(canary)).toBe(false);
  });

  test('settings that lay there before the store was made run nothing, whoever makes it, until its user trusts them', () => {
    const canary = join(folder('canary-'), 'ran');
    const settings = JSON.stringify({
      classifier: {
        command: [process.execPath, '-e', `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '')`],
      },
    });
    const make: [string, (dir: string) => ReturnType<typeof run>][] = [
      ['init', (dir) => run(['init'], { cwd: dir, now: NOON })],
      [
        'a hook',
        (dir) => {
          mkdirSync(join(dir, '.git'));
          const payload = { session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt: 'Add it', cwd: dir };
          return run(['hook', 'claude-code'], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
        },
      ],
    ];
    for (const [what, command] of make) {
      const dir = folder();
      write(join(dir, '.ctx', 'settings.json'), settings);
      expect(command(dir), what).toMatchObject({ code: 0 });
      const asked = (): MessageResult =>
        json<MessageResult>(['message', '--dry-run', 'Looks good'], { cwd: dir, now: NOON });
      expect(asked().reason, what).toContain('was not run: trust this store with ctx init --trust');
      expect(existsSync(canary), what).toBe(false);
      expect(run(['init', '--trust'], { cwd: dir, now: NOON }).code).toBe(0);
      expect(asked().reason, what).toContain('gave an answer that is none');
      expect(existsSync(canary), what).toBe(true);
      rmSync(canary);
    }
  });

  test('settings that Git tracks may have come with a commit: they run nothing in a store that was only made here', () => {
    const canary = join(folder('canary-'), 'ran');
    const dir = folder();
    const user = { cwd: dir, now: NOON };
    expect(run(['init'], user).code).toBe(0);
    const touch = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '')`;
    const classifier = { command: [process.execPath, '-e', touch] };
    write(join(dir, '.ctx', 'settings.json'), JSON.stringify({ classifier }));
    git(dir, 'init', '--quiet');
    const asked = (): MessageResult => json<MessageResult>(['message', '--dry-run', 'Looks good'], user);
    asked();
    expect(existsSync(canary)).toBe(true);
    rmSync(canary);
    git(dir, 'add', '--force', '.ctx/settings.json');
    // Nor where Git cannot say so: it is told of another index, as in a hook of its own, or fails, as for a folder of another user.
    const failing = folder('git-');
    write(join(failing, 'git'), '#!/bin/sh\nexit 128\n');
    chmodSync(join(failing, 'git'), 0o755);
    const path = `${failing}:${process.env['PATH']}`;
    for (const env of [{}, { GIT_INDEX_FILE: join(dir, 'none') }, { GIT_DIR: '/' }, { PATH: path }]) {
      const told = json<MessageResult>(['message', '--dry-run', 'Looks good'], { ...user, env });
      expect(told.reason, JSON.stringify(env)).toContain('was not run: trust this store with ctx init --trust');
      expect(existsSync(canary), JSON.stringify(env)).toBe(false);
    }
    expect(run(['init', '--trust'], user).code).toBe(0);
    asked();
    expect(existsSync(canary)).toBe(true);
  });

  test('settings that are none are refused', () => {
    const repo = withProgram('');
    for (const classifier of [
      { command: [] },
      { command: 'rm -rf' },
      { command: [1] },
      { command: ['a\0b'] },
      { command: ['a', '\0'] },
      { command: [''] },
      { command: ['a'], timeout: 'x' },
    ]) {
      write(join(repo.store, 'settings.json'), JSON.stringify({ classifier }));
      expect(refused(['message', 'x'], { cwd: repo.dir })).toMatchObject({ exit: 1, code: 'invalid_settings' });
    }
  });
});
