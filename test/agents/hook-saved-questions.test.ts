// A question of ctx's in a conversation whose session something else saves: the next prompt answers it, through the real hook command.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import { json, NOON, refused, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askingTree, B, refsOf, sound } from './support/projects.ts';
import { OTHER, OTHER_TASK, Untold } from './support/unprompted.ts';

let dir: string;
let home: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  home = join(dir, '..', 'home');
  talk = new Conversation(dir, A, join(home, '.claude', 'projects', folderNameOf(dir)));
});

const ctx = (...args: string[]) => expect(run(args, { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
const archived = (): string => refsOf(dir, 'archive')[0] as string;
const open = (): string => refsOf(dir, 'sessions').at(-1) as string;
const story = (ref: string): string[] => storyOf(recordsOf(dir, ref));
const said = (ref: string): string[] => messagesOf(recordsOf(dir, ref));
const captured = (): CaptureStatus =>
  json(['capture', 'status'], { cwd: dir, now: NOON, env: { HOME: home }, exit: 0 });

/** A prompt that the transcript has, too, and a command of its turn. */
function worked(prompt: string, command: string, answer: string): void {
  talk.turn(prompt, command, answer);
}

/** A turn in which the user was asked; its agent has begun to work meanwhile. */
function asked(): void {
  worked('Add retry', 'npm test', 'Retry is in.');
  expect(talk.prompt(OTHER)).not.toBeNull();
  talk.lineOfUser(OTHER);
  talk.lineOfCall('Bash', { command: 'mkdir docs' }, 'toolu_docs');
  talk.tool('Bash', { command: 'mkdir docs' }, shell('ok'), 'toolu_docs');
  talk.lineOfResult('toolu_docs', 'ok', shell('ok'));
  talk.stop('ctx asks: save that first?');
  talk.lineOfAgent('ctx asks: save that first?');
}

const ENDS: [string, number, string[]][] = [
  ['stage compact', 0, ['stage', 'compact']],
  ['stage cleanup', 8, ['stage', 'cleanup']],
  ['stage start', 8, ['stage', 'start', 'Next']],
];

describe.each(ENDS)('%s saves its session', (_, days, end) => {
  function saved(): void {
    asked();
    talk.now += days * 86_400;
    ctx(...end);
    expect(refsOf(dir, 'archive')).toHaveLength(1);
    const told = talk.hook('SessionStart', { source: 'resume' });
    expect(told?.hookSpecificOutput.additionalContext).toContain('You have unfinished work on: Add retry');
    expect(told?.hookSpecificOutput.additionalContext).toContain('their next message may answer it');
  }

  test('A begins the task that raised it, with all that came since', () => {
    saved();
    worked('A', 'make notes', 'The notes are written.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(story(open())).toEqual([
      `task ${OTHER_TASK}`,
      'run mkdir docs → 0',
      'run make notes → 0',
      'done → PendingComplete',
    ]);
    expect([said(archived()), said(open())]).toEqual([talk.said.slice(0, 2), talk.said.slice(2)]);
    expect(captured().complete).toBe(true);
    sound(dir);
  });

  test('another message goes past it: what came since is its own session’s', () => {
    saved();
    talk.prompt('Fix the login page instead');
    talk.lineOfUser('Fix the login page instead');
    talk.hook('SessionEnd', { reason: 'other' });
    expect([said(archived()), said(open())]).toEqual([talk.said.slice(0, 4), talk.said.slice(4)]);
    expect(story(archived()).filter((line) => line.startsWith('run'))).toEqual([
      'run npm test → 0',
      'run mkdir docs → 0',
    ]);
    expect(captured().complete).toBe(true);
    sound(dir);
  });
});

test('“never mind” waves it away and begins nothing; the end of the program finds nothing missing', () => {
  asked();
  ctx('stage', 'compact');
  talk.prompt('Never mind');
  talk.lineOfUser('Never mind');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(refsOf(dir, 'sessions')).toEqual([]);
  expect(said(archived())).toEqual(talk.said);
  expect(captured().complete).toBe(true);
});

test('a turn continues after its session was saved by hand, and none of it counts before the answer', () => {
  worked('Add retry', 'npm test', 'Retry is in.');
  talk.prompt(OTHER);
  talk.lineOfUser(OTHER);
  ctx('stage', 'compact');
  const before = said(archived());
  talk.stop('Shall I?');
  talk.lineOfAgent('Shall I?');
  expect([refsOf(dir, 'sessions'), said(archived())]).toEqual([[], before]);
  expect(refused(['ingest', talk.transcript], { cwd: dir, now: NOON })).toMatchObject({ code: 'choice_waits' });
  worked('B', 'npm run more', 'More is in.');
  expect(story(open())).toEqual([
    'task Add retry',
    `note ${OTHER}`,
    expect.stringContaining('Shall I?'),
    'run npm run more → 0',
    'done → PendingComplete',
  ]);
});

test('another conversation and a message by hand do not answer the question, and an answer by hand does', () => {
  asked();
  ctx('stage', 'compact');
  const other = new Conversation(dir, B);
  other.turn('Fix the build', 'make', 'Fixed.');
  other.prompt('Never mind');
  ctx('message', 'Write a test for the router');
  ctx('stage', 'compact');
  ctx('choose', 'A');
  expect(story(open())[0]).toBe(`task ${OTHER_TASK}`);
  talk.prompt('And an index');
  expect(refsOf(dir, 'sessions')).toHaveLength(1);
  talk.hook('SessionEnd', { reason: 'other' });
  expect(story(open())).toContain('run mkdir docs → 0');
});

test.each(['B', 'Never mind'])(
  '%s begins nothing if thanks raised the question: the rest of the turn stays with its session',
  (answer) => {
    worked('Add retry', 'npm test', 'Retry is in.');
    talk.now += 30 * 3600;
    expect(talk.prompt('Looks good')).not.toBeNull();
    talk.lineOfUser('Looks good');
    talk.stop('ctx asks: go on?');
    talk.lineOfAgent('ctx asks: go on?');
    ctx('stage', 'compact');
    worked(answer, 'git status', 'It is saved.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(said(archived())).toEqual(talk.said);
    expect(story(archived()).filter((line) => line.startsWith('run'))).toEqual([
      'run npm test → 0',
      'run git status → 0',
    ]);
    expect(captured().complete).toBe(true);
    sound(dir);
  },
);

test.each([
  ['A', `task ${OTHER_TASK}`],
  ['Never mind', 'task Add retry'],
])('tools that hooks report after the question go to the session that “%s” selects', (answer, task) => {
  worked('Add retry', 'npm test', 'Retry is in.');
  talk.prompt(OTHER);
  talk.lineOfUser(OTHER);
  ctx('stage', 'compact');
  talk.lineOfCall('Bash', { command: 'mkdir docs' }, 'toolu_docs');
  talk.tool('Bash', { command: 'mkdir docs' }, shell('ok'), 'toolu_docs');
  talk.lineOfResult('toolu_docs', 'ok', shell('ok'));
  talk.stop('First A or B?');
  talk.lineOfAgent('First A or B?');
  expect(recordsOf(dir, archived()).filter(({ command }) => command === 'mkdir docs')).toEqual([]);
  talk.prompt(answer);
  talk.lineOfUser(answer);
  talk.hook('SessionEnd', { reason: 'other' });
  const holder = answer === 'A' ? open() : archived();
  expect(story(holder)[0]).toBe(task);
  const docs = recordsOf(dir, holder).filter(({ command }) => command === 'mkdir docs');
  expect(docs).toMatchObject([{ hook: true, tool_call_id: 'toolu_docs' }]);
  expect(captured().complete).toBe(true);
  sound(dir);
});

test('a message that cannot be taken up does not go past it', () => {
  asked();
  ctx('stage', 'compact');
  const lock = join(dir, '.ctx', 'STAGE.lock');
  writeFileSync(lock, '');
  talk.prompt('Fix the login page instead');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  rmSync(lock);
  talk.prompt('A');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(story(open()).slice(0, 2)).toEqual([`task ${OTHER_TASK}`, 'run mkdir docs → 0']);
});

test('an agent that keeps no transcript finds it, too', () => {
  const untold = new Untold(dir);
  untold.tell('prompt', { prompt: 'Add retry' });
  untold.tool('npm test');
  untold.tell('turn_end', { text: 'Retry is in.' });
  untold.tell('prompt', { prompt: OTHER });
  untold.tool('mkdir docs');
  ctx('stage', 'compact');
  untold.tool('make notes');
  untold.tell('prompt', { prompt: 'A' });
  untold.tool('make');
  untold.tell('end');
  expect(story(open())).toEqual([`task ${OTHER_TASK}`, 'run mkdir docs → 0', 'run make notes → 0', 'run make → 0']);
});
