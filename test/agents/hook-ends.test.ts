// Tests the end of a hooked session whose last turn has no end: the program ends in it, the user breaks it off, the next command comes first.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import type { ActiveStatus, LogEntry } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, PROGRAM, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askAlways, B, refsOf, statusOf } from './support/projects.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = join(folder('ends-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  askAlways(dir);
  talk = new Conversation(dir, A, join(home(), '.claude', 'projects', folderNameOf(dir)));
});

const home = (): string => join(dir, '..', 'home');
const ctx = (...words: string[]) => run(words, { cwd: dir, now: NOON });
const log = (): string[] =>
  json<LogEntry[]>(['log'], { cwd: dir }).map(({ commit_type, message }) => `${commit_type?.kind} ${message}`);
const state = (): object => json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON }).session_state;

/** A task that the user has confirmed, in a turn that has not come to its end. */
function confirmed(): void {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.prompt('Looks good');
  expect(state()).toEqual({ kind: 'Complete' });
}

const taskOf = (ref: string): string =>
  JSON.parse(git(dir, '--git-dir=.ctx', 'show', `${ref}:session.json`)).task_description;

/** The events whose hooks have told of trouble. */
function troubles(): string[] {
  const told = readFileSync(join(dir, '.ctx', 'hook-errors.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return told.map((line) => (JSON.parse(line) as { event: string }).event);
}

/** Tears an object; gives what makes it whole again. */
function torn(oid: string): () => void {
  const file = join(dir, '.ctx', 'objects', oid.slice(0, 2), oid.slice(2));
  const whole = readFileSync(file);
  rmSync(file);
  writeFileSync(file, 'torn');
  return () => writeFileSync(file, whole);
}

/** Holds a ref as Git does; gives what lets it go. */
function held(ref: string): () => void {
  const file = join(dir, '.ctx', `${ref}.lock`);
  writeFileSync(file, '');
  return () => rmSync(file);
}

test('the program ends before the turn in which the task was confirmed', () => {
  confirmed();
  talk.hook('SessionEnd', { reason: 'prompt_input_exit' });
  expect(log()[0]).toBe('Normal Add retry');
  fsck(dir);
});

test.each<[name: string, lines: (() => void)[], state: object]>([
  ['is over', [() => talk.lineOfAgent('Retry is in.')], { kind: 'PendingComplete', summary: 'Retry is in.' }],
  ['asks', [() => talk.lineOfAgent('Which one?')], { kind: 'AwaitingUser', question: 'Which one?' }],
  ['was cut off', [() => talk.lineOfInterrupt()], { kind: 'Interrupted', user_message: 'Add retry' }],
  ['is not over', [() => talk.lineOfCall('Bash', { command: 'npm test' }, 'toolu_01')], { kind: 'Running' }],
  ['has not begun', [() => talk.lineOfAgent('Hello.'), () => talk.lineOfUser('Go on')], { kind: 'Running' }],
])('the program ends, and only its transcript shows that a turn %s', (_, lines, expected) => {
  talk.prompt('Add retry');
  talk.lineOfUser('Add retry');
  for (const line of lines) line();
  talk.hook('SessionEnd', { reason: 'other' });
  expect(state()).toMatchObject(expected);
  fsck(dir);
});

test.each<[name: string, words: string[], after: number]>([
  ['stage start', ['stage', 'start', 'Write docs'], 0],
  ['stage recover', ['stage', 'recover'], 0],
  ['stage cleanup, a day later', ['stage', 'cleanup'], 86_401],
])('ctx %s saves what was confirmed as what it is', (_, words, after) => {
  confirmed();
  expect(run(words, { cwd: dir, now: NOON + after })).toMatchObject({ code: 0 });
  expect(log()[0]).toBe('Normal Add retry');
  fsck(dir);
});

test.each(['capture catch-up', 'ingest'])('ctx %s saves what was confirmed, with the answer that it finds', (how) => {
  confirmed();
  talk.lineOfUser('Looks good');
  talk.lineOfAgent('You are welcome.');
  const env = { HOME: home() };
  const words = how === 'ingest' ? ['ingest', talk.transcript] : how.split(' ');
  const { code, stdout } = run(words, { cwd: dir, now: NOON, env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/saved as [0-9a-f]{10}/i)]);
  expect(log()[0]).toBe('Normal Add retry');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  expect(messagesOf(recordsOf(dir, refsOf(dir, 'archive')[0] as string))).toEqual(talk.said);
  fsck(dir);
});

test.each(['capture catch-up', 'ingest'])(
  'ctx %s saves what was confirmed alone: the task that came behind it is a session of its own',
  (how) => {
    confirmed();
    talk.lineOfUser('Looks good');
    talk.lineOfAgent('You are welcome.');
    const own = [...talk.said];
    talk.lineOfUser('Write the release notes for version two');
    talk.lineOfCall('Bash', { command: 'git log' }, 'toolu_log');
    talk.lineOfResult('toolu_log', 'v2', shell('v2'));
    talk.lineOfAgent('The notes are written.');
    const before = refsOf(dir, 'sessions');
    const env = { HOME: home() };
    const words = how === 'ingest' ? ['ingest', talk.transcript] : how.split(' ');
    const { code, stdout } = run(words, { cwd: dir, now: NOON, env });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(how === 'ingest' ? /^Saved as .* Normal: Add retry/ : /, the one before it saved as /),
    ]);
    expect(log()[0]).toBe('Normal Add retry');
    const [archived] = refsOf(dir, 'archive') as [string];
    expect(messagesOf(recordsOf(dir, archived))).toEqual(own);
    expect(JSON.stringify(recordsOf(dir, 'main'))).not.toContain('release notes');
    expect(statusOf(dir)).toMatchObject({ task_description: 'Write the release notes for version two' });
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said.slice(own.length));
    fsck(dir);
    // Both are one command: they are taken back, and taken in, together.
    expect(run(words, { cwd: dir, now: NOON, env })).toMatchObject({ code: 0 });
    expect(ctx('undo')).toMatchObject({ code: 0 });
    expect(refsOf(dir, 'sessions')).toEqual(before);
    expect(refsOf(dir, 'archive')).toEqual([]);
    fsck(dir);
  },
);

test.each(['start', 'resume', 'prompt'])(
  'so does the %s of another conversation, whose session becomes the current one',
  (how) => {
    const other = new Conversation(dir, B);
    if (how === 'resume') {
      other.turn('Write the index', 'ls', 'Written.');
      talk.turn('Add retry', 'npm test', 'Retry is in.');
      ctx('stage', 'switch', refsOf(dir, 'sessions').at(-1)?.split('/').at(-1) ?? '');
      talk.prompt('Looks good');
    } else confirmed();
    const told = how === 'prompt' ? null : other.hook('SessionStart', { source: how === 'start' ? 'startup' : how });
    expect(told?.hookSpecificOutput.additionalContext ?? '').not.toContain('not yet compacted');
    if (how !== 'resume') other.prompt('Write the index');
    expect(log()[0]).toBe('Normal Add retry');
    expect(statusOf(dir)).toMatchObject({ active: true, task_description: 'Write the index' });
    // Its answer comes all the same.
    talk.lineOfUser('Looks good');
    talk.stop('You are welcome.');
    talk.lineOfAgent('You are welcome.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(statusOf(dir)).toMatchObject({ active: true, task_description: 'Write the index' });
    expect(refsOf(dir, 'sessions')).toHaveLength(1);
    expect(messagesOf(recordsOf(dir, refsOf(dir, 'archive').at(-1) as string))).toEqual(talk.said);
    fsck(dir);
  },
);

test('a conversation that only begins beside it leaves it to its turn, whose answer is in what is saved', () => {
  confirmed();
  const other = new Conversation(dir, B);
  expect(other.hook('SessionStart', { source: 'startup' })).toBeNull();
  talk.lineOfUser('Looks good');
  talk.lineOfCall('Bash', { command: 'git push' }, 'toolu_push');
  talk.tool('Bash', { command: 'git push' }, shell('ok'), 'toolu_push');
  talk.lineOfResult('toolu_push', 'ok', shell('ok'));
  talk.stop('Pushed, all done.');
  expect(log()[0]).toBe('Normal Add retry');
  expect(git(dir, '--git-dir=.ctx', 'show', 'main:summary.md')).toContain('git push');
  other.prompt('Write the index');
  expect(statusOf(dir)).toMatchObject({ active: true, task_description: 'Write the index' });
  fsck(dir);
});

describe.each<[name: string, harm: () => () => void]>([
  ['has a torn step', () => torn(git(dir, '--git-dir=.ctx', 'rev-parse', 'STAGE~1:step.jsonl').trim())],
  ['is held by a Git', () => held(refsOf(dir, 'sessions').find((ref) => taskOf(ref) === 'Add retry') as string)],
])('one that cannot be saved, since it %s, stays open and stops nobody else', (_, harm) => {
  test('a session that begins', () => {
    confirmed();
    const mend = harm();
    const other = new Conversation(dir, B);
    other.prompt('Write the index');
    other.tool('Bash', { command: 'ls' }, shell('ok'), 'toolu_ls');
    other.stop('Written.');
    expect(refsOf(dir, 'sessions').map(taskOf)).toEqual(['Add retry', 'Write the index']);
    expect(troubles()).toEqual(['UserPromptSubmit']);
    mend();
    other.hook('SessionStart', { source: 'resume' });
    expect(log()).toContain('Normal Add retry');
    expect(statusOf(dir)).toMatchObject({ active: true, task_description: 'Write the index' });
    fsck(dir);
  });

  test('one that is come back to', () => {
    const other = new Conversation(dir, B);
    other.turn('Write the index', 'ls', 'Written.');
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    ctx('stage', 'switch', refsOf(dir, 'sessions').at(-1)?.split('/').at(-1) ?? '');
    talk.prompt('Looks good');
    const mend = harm();
    const told = other.hook('SessionStart', { source: 'resume' });
    expect(told?.hookSpecificOutput.additionalContext).toContain('Written.');
    expect(troubles()).toEqual(['SessionStart']);
    mend();
    fsck(dir);
  });
});

test('a tool of the turn, an observation, a flush and a compaction of another session do not save the confirmed session', () => {
  confirmed();
  const other = new Conversation(dir, B);
  other.hook('SessionStart', { source: 'compact' });
  talk.tool('Bash', { command: 'git push' }, shell('ok'), 'toolu_push');
  for (const words of [['observe', 'note', 'pushed'], ['stage', 'flush'], ['log'], ['stage', 'list']])
    expect(run(words, { cwd: dir, now: NOON })).toMatchObject({ code: words[0] === 'log' ? expect.any(Number) : 0 });
  expect(state()).toEqual({ kind: 'Complete' });
});

test('ctx stage cleanup does not save a session whose turn may continue', () => {
  confirmed();
  expect(run(['stage', 'cleanup', '--max-idle', '1'], { cwd: dir, now: NOON + 1 })).toMatchObject({ code: 0 });
  expect(state()).toEqual({ kind: 'Complete' });
});

test('Esc at a permission: the prompt was cut off, and no answer is waited for', () => {
  talk.prompt('Add retry');
  talk.lineOfUser('Add retry');
  talk.lineOfCall('Bash', { command: 'rm x' }, 'toolu_rm');
  talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm x' } });
  expect(state()).toMatchObject({ kind: 'AwaitingUser' });
  talk.lineOfInterrupt();
  talk.hook('SessionEnd', { reason: 'other' });
  expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Add retry' });
});

test('the next prompt continues after Esc before anything was recorded', () => {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.prompt('What does that mean?');
  talk.lineOfUser('What does that mean?');
  expect(state()).toMatchObject({ kind: 'PendingComplete' });
  talk.lineOfInterrupt();
  talk.prompt('Make it 5 not 3');
  const moves = storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.includes(' → '));
  expect(moves.slice(-3)).toEqual(['reopen → Running', 'interrupt → Interrupted', 'continue → Running']);
  expect(ctx('fsck')).toMatchObject({ code: 0 });
});

test('a payload that is whole is taken, though nobody closes the pipe', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'hook', 'claude-code'], {
    cwd: dir,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.stdin.write(talk.payload('UserPromptSubmit', { prompt: 'Add retry' }));
  expect(await ended).toBe(0);
  child.stdin.destroy();
  expect(state()).toEqual({ kind: 'Running' });
});

test('keeps what is known of a tool that the user stops, in the step of the interruption', () => {
  talk.prompt('Run the long job');
  const input = { command: 'sleep 999' };
  talk.hook('PostToolUseFailure', {
    ...{ tool_name: 'Bash', tool_input: input, tool_use_id: 'toolu_long', error: 'Interrupted by user' },
    is_interrupt: true,
  });
  expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Run the long job' });
  expect(storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('run '))).toEqual(['run sleep 999 → null']);
  fsck(dir);
});

test.each(['ends there', 'goes on'])(
  'a tool that the user stops is one interruption, whatever its program writes of it, and %s',
  (how) => {
    talk.prompt('Run the long job');
    talk.lineOfUser('Run the long job');
    talk.now = NOON + 1;
    const told = { tool_name: 'Bash', tool_input: { command: 'sleep 999' }, tool_use_id: 'toolu_long' };
    talk.hook('PostToolUseFailure', { ...told, error: 'Interrupted by user', is_interrupt: true });
    talk.now = NOON + 2;
    talk.lineOfInterrupt();
    talk.now = NOON + 3;
    if (how === 'goes on') talk.prompt('Run a short one');
    else talk.hook('SessionEnd', { reason: 'other' });
    const moves = storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.includes(' → ') && !line.startsWith('run'));
    expect(moves).toEqual(['interrupt → Interrupted', ...(how === 'goes on' ? ['continue → Running'] : [])]);
    fsck(dir);
  },
);

test('what an interruption cuts off is the prompt, and not what the user has answered to a tool in its turn', () => {
  talk.prompt('Add jitter');
  const questions = [{ question: 'Which jitter?', options: [{ label: 'Full' }, { label: 'Equal' }] }];
  const asked = { tool_name: 'AskUserQuestion', tool_input: { questions }, tool_use_id: 'toolu_ask' };
  talk.hook('PreToolUse', asked);
  talk.hook('PostToolUse', { ...asked, tool_response: { questions, answers: { 'Which jitter?': 'Full' } } });
  talk.hook('PostToolUseFailure', {
    tool_name: 'Bash',
    tool_input: { command: 'sleep 9' },
    error: 'x',
    is_interrupt: true,
  });
  expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Add jitter' });
});
