// A prompt that an agent tells twice, as it does where ctx stands in two of its settings files, counts once.
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askingTree, refsOf, sound, statusOf } from './support/projects.ts';
import { endingsOf, OTHER, OTHER_TASK, whileHeld } from './support/unprompted.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  talk = new Conversation(dir, A);
});

let count = 0;
/** One prompt, told by two settings files. */
const twice = (prompt: string, isNamed = true): unknown[] => {
  count += 1;
  const named = isNamed ? { prompt_id: `prompt-${count}` } : {};
  return [1, 2].map(() => talk.hook('UserPromptSubmit', { prompt, ...named }));
};
const works = (id: string): unknown => talk.tool('Bash', { command: 'make' }, shell('ok'), id);
const state = (): object => statusOf(dir, talk.now).session_state;
const story = (): string[] => storyOf(recordsOf(dir, 'STAGE'));

describe.each([
  ['by its id', true],
  ['by its words, where nothing has happened since', false],
])('known %s', (_, isNamed) => {
  test('it begins, changes and confirms once', () => {
    twice('Fix the login bug', isNamed);
    expect(story()).toEqual(['task Fix the login bug']);
    works('toolu_1');
    twice('Use the new API, not the old one', isNamed);
    talk.stop('Fixed.');
    twice('Also log each failure', isNamed);
    talk.stop('Logged.');
    expect(story().slice(1)).toEqual([
      'run make → 0',
      'note User intervention: Use the new API, not the old one',
      'interrupt → Interrupted',
      'continue → Running',
      'done → PendingComplete',
      'note User requested continuation: Also log each failure',
      'reopen → Running',
      'done → PendingComplete',
    ]);
    twice('looks good', isNamed);
    expect(state()).toEqual({ kind: 'Complete' });
    talk.stop('Bye.');
    expect(endingsOf(dir)).toEqual(['Normal Fix the login bug']);
    sound(dir);
  });

  test('it is asked about once, and answers once', () => {
    talk.turn('Fix the login bug', 'make', 'Fixed.');
    const [first, second] = twice(OTHER, isNamed);
    expect([first === null, second]).toEqual([false, null]);
    expect(statusOf(dir, talk.now).choice).toMatchObject({ kind: 'new_task' });
    talk.stop('Should I save that and start on the release notes, or continue?');
    twice('A', isNamed);
    expect(statusOf(dir, talk.now).task_description).toBe(OTHER_TASK);
    expect(story().filter((line) => / → |intervention|note A/.test(line))).toEqual([]);
    works('toolu_2');
    expect(endingsOf(dir)).toHaveLength(1);
    sound(dir);
  });

  test('it gives a task up once, and the rest of its turn begins none', () => {
    talk.turn('Fix the login bug', 'make', 'Fixed.');
    twice('Never mind, forget it', isNamed);
    works('toolu_2');
    talk.stop('All right.');
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(endingsOf(dir)).toHaveLength(1);
    sound(dir);
  });
});

test('at once, too', async () => {
  talk.turn('Fix the login bug', 'make', 'Fixed.');
  const told = { prompt: 'Also log each failure', prompt_id: 'prompt-x' };
  await Promise.all([1, 2].map(() => talk.hookBeside('UserPromptSubmit', told)));
  expect(
    story()
      .filter((line) => line.includes('→'))
      .slice(2),
  ).toEqual(['reopen → Running']);
  sound(dir);
});

describe('another one of the same words counts', () => {
  const cuts = (): number => story().filter((line) => line.startsWith('interrupt')).length;

  test('by its id', () => {
    talk.prompt('Fix the login bug');
    twice('Use the new API, not the old one');
    twice('Use the new API, not the old one');
    expect(cuts()).toBe(2);
  });

  test.each([
    ['a tool', () => works('toolu_1')],
    ['the end of a turn', () => talk.stop('Fixed.')],
    [
      'a while',
      () => {
        talk.now += 6;
      },
    ],
  ])('counts after %s if the prompt has no id', (_, between) => {
    talk.prompt('Fix the login bug');
    twice('Use the new API, not the old one', false);
    between();
    twice('Use the new API, not the old one', false);
    expect(story().filter((line) => line.includes('Use the new API'))).toHaveLength(2);
  });
});

test('Codex gives all that is said in one turn the same id', () => {
  const told = (hook_event_name: string, more: object): unknown =>
    run(['hook', 'codex'], {
      cwd: dir,
      input: JSON.stringify({ session_id: A, transcript_path: null, cwd: dir, turn_id: 't', hook_event_name, ...more }),
    });
  const words = 'No, use pg';
  told('UserPromptSubmit', { prompt: 'Fix the login bug' });
  for (const tool_use_id of ['1', '2']) {
    told('UserPromptSubmit', { prompt: words });
    told('PostToolUse', { tool_use_id, tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: 'ok' });
  }
  expect(story().filter((line) => line.includes(words))).toHaveLength(2);
});

test('counts a repeated prompt whose turn was interrupted, as only the transcript shows', () => {
  const words = 'Use the new API, not the old one';
  talk.prompt('Fix the login bug');
  talk.lineOfUser('Fix the login bug');
  twice(words, false);
  talk.lineOfUser(words);
  talk.lineOfInterrupt();
  talk.prompt(words);
  expect(story().filter((line) => line.includes('→'))).toEqual([
    'interrupt → Interrupted',
    'continue → Running',
    'interrupt → Interrupted',
    'continue → Running',
  ]);
});

describe('while somebody holds LOCK', () => {
  test.each([true, false])('both are heard late, once; named: %j', (isNamed) => {
    talk.turn('Fix the login bug', 'make', 'Fixed.');
    whileHeld(dir, () => twice('Also log each failure', isNamed));
    talk.stop('Logged.');
    expect(story().filter((line) => /Also|reopen|interrupt/.test(line))).toEqual([
      'note User: Also log each failure',
      'note User requested continuation: Also log each failure',
      'reopen → Running',
    ]);
    sound(dir);
  });

  test('one of them is', () => {
    talk.turn('Fix the login bug', 'make', 'Fixed.');
    const told = { prompt: 'Also log each failure', prompt_id: 'prompt-x' };
    whileHeld(dir, () => talk.hook('UserPromptSubmit', told));
    talk.hook('UserPromptSubmit', told);
    expect(state()).toEqual({ kind: 'Running' });
    expect(story().filter((line) => /reopen|interrupt/.test(line))).toEqual(['reopen → Running']);
    expect(run(['fsck'], { cwd: dir })).toMatchObject({ code: 0 });
  });
});
