// What agents tell while a session cannot follow it, or that changes nothing: nothing of it is lost, through the real hook command.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
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
const interrupted = (): unknown[] =>
  recordsOf(dir, 'STAGE').flatMap((record) =>
    record.kind === 'note' && record.role === 'intervention' ? [record.content] : [],
  );
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

  test.each(['by hand', 'in the conversation'])('ends nothing in the session that an answer begins %s', (how) => {
    asked(OTHER);
    if (how === 'by hand') choose('fresh');
    else talk.prompt('A');
    talk.tool('Bash', { command: 'make notes' }, shell('ok'), 'toolu_2');
    talk.prompt('Looks good');
    expect(statusOf(dir)).toMatchObject({ task_description: OTHER, session_state: { kind: 'Running' } });
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
  expect(endings()).toEqual(['InterruptedByNewTask Saved before starting new task: Add retry']);
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

  test('a question that was missed stays open like any other', () => {
    talk.prompt('Add retry');
    talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } });
    talk.tool('Bash', { command: 'ls' }, shell(''), 'toolu_ls');
    held(() => talk.stop(QUESTION));
    talk.stop('The lint hook passed.');
    expect(state()).toMatchObject({ kind: 'AwaitingUser', question: QUESTION });
  });

  test('an interrupt names the words before it, and not those that came after', () => {
    const other = new Untold();
    other.tell('prompt', { prompt: 'Add retry' });
    held(() => {
      other.tell('interrupt');
      other.tell('prompt', { prompt: 'Use five attempts' });
    });
    other.tell('turn_end', { text: 'Five it is.' });
    expect(interrupted()).toEqual(['User intervention: Add retry']);
    held(() => other.tell('prompt', { prompt: 'Now log each of them' }));
    other.tell('interrupt');
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Now log each of them' });
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

test('an interruption that the transcript tells late is the one that a hook has told', () => {
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

/** A conversation of which nothing but hooks tells. */
class Untold {
  now = NOON;

  tell(hook_event_name: string, fields: object = {}): void {
    const payload = { session_id: A, transcript_path: null, cwd: dir, hook_event_name, ...fields };
    const ran = run(['hook', 'pi'], { cwd: dir, now: this.now, input: JSON.stringify(payload) });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    this.now += 60;
    talk.now = this.now;
  }
}

describe('an agent without a transcript', () => {
  let other: Untold;
  beforeEach(() => {
    other = new Untold();
    other.tell('prompt', { prompt: 'Add retry' });
  });
  const notes = (revision = 'STAGE'): unknown[] =>
    recordsOf(dir, revision).flatMap((record) => (record.kind === 'note' ? [record.content] : []));

  test('all that the user says is kept', () => {
    other.tell('prompt', { prompt: 'What is jitter?' });
    other.tell('turn_end', { text: 'Retry is in.' });
    other.tell('prompt', { prompt: 'Looks good, ship it' });
    expect(notes()).toEqual(['User: What is jitter?', 'User confirmed task complete', 'User: Looks good, ship it']);
    expect(state()).toEqual({ kind: 'Complete' });
    other.tell('prompt', { prompt: 'Thanks' });
    const [ended = ''] = refsOf(dir, 'archive');
    expect(notes(ended).at(-1)).toBe('User: Thanks');
    sound(dir);
  });

  test('so are the words that wave a question of ctx’s away, and those that answer it', () => {
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'Never mind that' });
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'B, and mind the typos' });
    expect(notes()).toContain('User: Never mind that');
    expect(notes()).toContain('User intervention: B, and mind the typos');
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'B' });
    expect(notes()).toContain('User: B');
    sound(dir);
  });

  test('so is an explanation that leaves a question open', () => {
    other.tell('turn_end', { text: QUESTION });
    other.tell('prompt', { prompt: 'What does that mean?' });
    other.tell('turn_end', { text: 'Full draws all of the delay.' });
    expect(state()).toMatchObject({ kind: 'AwaitingUser' });
    expect(notes().slice(-2)).toEqual(['User: What does that mean?', 'Agent: Full draws all of the delay.']);
  });

  test('a question that a tool has put and the turn ends with is one that stays', () => {
    other.tell('question', { question: QUESTION });
    other.tell('turn_end', { text: QUESTION });
    other.tell('prompt', { prompt: 'What does that mean?' });
    other.tell('turn_end', { text: 'Full draws all of the delay.' });
    expect(state()).toMatchObject({ kind: 'AwaitingUser', question: QUESTION });
  });

  test('an interrupt names the words that were cut off, also twice in a row', () => {
    other.tell('turn_end', { text: 'Retry is in.' });
    other.tell('prompt', { prompt: 'What is jitter?' });
    other.tell('interrupt');
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'What is jitter?' });
    other.tell('prompt', { prompt: 'What does the flag do?' });
    other.tell('interrupt');
    other.tell('interrupt');
    expect(interrupted()).toEqual(['User intervention: What is jitter?', 'User intervention: What does the flag do?']);
    sound(dir);
  });

  test('one that is broken off while a question of ctx’s waits is told once', () => {
    other.now += 30 * 3600;
    other.tell('prompt', { prompt: 'Make it 5 not 3' });
    other.tell('interrupt');
    choose('continue');
    expect(interrupted()).toEqual(['User intervention: Make it 5 not 3']);
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Make it 5 not 3' });
  });
});
