// Tests events of agents while a session cannot follow them, or that change nothing: none is lost, through the real hook command.
import { beforeEach, describe, expect, test } from 'vitest';
import { NOON, run } from '../support/cli.ts';
import { Conversation, shell } from './support/day.ts';
import { A, askingTree, refsOf, sound, statusOf } from './support/projects.ts';
import { endingsOf, movesOf, notesOf, OTHER, QUESTION, whileHeld } from './support/unprompted.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  talk = new Conversation(dir, A);
});

const state = (now = talk.now): object => statusOf(dir, now).session_state;
const endings = (): string[] => endingsOf(dir);
const choose = (answer: string) =>
  expect(run(['choose', answer], { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
const interrupted = (): unknown[] => notesOf(dir, 'STAGE', 'intervention');
const moves = (): string[] => movesOf(dir);
const held = (during: () => void): void => whileHeld(dir, during);

describe('a question of the agent’s', () => {
  test('stays open when the user asks back, and their next words answer it', () => {
    talk.turn('Add retry', 'npm test', QUESTION);
    const asked = state();
    expect(asked).toMatchObject({ kind: 'AwaitingUser', question: QUESTION });
    talk.prompt('What does that mean?');
    talk.stop('Full jitter draws the whole delay at random, equal jitter half of it.');
    expect(state()).toEqual(asked);
    expect(moves()).toEqual(['ask → AwaitingUser']);
    talk.prompt('ok');
    expect(state()).toEqual({ kind: 'Running' });
    talk.stop('Full jitter is in.');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Full jitter is in.' });
    sound(dir);
  });

  test('stays open, too, when the agent looks into what the user asks back', () => {
    talk.turn('Add retry', 'npm test', QUESTION);
    const asked = state();
    talk.now += 60;
    talk.prompt('What does that mean?');
    talk.lineOfUser('What does that mean?');
    talk.tool('Bash', { command: 'grep -rn jitter src' }, shell('src/retry.ts:16'), 'toolu_look');
    expect(state()).toEqual({ kind: 'Running' });
    talk.stop('Full jitter draws the whole delay at random, equal jitter half of it.');
    expect(state()).toEqual(asked);
    talk.now += 60;
    talk.prompt('Yes');
    talk.tool('Bash', { command: 'npm test' }, shell('ok'), 'toolu_test');
    talk.stop('Full jitter is in.');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Full jitter is in.' });
    expect(notesOf(dir, 'STAGE', 'response')).toEqual(['User response: Yes']);
    // It was put once.
    expect(notesOf(dir, 'STAGE', 'question')).toEqual([`Question for user: ${QUESTION}`]);
    sound(dir);
  });

  test('is closed if the agent has continued without an answer, or has written something', () => {
    talk.turn('Add retry', 'npm test', QUESTION);
    talk.tool('Bash', { command: 'npm test' }, shell('ok'), 'toolu_on');
    talk.stop('I took full jitter.');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'I took full jitter.' });
    talk.stop(QUESTION);
    talk.now += 60;
    talk.prompt('What does that mean?');
    talk.lineOfUser('What does that mean?');
    const file_path = `${dir}/notes.md`;
    talk.tool(
      'Write',
      { file_path, content: 'Full' },
      { type: 'create', filePath: file_path, content: 'Full' },
      'toolu_w',
    );
    talk.stop('It stands in notes.md now.');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'It stands in notes.md now.' });
  });

  test('is over with its turn where a tool has put it, and was denied', () => {
    talk.prompt('Add retry');
    talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm x' } });
    expect(state()).toMatchObject({ kind: 'AwaitingUser' });
    talk.stop('Then I leave it there. Retry is in.');
    expect(state()).toMatchObject({ kind: 'PendingComplete' });
  });
});

test('a question that only the transcript reports is a tool’s if a tool asked it', () => {
  talk.lineOfUser('Add retry');
  talk.lineOfCall('AskUserQuestion', { questions: [{ question: QUESTION }] }, 'toolu_ask');
  for (const words of [['init'], ['ingest', talk.transcript]])
    expect(run(words, { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
  expect(state()).toMatchObject({ kind: 'AwaitingUser' });
  talk.stop('Then I leave it there. Retry is in.');
  expect(state()).toMatchObject({ kind: 'PendingComplete' });
  sound(dir);
});

describe('a turn that ends while a question of ctx’s waits', () => {
  /** A turn that the user cuts into with what ctx asks about. */
  function asked(said: string, idle = 0): void {
    talk.prompt('Add retry');
    talk.tool('Bash', { command: 'npm test' }, { stdout: 'ok' }, 'toolu_1');
    talk.now = NOON + idle;
    expect(talk.prompt(said)).not.toBeNull();
    talk.now += 60;
    talk.stop('Retry is in.');
    expect(state()).toEqual({ kind: 'Running' });
  }

  test.each([
    ['new_task', OTHER, 0],
    ['stale_session', 'Make it 5 not 3', 30 * 3600],
  ])('%s: it counts once that is answered', (_, said, idle) => {
    asked(said, idle);
    choose('continue');
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
    talk.stop('You are welcome.');
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(endings()[0]).toBe('Normal Add retry');
    sound(dir);
  });

  test.each([
    'ctx would like to know whether to go on.',
    'Should I save that and start on the release notes, or continue?',
  ])('is ignored if the agent only passes the question on: %s', (said) => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt(OTHER);
    talk.stop(said);
    choose('continue');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
    expect(moves()).toEqual(['done → PendingComplete']);
  });

  test('is ignored if the agent continues to work on the answer', () => {
    asked(OTHER);
    talk.prompt('continue');
    expect(state()).toEqual({ kind: 'Running' });
    talk.stop('Retry is in, with a test.');
    expect(moves()).toEqual(['done → PendingComplete']);
    sound(dir);
  });

  test.each(['by hand', 'in the conversation'])('ends nothing in the session that an answer begins %s', (how) => {
    asked(OTHER);
    if (how === 'by hand') choose('fresh');
    else talk.prompt('A');
    talk.tool('Bash', { command: 'make notes' }, shell('ok'), 'toolu_2');
    talk.prompt('Looks good');
    // The words that only say that a task begins are no part of it.
    const task = OTHER.replace(/^New task: /, '');
    expect(statusOf(dir)).toMatchObject({ task_description: task, session_state: { kind: 'Running' } });
    talk.stop('The notes are written.');
    expect(moves().filter((move) => !move.startsWith('run'))).toEqual(['done → PendingComplete']);
    sound(dir);
  });

  test.each([
    [
      'Each handler takes (ctx, next) now.',
      { kind: 'PendingComplete', summary: 'Each handler takes (ctx, next) now.' },
    ],
    [`Retry is in. ${QUESTION}`, { kind: 'AwaitingUser' }],
  ])('is one whatever its words: %s', (said, expected) => {
    talk.prompt('Add retry');
    talk.prompt(OTHER);
    talk.stop(said);
    choose('continue');
    expect(state()).toMatchObject(expected);
  });

  test.each([
    ['by hand', () => choose('continue')],
    ['by a message that answers nothing', () => talk.prompt('What does that mean?')],
  ])('its question was put when the turn ended, and not when ctx’s was answered %s', (_, answer) => {
    asked(OTHER);
    talk.stop(QUESTION);
    const asked_at = talk.now;
    talk.now += 20 * 3600;
    answer();
    expect(state()).toEqual({ kind: 'AwaitingUser', question: QUESTION, asked_at });
  });

  test('is applied after the answer: the session has the state that the turn left', () => {
    asked(OTHER);
    choose('continue');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
  });

  test('is applied also after a message that answers nothing', () => {
    asked(OTHER);
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
  });
});

describe('a session that is confirmed by a message about the next step', () => {
  const words = 'Write a test for the router';

  test('is saved before the message, which begins a session of its own', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.now = NOON + 30 * 3600;
    expect(talk.prompt('Looks good')).not.toBeNull();
    talk.stop('You are welcome.');
    expect(talk.prompt(words)).toBeNull();
    talk.stop('The test is there.');
    expect(endings()).toEqual(['Normal Add retry']);
    expect(run(['show', 'HEAD', '--steps'], { cwd: dir }).stdout).toContain('Agent: You are welcome.');
    expect(statusOf(dir, talk.now)).toMatchObject({ task_description: words });
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'The test is there.' });
    sound(dir);
  });

  test('is saved if the store was busy at the confirmation and at the end of its turn', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    held(() => {
      talk.prompt('Perfect, thanks!');
      talk.stop('You are welcome.');
    });
    expect(talk.prompt(words)).toBeNull();
    expect(endings()).toEqual(['Normal Add retry']);
    expect(statusOf(dir, talk.now)).toMatchObject({ task_description: words, session_state: { kind: 'Running' } });
    sound(dir);
  });
});

test('words of approval begin nothing if the user would rather start afresh', () => {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.now = NOON + 30 * 3600;
  expect(talk.prompt('Looks good')).not.toBeNull();
  choose('fresh');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  expect(endings()).toEqual(['InterruptedByNewTask Saved before starting new task: Add retry']);
  sound(dir);
});

describe('while somebody holds LOCK', () => {
  test('the end of a turn counts with the next message', () => {
    talk.prompt('Add retry');
    held(() => talk.stop('Retry is in.'));
    expect(state()).toEqual({ kind: 'Running' });
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
    expect(moves()).toEqual(['done → PendingComplete', 'confirm → Complete']);
    sound(dir);
  });

  test('it still does where ctx stage flush has saved everything else meanwhile', () => {
    talk.prompt('Add retry');
    held(() => talk.stop('Retry is in.'));
    expect(run(['observe', 'note', 'Seen'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
    expect(run(['stage', 'flush'], { cwd: dir, now: NOON })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 record waits for the answer to a question, or for the next message.'),
    });
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
    sound(dir);
  });

  test('applies a missed prompt if the next event is the end of another turn', () => {
    talk.prompt('Add retry');
    held(() => {
      talk.stop(QUESTION);
      talk.prompt('Full');
    });
    talk.stop('Full jitter is in.');
    expect(moves()).toEqual(['ask → AwaitingUser', 'respond → Running', 'done → PendingComplete']);
    sound(dir);
  });

  test('a question that was missed stays open like any other', () => {
    talk.prompt('Add retry');
    talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } });
    talk.tool('Bash', { command: 'ls' }, shell(''), 'toolu_ls');
    held(() => talk.stop(QUESTION));
    const asked_at = talk.now;
    talk.now += 60;
    talk.stop('The lint hook passed.');
    expect(state()).toEqual({ kind: 'AwaitingUser', question: QUESTION, asked_at });
  });

  test('what only passes ctx’s question on is none of the session’s', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt(OTHER);
    held(() => talk.stop('Should I save that and start on the release notes, or continue?'));
    choose('continue');
    talk.prompt('What is jitter?');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
  });
});

test('an interruption that the transcript shows late is the one that a hook reported', () => {
  talk.prompt('Add retry');
  talk.lineOfUser('Add retry');
  talk.stop('Retry is in.');
  talk.prompt('What is jitter?');
  talk.lineOfUser('What is jitter?');
  talk.now += 60;
  talk.hook('StopFailure', { error: 'server_error' });
  const told = interrupted();
  expect(told).toHaveLength(1);
  talk.lineOfInterrupt();
  talk.hook('SessionEnd', { reason: 'other' });
  expect(interrupted()).toEqual(told);
});

describe('a task whose prompt met a busy store when the one before it was saved', () => {
  test('begins with the end of its turn if a transcript has it', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Looks good');
    talk.lineOfUser('Looks good');
    talk.stop('You are welcome.');
    expect(endings()).toEqual(['Normal Add retry']);
    talk.now += 60;
    held(() => talk.prompt('Write a changelog for 1.2'));
    talk.lineOfUser('Write a changelog for 1.2');
    talk.lineOfCall('Bash', { command: 'make log' }, 'toolu_9');
    talk.tool('Bash', { command: 'make log' }, shell('ok'), 'toolu_9');
    talk.stop('The changelog is written. Which version should I tag, 1.2 or 2.0?');
    expect(statusOf(dir, talk.now)).toMatchObject({
      task_description: 'Write a changelog for 1.2',
      session_state: { kind: 'AwaitingUser' },
    });
    talk.prompt('1.2');
    expect(state()).toEqual({ kind: 'Running' });
    expect(endings()).toEqual(['Normal Add retry']);
    sound(dir);
  });

  test('thanks after it are none', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Looks good');
    talk.lineOfUser('Looks good');
    talk.stop('You are welcome.');
    talk.now += 60;
    held(() => talk.prompt('Thanks!'));
    talk.lineOfUser('Thanks!');
    talk.stop('Any time.');
    expect(refsOf(dir, 'sessions')).toEqual([]);
    sound(dir);
  });
});

describe('what is heard late', () => {
  test.each([
    ['Perfect, thanks', 'Complete', ['done → PendingComplete', 'confirm → Complete']],
    ['What is jitter?', 'PendingComplete', ['done → PendingComplete']],
    ['Make it 5 not 3', 'Running', ['done → PendingComplete', 'reopen → Running']],
    [OTHER, 'Running', ['done → PendingComplete', 'reopen → Running']],
  ])('is understood as at its time: %s', (said, kind, expected) => {
    talk.prompt('Add retry');
    talk.stop('Retry is in.');
    held(() => talk.prompt(said));
    talk.hook('PreCompact', { trigger: 'auto' });
    expect(state()).toMatchObject({ kind });
    expect(moves()).toEqual(expected);
    sound(dir);
  });

  test('ends a task that the user gave up', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    held(() => talk.prompt('Never mind, drop it'));
    talk.prompt('Write the docs');
    expect(endings()[0]).toMatch(/^Abandoned /);
    expect(statusOf(dir).task_description).toBe('Write the docs');
    sound(dir);
  });
});

describe('a plain yes to a question of ctx’s', () => {
  test.each(['yes', 'ok', 'yes, please do that', 'Start the new request, also use short words'])(
    'takes what is offered first: %s',
    (said) => {
      talk.turn('Add retry', 'npm test', 'Retry is in.');
      talk.prompt(OTHER);
      talk.prompt(said);
      expect(statusOf(dir)).toMatchObject({ session_state: { kind: 'Running' } });
      expect(statusOf(dir).task_description).toContain(OTHER.replace(/^New task: /, ''));
      expect(endings()[0]).toMatch(/^InterruptedByNewTask /);
    },
  );
});

describe('what was missed while the store was busy', () => {
  test('is applied when the program starts again, before the agent gets the summary of its session', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    held(() => talk.prompt('Never mind, drop the task'));
    expect(run(['stage', 'flush'], { cwd: dir, now: talk.now }).stderr).toContain('for the next message');
    expect(talk.hook('SessionStart', { source: 'resume' }, { speaks: true })).toBeNull();
    expect(endings()[0]).toBe('Abandoned Add retry');
    sound(dir);
  });
});
