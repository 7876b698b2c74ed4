// Tests the events of Cursor's hooks with its transcript, and the session that they make: through the real hook command.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NOON, refused, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { A, refsOf, sound, statusOf, workTree } from './support/projects.ts';
import { whileHeld } from './support/unprompted.ts';

let dir: string;
let transcript: string;
let now: number;

beforeEach(() => {
  dir = workTree();
  transcript = join(dir, '..', 'transcript.jsonl');
  now = NOON;
  writeFileSync(transcript, '');
});

/** Runs one hook; gives what Cursor reads. */
function tell(hook_event_name: string, fields: object = {}): string {
  const about = { conversation_id: A, workspace_roots: [dir], transcript_path: transcript, hook_event_name };
  const ran = run(['hook', 'cursor'], { cwd: dir, now, input: JSON.stringify({ ...about, ...fields }) });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout;
}

function line(role: 'user' | 'assistant', text: string): void {
  appendFileSync(transcript, `${JSON.stringify({ role, message: { content: [{ type: 'text', text }] } })}\n`);
}

/** The user's words, with what Cursor writes around them. */
const typed = (words: string): string =>
  `<timestamp>Saturday, Nov 21, 2026, 12:00 PM (UTC)</timestamp>\n<user_query>\n${words}\n</user_query>`;

const prompt = (words: string): string => tell('beforeSubmitPrompt', { prompt: words });
const state = (): unknown => statusOf(dir).session_state;

describe('an interruption has the user’s own words', () => {
  test.each(['before the prompt', 'behind it'])('reads the user’s words if the transcript has them %s', (when) => {
    if (when === 'before the prompt') line('user', typed('Fix the lint'));
    prompt('Fix the lint');
    if (when === 'behind it') line('user', typed('Fix the lint'));
    tell('stop', { status: 'aborted' });
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Fix the lint' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('note User intervention: Fix the lint');
    sound(dir);
  });
});

describe('the end of a turn has the last words of the transcript', () => {
  const ASKED = 'Should I drop the old tables now?';

  /** A turn that ends with these words. */
  function turn(words: string, answer: string): void {
    prompt(words);
    line('user', typed(words));
    line('assistant', 'First the dump.');
    line('assistant', answer);
    tell('stop', { status: 'completed', loop_count: 0 });
  }

  test('a report of finished work waits for the user’s confirmation, and a second end of the turn takes nothing back', () => {
    turn('Migrate the database', 'The rows are migrated.');
    tell('stop', { status: 'completed', loop_count: 1 });
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'The rows are migrated.' });
    turn('Looks good', 'You are welcome.');
    expect(storyOf(recordsOf(dir, refsOf(dir, 'archive')[0] ?? ''))).toContain('confirm → Complete');
    sound(dir);
  });

  test('where they ask something, “Yes” answers that and ends nothing', () => {
    turn('Migrate the database', `The dump is taken. ${ASKED}`);
    expect(state()).toMatchObject({ kind: 'AwaitingUser', question: `The dump is taken. ${ASKED}` });
    turn('Yes', 'Dropped, and the rows are migrated.');
    expect(storyOf(recordsOf(dir, 'STAGE')).slice(1)).toEqual([
      `note Question for user: The dump is taken. ${ASKED}`,
      'ask → AwaitingUser',
      'note User response: Yes',
      'respond → Running',
      'done → PendingComplete',
    ]);
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Dropped, and the rows are migrated.' });
    sound(dir);
  });

  test('a “Yes” to a question answers it and ends nothing if the store is busy at the end of the turn', () => {
    prompt('Migrate the database');
    line('user', typed('Migrate the database'));
    line('assistant', ASKED);
    whileHeld(dir, () => tell('stop', { status: 'completed' }));
    prompt('Yes');
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('note User response: Yes');
  });

  test('does not take the words before an unfinished line for the last words of the turn', () => {
    prompt('Migrate the database');
    line('user', typed('Migrate the database'));
    line('assistant', ASKED);
    appendFileSync(transcript, '{"role":"assistant"');
    tell('stop', { status: 'completed' });
    expect(state()).toEqual({ kind: 'PendingComplete', summary: '' });
  });
});

describe('Cursor takes nothing at a prompt: what ctx would ask there, it decides', () => {
  const unasked = (why: string): string =>
    `note ctx continued ${why}, without asking: no question could be put to the user`;
  const shell = (command: string): string =>
    tell('postToolUse', {
      tool_name: 'Shell',
      tool_input: { command },
      tool_output: '{"output":"ok","exitCode":0}',
      tool_use_id: command,
    });

  test('a possible new task continues the session, and “B” answers the agent', () => {
    prompt('Fix the login form');
    shell('make login');
    expect(prompt('Different topic: add a dark mode to the settings page')).toBe('');
    expect(statusOf(dir).choice).toBeNull();
    line('user', typed('Different topic: add a dark mode to the settings page'));
    shell('make dark');
    line('assistant', 'Which one should I take: A) dark blue or B) black?');
    tell('stop', { status: 'completed' });
    prompt('B');
    shell('make black');
    expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual([
      'task Fix the login form',
      'run make login → 0',
      unasked('with what may be a new task'),
      'note User intervention: Different topic: add a dark mode to the settings page',
      'interrupt → Interrupted',
      'continue → Running',
      'run make dark → 0',
      'note Question for user: Which one should I take: A) dark blue or B) black?',
      'ask → AwaitingUser',
      'note User response: B',
      'respond → Running',
    ]);
    expect(run(['show', 'STAGE', '--steps'], { cwd: dir }).stdout).toContain(
      'note ctx continued with what may be a new',
    );
    sound(dir);
  });

  test.each([
    ['Hm.', 0, unasked('with what may be something new')],
    ['Also log every attempt', 2 * 86_400, unasked('after an idle period')],
  ])('“%s”, %i seconds later, answers the agent without a transcript', (words, seconds, note) => {
    transcript = join(dir, 'none.jsonl');
    prompt('Add retry');
    shell('make retry');
    tell('stop', { status: 'completed' });
    now += seconds;
    expect(prompt(words)).toBe('');
    expect(storyOf(recordsOf(dir, 'STAGE')).slice(2)).toEqual([
      'done → PendingComplete',
      note,
      `note User requested continuation: ${words}`,
      'reopen → Running',
    ]);
    expect(refused(['choose', 'A'], { cwd: dir }).code).toBe('no_choice');
    sound(dir);
  });
});
