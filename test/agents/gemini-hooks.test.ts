// Tests the hooks of Gemini CLI alone, with and without an id that shows repeated events.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ListedSession } from '../../src/index.ts';
import { json, NOON, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { A, sound, workTree } from './support/projects.ts';

let dir: string;
let chat: string;

beforeEach(() => {
  dir = workTree();
  chat = join(dir, '..', 'chats', 'session-2026-11-21T12-00-aaaaaaaa.jsonl');
});

/** A time so many milliseconds after noon. */
const after = (milliseconds: number): string => new Date(NOON * 1000 + milliseconds).toISOString();

function tell(hook_event_name: string, fields: object = {}): void {
  const payload = { session_id: A, transcript_path: chat, cwd: dir, hook_event_name, ...fields };
  const ran = run(['hook', 'gemini'], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
}

function lines(file: string, ...records: object[]): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

const header = (sessionId: string, kind: string): object => ({
  sessionId,
  projectHash: '0'.repeat(64),
  startTime: after(0),
  lastUpdated: after(0),
  kind,
});

const said = (id: string, type: string, content: string, more: object = {}): object => ({
  id,
  timestamp: after(0),
  type,
  content,
  ...more,
});

/** The user asks for something, and it stands in the chat. */
function asks(): void {
  tell('BeforeAgent', { prompt: 'Add retry' });
  lines(chat, header(A, 'main'), said('u1', 'user', 'Add retry'));
}

const printed = (output: string): string => `Output: ${output}\nProcess Group PGID: 1`;

/** A hook tells of a command that has printed something. */
const ran = (command: string, timestamp: string | undefined, output = 'ok'): void =>
  tell('AfterTool', {
    timestamp,
    tool_name: 'run_shell_command',
    tool_input: { command },
    tool_response: { llmContent: printed(output), returnDisplay: output },
  });

/** A hook tells of a file that was written, and lies there. */
function wrote(name: string, timestamp: string): void {
  const [file_path, content] = [join(dir, name), 'export {};\n'];
  writeFileSync(file_path, content);
  const returnDisplay = { filePath: file_path, newContent: content };
  const tool_response = { llmContent: 'Created', returnDisplay };
  tell('AfterTool', { timestamp, tool_name: 'write_file', tool_input: { file_path, content }, tool_response });
}

/** A call as a chat tells it. */
const called = (id: string, name: string, args: object, timestamp: string, output: string): object => ({
  id,
  name,
  args,
  status: 'success',
  timestamp,
  result: [{ functionResponse: { id, name, response: { output } } }],
});

const deeds = (ref = 'STAGE'): string[] =>
  storyOf(recordsOf(dir, ref)).filter((line) => /^(run|write|read) /.test(line));

test.each([
  ['which the chat tells nothing of', [], 'First I look', ['note Agent: First I look']],
  ['which the chat tells a part of', ['First I look.'], 'First  I look.\nThen I', ['note Agent: Then I']],
  ['which the chat tells', ['First I look.'], 'First I look.', []],
  ['which is none', [], '[no response text]', []],
])('what the agent had said of an answer that was broken off is kept once, %s', (_what, told, words, kept) => {
  asks();
  lines(chat, ...told.map((text) => said('g1', 'gemini', text)), said('i1', 'info', 'Request cancelled.'));
  tell('AfterAgent', { prompt_response: words });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((one) => one.startsWith('note Agent'))).toEqual(kept);
  expect(story.at(-1)).toBe('interrupt → Interrupted');
  sound(dir);
});

test.each(['First I look', '[no response text]'])(
  'an interrupted turn stays interrupted if its end is reported twice: %s',
  (words) => {
    asks();
    lines(chat, said('i1', 'info', 'Request cancelled.'));
    for (const _ of [1, 2]) tell('AfterAgent', { prompt_response: words });
    expect(storyOf(recordsOf(dir, 'STAGE')).at(-1)).toBe('interrupt → Interrupted');
    tell('BeforeAgent', { prompt: 'Go on, please' });
    lines(chat, said('u2', 'user', 'Go on, please'), said('g2', 'gemini', 'Retry is in.'));
    tell('AfterAgent', { prompt_response: 'Retry is in.' });
    expect(storyOf(recordsOf(dir, 'STAGE')).at(-1)).toBe('done → PendingComplete');
    sound(dir);
  },
);

test('keeps a tool call once that hooks in two settings files report, and keeps a second call', () => {
  asks();
  for (const _ of [1, 2]) ran('npm test', after(1));
  for (const _ of [1, 2]) wrote('a.ts', after(2));
  ran('npm test', after(3));
  for (const _ of [1, 2]) ran('npm run lint', undefined);
  lines(chat, said('g1', 'gemini', 'Retry is in.'));
  tell('AfterAgent', { prompt_response: 'Retry is in.' });
  expect(deeds()).toEqual([
    'run npm test → 0',
    'write a.ts',
    'run npm test → 0',
    'run npm run lint → 0',
    'run npm run lint → 0',
  ]);
  sound(dir);
});

test('keeps a tool call once that the chat repeats, also after a flush in between', () => {
  asks();
  for (const _ of [1, 2]) {
    ran('npm test', after(1), 'x'.repeat(20_000));
    run(['stage', 'flush'], { cwd: dir, now: NOON });
  }
  const output = printed('x'.repeat(20_000));
  const calls = [called('c1', 'run_shell_command', { command: 'npm test' }, after(2), output)];
  lines(chat, said('g1', 'gemini', 'Retry is in.', { toolCalls: calls }));
  tell('AfterAgent', { prompt_response: 'Retry is in.' });
  expect(deeds()).toEqual(['run npm test → 0']);
  sound(dir);
});

test('keeps a plan once that a hook and the chat report, and keeps another plan', () => {
  asks();
  const plan = (token: string): object => ({ todos: [{ description: `Call with ${token}`, status: 'pending' }] });
  const [first, second] = [plan('API_KEY=Zx8Qm2Lp9Vt4Rk7Wn3Bs6Yd1'), plan('care')];
  tell('AfterTool', { timestamp: after(1), tool_name: 'write_todos', tool_input: first, tool_response: {} });
  const calls = [first, second].map((args, at) => called(`c${at}`, 'write_todos', args, after(at + 1), 'ok'));
  lines(chat, said('g1', 'gemini', 'Retry is in.', { toolCalls: calls }));
  tell('AfterAgent', { prompt_response: 'Retry is in.' });
  expect(recordsOf(dir, 'STAGE').filter(({ kind }) => kind === 'plan')).toMatchObject([
    { content: expect.stringContaining('API_KEY=') },
    { content: '- [ ] Call with care' },
  ]);
  sound(dir);
});

test('keeps a call of a sub-agent once: with its caller if a hook reported it, otherwise with itself', () => {
  asks();
  ran('npm test', after(1));
  wrote('a.ts', after(2));
  tell('AfterAgent', { prompt_response: 'Retry is in.' });
  const child = join(dirname(chat), A, 'abc123.jsonl');
  const command = (id: string, line: string, at: number): object =>
    called(id, 'run_shell_command', { command: line }, after(at), printed('ok'));
  const write = { file_path: join(dir, 'a.ts'), content: 'export {};\n' };
  const calls = [
    command('c1', 'npm test', 1),
    called('c2', 'write_file', write, after(2), 'Created'),
    // No hook has told of these: each is told of one call, and of none that was over before.
    command('c3', 'npm test', 5),
    command('c4', 'npm run lint', 6),
    command('c5', 'date', 7),
  ];
  // The caller has done so later.
  ran('date', after(9_000));
  lines(child, header('abc123', 'subagent'), said('u1', 'user', 'Look for it'));
  lines(child, said('g1', 'gemini', 'Found it.', { toolCalls: calls }));
  expect(run(['ingest', child], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
  const listed: ListedSession[] = json(['stage', 'list'], { cwd: dir });
  const session = listed.find(({ parent_session_id }) => parent_session_id !== null)?.session_id;
  expect(deeds(`refs/sessions/${session}`)).toEqual(
    ['npm test', 'npm run lint', 'date'].map((one) => `run ${one} → 0`),
  );
  expect(deeds()).toEqual(['run npm test → 0', 'write a.ts']);
  sound(dir);
});
