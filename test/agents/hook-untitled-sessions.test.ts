// Prompts that begin no session of their own: what the agent does upon them is kept all the same, in a session.
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ListedSession, LogEntry } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run as started } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = join(folder('unbegun-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  talk = new Conversation(dir, 'aaaaaaaa-1111-4111-8111-111111111111');
});

const sessions = (): ListedSession[] => json<ListedSession[]>(['stage', 'list'], { cwd: dir, now: NOON });
const run = (command: string, id: string): unknown => talk.tool('Bash', { command }, shell('ok'), id);

test.each(['task one', 'hmm', 'cursor task'])('%s: an agent sets to work upon it, so it is the task', (prompt) => {
  talk.prompt(prompt);
  expect(sessions()).toMatchObject([{ task_description: prompt }]);
});

test('a lone command of the agent is the task, and the first prompt that says something the title', () => {
  const title = (): string | undefined => sessions()[0]?.title;
  talk.prompt('/review');
  run('git diff', 'toolu_1');
  talk.stop('There are two findings.');
  expect(sessions()).toMatchObject([{ task_description: '/review', title: '/review' }]);
  talk.prompt('Please fix the second finding, the missing null check');
  expect(title()).toBe('fix the second finding, the missing null check');
  talk.stop('The check is there.');
  talk.prompt('Also add a test for it');
  expect(sessions()).toMatchObject([
    { task_description: '/review', title: 'fix the second finding, the missing null check' },
  ]);
  fsck(dir);
});

test('a transcript that was read before its second prompt is named by that, too', () => {
  talk.lineOfUser('/review');
  talk.lineOfCall('Bash', { command: 'git diff' }, 'toolu_1');
  talk.lineOfAgent('There are two findings.');
  const title = (): string | undefined => {
    started(['ingest', talk.transcript], { cwd: dir, now: NOON });
    return sessions()[0]?.title;
  };
  started(['init'], { cwd: dir });
  expect(title()).toBe('/review');
  talk.lineOfUser('thanks');
  talk.lineOfAgent('You are welcome.');
  expect(title()).toBe('/review');
  talk.lineOfUser('Fix the second finding, the missing null check');
  expect(title()).toBe('Fix the second finding, the missing null check');
});

test.each(['thanks', 'yes', 'stop'])('%s begins nothing, and the first tool a session', (prompt) => {
  talk.prompt(prompt);
  expect(sessions()).toEqual([]);
  talk.stop('As you like.');
  expect(sessions()).toEqual([]);
  talk.prompt(prompt);
  run('make', 'toolu_1');
  run('make test', 'toolu_2');
  talk.stop('Made.');
  expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual([
    'task Untitled session',
    'run make → 0',
    'run make test → 0',
    'done → PendingComplete',
  ]);
  fsck(dir);
});

test('a permission begins a session and waits until its tool has run; a notice begins none', () => {
  const asked = { tool_name: 'Bash', tool_input: { command: 'git push' } };
  talk.prompt('thanks');
  talk.hook('Notification', { message: 'Claude needs your permission', notification_type: 'permission_prompt' });
  expect(sessions()).toEqual([]);
  talk.hook('PermissionRequest', asked);
  expect(sessions()).toMatchObject([{ session_state: { kind: 'AwaitingUser' } }]);
  run('git push', 'toolu_1');
  talk.stop('Pushed.');
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.map((line) => line.split('\n')[0])).toEqual([
    'task Untitled session',
    expect.stringContaining('git push'),
    'ask → AwaitingUser',
    'respond → Running',
    'run git push → 0',
    'done → PendingComplete',
  ]);
  fsck(dir);
});

test('a permission in a conversation that had a task before its hooks begins that, with its title and its turns', () => {
  for (const [asked, answer] of [
    ['Add retry with backoff', 'Retry is in.'],
    ['Also log it', 'It is logged.'],
  ] as const) {
    talk.lineOfUser(asked);
    talk.lineOfAgent(answer);
  }
  talk.hook('SessionStart', { source: 'resume' });
  talk.prompt('thanks');
  talk.lineOfUser('thanks');
  talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'git push' } });
  expect(sessions()).toMatchObject([
    { task_description: 'Add retry with backoff', session_state: { kind: 'AwaitingUser' } },
  ]);
  talk.stop('Pushed.');
  expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual(
    expect.arrayContaining(['reopen → Running', 'done → PendingComplete']),
  );
  fsck(dir);
});

test('the session has what a transcript holds of such a turn', () => {
  talk.prompt('thanks');
  talk.lineOfUser('thanks');
  talk.lineOfCall('Bash', { command: 'make' }, 'toolu_1');
  run('make', 'toolu_1');
  talk.lineOfResult('toolu_1', 'ok', shell('ok'));
  talk.stop('Made.');
  talk.lineOfAgent('Made.');
  talk.hook('SessionEnd', { reason: 'prompt_input_exit' });
  expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(['thanks', 'Made.']);
  expect(storyOf(recordsOf(dir, 'STAGE')).filter((one) => one.startsWith('run'))).toEqual(['run make → 0']);
});

test('behind a session that was saved, too; what comes late of that one stays with it', () => {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.prompt('Looks good');
  talk.lineOfUser('Looks good');
  talk.stop('Thanks. Should I also add metrics?');
  talk.lineOfAgent('Thanks. Should I also add metrics?');
  expect(sessions()).toEqual([]);
  run('npm run late', 'toolu_late');
  expect(sessions()).toEqual([]);
  talk.prompt('yes');
  talk.lineOfUser('yes');
  run('make metrics', 'toolu_metrics');
  talk.stop('Metrics are in.');
  expect(json<LogEntry[]>(['log'], { cwd: dir })).toHaveLength(1);
  expect(sessions()).toMatchObject([{ session_state: { kind: 'PendingComplete' } }]);
  expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run make metrics → 0');
  expect(messagesOf(recordsOf(dir, 'STAGE'))).toContain('yes');
  fsck(dir);
});

/** Takes the transcript into a store that has nothing of it. */
function ingestedAnew(): void {
  rmSync(join(dir, '.ctx'), { recursive: true, force: true });
  for (const words of [['init'], ['ingest', talk.transcript]])
    expect(started(words, { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
}

test.each(['Thanks!', 'ok', 'never mind'])('an ingest names a session that “%s” comes before as hooks do', (words) => {
  talk.prompt(words);
  talk.lineOfUser(words);
  talk.stop('Welcome.');
  talk.lineOfAgent('Welcome.');
  talk.turn('Add retry with backoff', 'npm test', 'Retry is in.');
  talk.hook('SessionEnd', { reason: 'other' });
  const told = () => {
    const [one, ...others] = sessions();
    expect(others).toEqual([]);
    return { task: one?.task_description, state: one?.session_state, said: messagesOf(recordsOf(dir, 'STAGE')) };
  };
  const byHooks = told();
  expect(byHooks).toMatchObject({ task: 'Add retry with backoff', said: talk.said });
  ingestedAnew();
  expect(told()).toEqual(byHooks);
  fsck(dir);
});

test('one of nothing else is no session, unless its task is named or its agent has set to work upon it', () => {
  const ingest = (...more: string[]) => started(['ingest', talk.transcript, ...more], { cwd: dir, now: NOON });
  started(['init'], { cwd: dir });
  talk.lineOfUser('Thanks!');
  talk.lineOfAgent('Welcome.');
  expect(ingest()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Nothing was begun in this conversation.*\n.*--task/),
  });
  expect(sessions()).toEqual([]);
  expect(ingest('--task', 'Talk')).toMatchObject({ code: 0 });
  expect(sessions()).toMatchObject([{ task_description: 'Talk', session_state: { kind: 'PendingComplete' } }]);
  talk.lineOfCall('Bash', { command: 'make' }, 'toolu_1');
  talk.lineOfResult('toolu_1', 'ok', shell('ok'));
  talk.lineOfUser('Add retry');
  ingestedAnew();
  expect(sessions()).toMatchObject([{ task_description: 'Thanks!' }]);
  fsck(dir);
});

test('the end of a turn begins no session if the hooks were installed within the turn', () => {
  talk.hook('SessionStart', { source: 'resume' });
  talk.lineOfUser('Thanks!');
  talk.lineOfAgent('Welcome.');
  talk.stop('Welcome.');
  expect(sessions()).toEqual([]);
  expect(existsSync(join(dir, '.ctx', 'hook-errors.jsonl'))).toBe(false);
});

test('an ingest takes a call for work if the agent reports no results', () => {
  const line = (role: string, content: object[]): string => JSON.stringify({ role, message: { content } });
  const file = join(dir, 'chat.jsonl');
  const call = { type: 'tool_use', name: 'Shell', input: { command: 'make' } };
  const said = [line('user', [{ type: 'text', text: 'yes' }]), line('assistant', [{ type: 'text', text: 'Well.' }])];
  const ingest = () => started(['ingest', file], { cwd: dir, now: NOON });
  started(['init'], { cwd: dir });
  writeFileSync(file, `${said.join('\n')}\n`);
  expect(ingest()).toMatchObject({ code: 1, stderr: expect.stringContaining('no prompt in it is a task') });
  appendFileSync(file, `${line('assistant', [call])}\n`);
  expect(ingest()).toMatchObject({ code: 0 });
  expect(sessions()).toMatchObject([{ task_description: 'yes' }]);
});
