// What agents tell while a session cannot follow it, or that changes nothing: nothing of it is lost, through the real hook command.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, storyOf } from './support/day.ts';
import { A, refsOf, sound, statusOf, workTree } from './support/projects.ts';

const OTHER = 'New task: write the release notes for version 2';
const QUESTION = 'Which jitter should I use, full or equal?';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = workTree();
  talk = new Conversation(dir, A);
});

const state = (now = talk.now): object => statusOf(dir, now).session_state;
const endings = (): string[] =>
  json<{ commit_type: { kind: string }; message: string }[]>(['log'], { cwd: dir }).map(
    ({ commit_type, message }) => `${commit_type.kind} ${message.split('\n')[0]}`,
  );
const choose = (answer: string) =>
  expect(run(['choose', answer], { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
const moves = (): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => /^\w+ → [A-Z]/.test(line));

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

  test('is over with its turn where a tool has put it, and was denied', () => {
    talk.prompt('Add retry');
    talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm x' } });
    expect(state()).toMatchObject({ kind: 'AwaitingUser' });
    talk.stop('Then I leave it there. Retry is in.');
    expect(state()).toMatchObject({ kind: 'PendingComplete' });
  });
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
    ['new_task', OTHER, 0, 'continue'],
    ['stale_session', 'Make it 5 not 3', 30 * 3600, 'continue'],
    ['new_task, fresh', OTHER, 0, 'fresh'],
  ])('%s: it counts once that is answered', (_, said, idle, answer) => {
    asked(said, idle);
    choose(answer);
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
    talk.stop('You are welcome.');
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(endings()[0]).toBe(`Normal ${answer === 'fresh' ? OTHER : 'Add retry'}`);
    sound(dir);
  });

  test.each([
    'ctx would like to know whether to go on.',
    'Should I save that and start on the release notes, or continue?',
  ])('is none where the agent only passes the question on: %s', (said) => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt(OTHER);
    talk.stop(said);
    choose('continue');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
    expect(moves()).toEqual(['done → PendingComplete']);
  });

  test('does not count where the agent goes on to work on what was answered', () => {
    asked(OTHER);
    talk.prompt('continue');
    expect(state()).toEqual({ kind: 'Running' });
    talk.stop('Retry is in, with a test.');
    expect(moves()).toEqual(['done → PendingComplete']);
    sound(dir);
  });

  test('goes on: the session is where the turn has left it', () => {
    asked(OTHER);
    choose('continue');
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
  });

  test('a message that answers nothing goes on from there too', () => {
    asked(OTHER);
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
  });
});

test('words of approval begin nothing where the user would rather start afresh', () => {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.now = NOON + 30 * 3600;
  expect(talk.prompt('Looks good')).not.toBeNull();
  choose('fresh');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  expect(endings()).toEqual(['Normal Add retry']);
  sound(dir);
});

describe('while somebody holds LOCK', () => {
  function held(during: () => void): void {
    const lock = join(dir, '.ctx', 'LOCK');
    writeFileSync(lock, 'foreign');
    during();
    rmSync(lock);
  }

  test('the end of a turn counts with the next message', () => {
    talk.prompt('Add retry');
    held(() => talk.stop('Retry is in.'));
    expect(state()).toEqual({ kind: 'Running' });
    talk.prompt('Looks good');
    expect(state()).toEqual({ kind: 'Complete' });
    expect(moves()).toEqual(['done → PendingComplete', 'confirm → Complete']);
    sound(dir);
  });

  test('also where the next thing is another turn’s end', () => {
    talk.prompt('Add retry');
    held(() => {
      talk.stop(QUESTION);
      talk.prompt('Full');
    });
    talk.stop('Full jitter is in.');
    expect(moves()).toEqual(['ask → AwaitingUser', 'respond → Running', 'done → PendingComplete']);
    sound(dir);
  });
});

describe('an agent without a transcript', () => {
  const tell = (hook_event_name: string, fields: object = {}): void => {
    const payload = { session_id: A, transcript_path: null, cwd: dir, hook_event_name, ...fields };
    const ran = run(['hook', 'pi'], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  };
  const notes = (): unknown[] =>
    recordsOf(dir, 'STAGE').flatMap((record) => (record.kind === 'note' ? [record.content] : []));

  test('all that the user says is kept', () => {
    tell('prompt', { prompt: 'Add retry' });
    tell('prompt', { prompt: 'What is jitter?' });
    tell('turn_end', { text: 'Retry is in.' });
    tell('prompt', { prompt: 'Looks good, ship it' });
    expect(notes()).toEqual(['User: What is jitter?', 'User: Looks good, ship it', 'User confirmed task complete']);
    expect(state()).toEqual({ kind: 'Complete' });
    sound(dir);
  });

  test('an interrupt names the words that were cut off, also twice in a row', () => {
    tell('prompt', { prompt: 'Add retry' });
    tell('turn_end', { text: 'Retry is in.' });
    tell('prompt', { prompt: 'What is jitter?' });
    tell('interrupt');
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'What is jitter?' });
    tell('prompt', { prompt: 'What does the flag do?' });
    tell('interrupt');
    tell('interrupt');
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'What does the flag do?' });
    expect(moves().filter((move) => move.startsWith('interrupt'))).toHaveLength(2);
    sound(dir);
  });
});
