// Tests events that only hooks have of a conversation, and those after the end of its session: all are kept, in the session that they belong to.
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
import { A, refsOf, sound, statusOf, workTree } from './support/projects.ts';
import { notesOf, OTHER, QUESTION, Untold, whileHeld } from './support/unprompted.ts';

let dir: string;

beforeEach(() => {
  dir = workTree();
});

const state = (): object => statusOf(dir).session_state;
const notes = (revision: string): unknown[] => notesOf(dir, revision);
const interrupted = (): unknown[] => notesOf(dir, 'STAGE', 'intervention');

test.each(['never mind, drop it', 'Looks good'])(
  'what is left of a turn whose prompt has ended its session stays with that one: %s',
  (said) => {
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt(said);
    talk.lineOfUser(said);
    if (said === 'Looks good') talk.prompt('thanks');
    talk.lineOfCall('Bash', { command: 'git checkout .' }, 'toolu_undo');
    talk.tool('Bash', { command: 'git checkout .' }, shell(''), 'toolu_undo');
    talk.lineOfResult('toolu_undo', '', shell(''));
    talk.stop('I took all of it back.');
    talk.lineOfAgent('I took all of it back.');
    talk.prompt('Write the release notes');
    expect(statusOf(dir).task_description).toBe('Write the release notes');
    const [ended = '', ...more] = refsOf(dir, 'archive');
    expect(more).toEqual([]);
    const story = storyOf(recordsOf(dir, ended)).filter((line) => line.startsWith('run'));
    expect(story).toEqual(['run npm test → 0', 'run git checkout . → 0']);
    sound(dir);
  },
);

describe('an agent without a transcript', () => {
  let other: Untold;
  beforeEach(() => {
    other = new Untold(dir);
    other.tell('prompt', { prompt: 'Add retry' });
  });

  test('all that the user says is kept', () => {
    other.tell('prompt', { prompt: 'What is jitter?' });
    other.tell('turn_end', { text: 'Retry is in.' });
    other.tell('prompt', { prompt: 'Looks good, ship it' });
    expect(notes('STAGE')).toEqual([
      'User: What is jitter?',
      'User confirmed task complete',
      'User: Looks good, ship it',
    ]);
    expect(state()).toEqual({ kind: 'Complete' });
    // The turn that saves it goes on.
    other.tell('prompt', { prompt: 'Thanks' });
    expect(state()).toEqual({ kind: 'Complete' });
    other.tell('turn_end', { text: 'You are welcome.' });
    const [ended = ''] = refsOf(dir, 'archive');
    expect(notes(ended).slice(-2)).toEqual(['User: Thanks', 'You are welcome.']);
    sound(dir);
  });

  test('keeps the words that dismiss a question of ctx, and those that answer it', () => {
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'Never mind that' });
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'B, and mind the typos' });
    expect(notes('STAGE')).toContain('User: Never mind that');
    expect(notes('STAGE')).toContain('User intervention: B, and mind the typos');
    other.tell('prompt', { prompt: OTHER });
    other.tell('prompt', { prompt: 'B' });
    expect(notes('STAGE')).toContain('User: B');
    sound(dir);
  });

  test('keeps an explanation that leaves a question open', () => {
    other.tell('turn_end', { text: QUESTION });
    other.tell('prompt', { prompt: 'What does that mean?' });
    other.tell('turn_end', { text: 'Full draws all of the delay.' });
    expect(state()).toMatchObject({ kind: 'AwaitingUser' });
    expect(notes('STAGE').slice(-2)).toEqual(['User: What does that mean?', 'Agent: Full draws all of the delay.']);
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

  test('keeps an answer once that is interrupted while a question of ctx waits', () => {
    other.now += 30 * 3600;
    other.tell('prompt', { prompt: 'Make it 5 not 3' });
    other.tell('interrupt');
    run(['choose', 'continue'], { cwd: dir, now: other.now });
    expect(interrupted()).toEqual(['User intervention: Make it 5 not 3']);
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Make it 5 not 3' });
  });

  test('an interrupt names the words before it, and not those that came after', () => {
    whileHeld(dir, () => {
      other.tell('interrupt');
      other.tell('prompt', { prompt: 'Use five attempts' });
    });
    other.tell('turn_end', { text: 'Five it is.' });
    expect(interrupted()).toEqual(['User intervention: Add retry']);
    whileHeld(dir, () => other.tell('prompt', { prompt: 'Now log each of them' }));
    other.tell('interrupt');
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Now log each of them' });
  });

  test('what is left of a turn whose prompt has ended its session stays with that one', () => {
    other.tool('npm test');
    other.tell('turn_end', { text: 'Retry is in.' });
    other.tell('prompt', { prompt: 'never mind, drop it' });
    other.tool('git checkout .');
    other.tell('turn_end', { text: 'I left the draft in the tree.' });
    other.tell('prompt', { prompt: 'Write the release notes' });
    const [ended = ''] = refsOf(dir, 'archive');
    expect(storyOf(recordsOf(dir, ended)).slice(-2)).toEqual([
      'run git checkout . → 0',
      'note Agent: I left the draft in the tree.',
    ]);
    expect(statusOf(dir).task_description).toBe('Write the release notes');
    sound(dir);
  });
});
