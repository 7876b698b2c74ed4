// A question that Claude Code's own tool puts, and its answer: both are kept, once, whatever the state that they find.
import { beforeEach, describe, expect, test } from 'vitest';
import { NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askingTree, refsOf, sound, statusOf } from './support/projects.ts';
import { movesOf, notesOf, OTHER, whileHeld } from './support/unprompted.ts';

const WORDS = 'Markdown or reStructuredText?';
const NOTED = { question: [`Question for user: ${WORDS}\n- Markdown`], response: ['User response: plain AsciiDoc'] };

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  talk = new Conversation(dir, A);
});

const input = (question = WORDS) => ({ questions: [{ question, options: [{ label: 'Markdown' }] }] });
const ask = (id = 'toolu_ask', question = WORDS, more = {}): unknown =>
  talk.hook('PreToolUse', { tool_name: 'AskUserQuestion', tool_use_id: id, tool_input: input(question), ...more });
const answer = (id = 'toolu_ask', words = 'plain AsciiDoc', question = WORDS, more = {}): unknown =>
  talk.tool('AskUserQuestion', input(question), { ...input(question), answers: { [question]: words } }, id, more);
const works = (id = 'toolu_beside'): unknown => talk.tool('Bash', { command: 'ls' }, shell('x'), id);

const state = (): object => statusOf(dir, talk.now).session_state;
const noted = (revision = 'STAGE') => ({
  question: notesOf(dir, revision, 'question'),
  response: notesOf(dir, revision, 'response'),
});

test('a tool that ran at the same time does not answer the question, and the answer is in the summary', () => {
  talk.prompt('Write docs');
  ask();
  works();
  expect(state()).toMatchObject({ kind: 'AwaitingUser', question: `${WORDS}\n- Markdown` });
  answer();
  expect(state()).toEqual({ kind: 'Running' });
  talk.stop('Done.');
  talk.prompt('looks good');
  talk.stop('Bye.');
  expect(run(['show', 'HEAD'], { cwd: dir }).stdout).toContain(
    `Asked: ${WORDS} - Markdown\n- Answered: plain AsciiDoc`,
  );
  sound(dir);
});

test('keeps a question once if ctx gets every event twice', () => {
  talk.prompt('Write docs');
  for (const _ of [1, 2]) ask();
  for (const _ of [1, 2]) works();
  for (const _ of [1, 2]) answer();
  expect(state()).toEqual({ kind: 'Running' });
  talk.stop('Done.');
  expect(noted()).toEqual(NOTED);
});

test('of two that wait at once each has its answer', () => {
  talk.prompt('Write docs');
  ask('toolu_one', 'One?');
  ask('toolu_two', 'Two?');
  answer('toolu_one', 'first', 'One?');
  expect(state()).toMatchObject({ kind: 'AwaitingUser', question: 'Two?\n- Markdown' });
  works();
  answer('toolu_two', 'second', 'Two?');
  expect(state()).toEqual({ kind: 'Running' });
  expect(noted().response).toEqual(['User response: first', 'User response: second']);
});

test('asks the same question in a later turn again', () => {
  talk.prompt('Write docs');
  for (const id of ['toolu_1', 'toolu_2']) {
    ask(id);
    answer(id);
    talk.stop('Done.');
    talk.prompt('Make it longer');
  }
  expect(noted()).toEqual({
    question: [...NOTED.question, ...NOTED.question],
    response: [...NOTED.response, ...NOTED.response],
  });
});

describe('an answer that finds', () => {
  const left = {
    'a question that no hook has told': () => {},
    'a permission that was asked for meanwhile': () => {
      ask();
      talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } });
      works();
    },
    'a turn that has ended': () => {
      ask();
      talk.stop('Done.');
    },
    'a turn that was broken off': () => {
      ask();
      talk.hook('StopFailure', { error: 'server_error' });
    },
  };

  test.each(Object.entries(left))('%s is kept as one, and the agent is at work', (_, before) => {
    talk.prompt('Write docs');
    before();
    for (const _ of [1, 2]) answer();
    expect(state()).toEqual({ kind: 'Running' });
    works();
    talk.stop('Written.');
    const { question, response } = noted();
    expect([question.slice(0, 1), response]).toEqual([NOTED.question, NOTED.response]);
    expect(question.filter((words) => words === NOTED.question[0])).toHaveLength(1);
    sound(dir);
  });

  test('a session that the user has confirmed is saved with it', () => {
    talk.turn('Write docs', 'ls', 'Written.');
    talk.prompt('looks good');
    ask();
    for (const _ of [1, 2]) answer();
    expect(state()).toEqual({ kind: 'Complete' });
    talk.stop('Bye.');
    const [archive = ''] = refsOf(dir, 'archive');
    expect(noted(archive)).toEqual(NOTED);
    expect(run(['show', 'HEAD'], { cwd: dir }).stdout).toContain('Answered: plain AsciiDoc');
    sound(dir);
  });

  test('no session begins one, as any tool does', () => {
    talk.prompt('Thanks!');
    expect(refsOf(dir, 'sessions')).toEqual([]);
    ask();
    for (const _ of [1, 2]) answer();
    talk.stop('All right.');
    expect(noted()).toEqual(NOTED);
    sound(dir);
  });
});

test('a sub-agent’s question is answered by its tool, and by no other', () => {
  const sub = { agent_id: 'af5a9a8cd26867e91', agent_type: 'general-purpose' };
  talk.prompt('Use an agent');
  ask('toolu_sub', WORDS, sub);
  works();
  expect(state()).toMatchObject({ kind: 'AwaitingUser' });
  answer('toolu_sub', 'plain AsciiDoc', WORDS, sub);
  expect(state()).toEqual({ kind: 'Running' });
  expect(noted()).toEqual(NOTED);
});

test('one that the user refuses is over', () => {
  talk.prompt('Write docs');
  ask();
  talk.hook('PostToolUseFailure', {
    tool_name: 'AskUserQuestion',
    tool_use_id: 'toolu_ask',
    tool_input: input(),
    error: 'The user refused.',
  });
  expect(state()).toEqual({ kind: 'Running' });
  expect(noted()).toEqual({ ...NOTED, response: [] });
});

describe('while a question of ctx’s waits', () => {
  const exchange = (): void => {
    talk.lineOfCall('AskUserQuestion', input(), 'toolu_ask');
    for (const _ of [1, 2]) ask();
    talk.now += 10;
    works();
    for (const _ of [1, 2]) answer();
    talk.lineOfResult('toolu_ask', 'ok', { ...input(), answers: { [WORDS]: 'plain AsciiDoc' } });
  };

  test.each([
    ['A', true],
    ['A', false],
    ['B', true],
    ['B', false],
  ])('both go to the session that %s picks; with a transcript: %j', (chosen, isTold) => {
    if (!isTold) Object.assign(talk, { transcript: '/none/s1.jsonl', write: () => {} });
    talk.turn('Write docs', 'ls', 'Written.');
    talk.now += 60;
    expect(talk.prompt(OTHER)).not.toBeNull();
    talk.lineOfUser(OTHER);
    exchange();
    talk.now += 60;
    talk.prompt(chosen);
    talk.lineOfUser(chosen);
    talk.stop('The notes are written.');
    expect(statusOf(dir, talk.now).task_description).toBe(
      chosen === 'A' ? OTHER.replace('New task: ', '') : 'Write docs',
    );
    expect(noted()).toEqual(NOTED);
    if (isTold) expect(run(['ingest', talk.transcript], { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
    expect(noted()).toEqual(NOTED);
    sound(dir);
  });

  test.each(['A', 'B'])(
    'keeps the answer of the tool if %s is chosen by hand and the transcript is taken in before any hook',
    (chosen) => {
      talk.turn('Write docs', 'ls', 'Written.');
      talk.now += 60;
      talk.prompt(OTHER);
      talk.lineOfUser(OTHER);
      exchange();
      talk.now += 60;
      expect(run(['choose', chosen], { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
      expect(run(['ingest', talk.transcript], { cwd: dir, now: talk.now })).toMatchObject({ code: 0 });
      talk.stop('The notes are written.');
      expect(noted()).toEqual(NOTED);
      sound(dir);
    },
  );
});

describe('while somebody holds LOCK', () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
  ])('both are kept (question missed: %j, answer missed: %j), and the agent is at work again', (first, second) => {
    const told = (missed: boolean, tell: () => void): void => (missed ? whileHeld(dir, tell) : tell());
    talk.prompt('Write docs');
    told(first, () => ask());
    works('toolu_1');
    told(second, () => answer());
    works('toolu_2');
    expect(state()).toEqual({ kind: 'Running' });
    talk.stop('Written.');
    expect(noted()).toEqual(NOTED);
    expect(movesOf(dir).at(-1)).toBe('done → PendingComplete');
    sound(dir);
  });
});

test('what an interruption cuts off is the prompt, and not what was answered to a tool while a question of ctx’s waited', () => {
  talk.turn('Write docs', 'ls', 'Written.');
  talk.prompt('Make it longer');
  talk.prompt(OTHER);
  ask();
  answer();
  expect(run(['choose', 'B'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
  talk.hook('StopFailure', { error: 'server_error' });
  expect(state()).toEqual({ kind: 'Interrupted', user_message: OTHER });
  expect(storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.includes('AsciiDoc'))).toHaveLength(1);
});
