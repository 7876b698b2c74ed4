// Tests the user's answers to a question of a tool of opencode and Gemini CLI: kept once, with events of hooks, a growing transcript, or both.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { json, NOON, run } from '../support/cli.ts';
import { ROOT } from '../support/store.ts';
import { grown } from './support/grown.ts';
import { sound, statusOf, workTree } from './support/projects.ts';
import { notesOf } from './support/unprompted.ts';

const ID = 'abababab-1111-4111-8111-000000000009';
const QUESTIONS = [{ question: 'Paint them?', options: [{ label: 'Yes', description: 'all' }, { label: 'No' }] }];
const NOTES = ['Question for user: Paint them?\n- Yes: all\n- No', 'User response: Yes'];

let dir: string;
let now: number;

beforeEach(() => {
  dir = workTree();
  now = NOON;
});

function hook(agent: string, payload: object): void {
  const ran = run(['hook', agent], { cwd: dir, now, input: JSON.stringify({ session_id: ID, cwd: dir, ...payload }) });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  now += 10;
}

const noted = (): unknown[] => [...notesOf(dir, 'STAGE', 'question'), ...notesOf(dir, 'STAGE', 'response')];

/** Length of a transcript: to the question, its answer, or the end of the turn. */
type Told = 'asked' | 'answered' | 'ended';

/** The export of opencode's session. */
function exported(told: Told): string {
  const isAnswered = told !== 'asked';
  const isEnded = told === 'ended';
  const at = (second: number): number => (NOON + second) * 1000;
  const asked = { status: 'running', input: { questions: QUESTIONS }, time: { start: at(12) } };
  const done = {
    ...{ ...asked, status: 'completed', output: 'User has answered.', metadata: { answers: [['Yes']] } },
    time: { start: at(12), end: at(20) },
  };
  const call = { id: 'p2', type: 'tool', callID: 'c9', tool: 'question', state: isAnswered ? done : asked };
  const last = isEnded ? [{ id: 'p3', type: 'text', text: 'Painted.' }] : [];
  const own = { id: 'msg_2', sessionID: ID, role: 'assistant', parentID: 'msg_1', modelID: 'm', providerID: 'p' };
  const end = isEnded ? { finish: 'stop' } : {};
  const time = { created: at(11), ...(isEnded && { completed: at(25) }) };
  const user = { id: 'msg_1', sessionID: ID, role: 'user', time: { created: at(1) } };
  const messages = [
    { info: user, parts: [{ id: 'p1', type: 'text', text: 'Count the doors' }] },
    { info: { ...own, ...end, time }, parts: [call, ...last] },
  ];
  return JSON.stringify({ info: { id: ID, projectID: 'p', directory: dir, version: '1' }, messages });
}

/** Gemini CLI's chat, in lines or as a document. */
function chat(told: Told, isDocument = false): string {
  const isAnswered = told !== 'asked';
  const time = (second: number): string => new Date((NOON + second) * 1000).toISOString();
  const response = { output: '{"answers":{"0":"Yes"}}' };
  const result = { status: 'success', result: [{ functionResponse: { id: 'k1', name: 'ask_user', response } }] };
  const call = { id: 'k1', name: 'ask_user', args: { questions: QUESTIONS }, timestamp: time(13) };
  const toolCalls = [{ ...call, ...(isAnswered ? result : { status: 'executing' }) }];
  const header = { sessionId: ID, projectHash: '0'.repeat(64), startTime: time(0), lastUpdated: time(0), kind: 'main' };
  const messages = [
    { id: 'u1', timestamp: time(1), type: 'user', content: [{ text: 'Count the doors' }] },
    { id: 'g1', timestamp: time(12), type: 'gemini', content: '', model: 'm', toolCalls },
    ...(told === 'ended' ? [{ id: 'g2', timestamp: time(25), type: 'gemini', content: 'Painted.', model: 'm' }] : []),
  ];
  if (isDocument) return JSON.stringify({ ...header, messages });
  return [header, ...messages].map((line) => `${JSON.stringify(line)}\n`).join('');
}

interface Hooks {
  begin: () => void;
  ask: () => void;
  answer: (words?: string) => void;
  end: () => void;
  /** Takes in what the transcript tells by then. */
  ingest: (told: Told) => void;
}

function ingest(name: string, text: string): void {
  const file = join(dir, '..', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  json(['ingest', file], { cwd: dir, now });
}

function opencode(): Hooks {
  const tell = (hook_event_name: string, fields: object = {}): void =>
    hook('opencode', { hook_event_name, sub_agent: null, transcript_path: null, ...fields });
  const call = { tool_name: 'question', tool_call_id: 'c9', tool_input: { questions: QUESTIONS } };
  return {
    begin: () => tell('prompt', { prompt: 'Count the doors' }),
    ask: () => tell('question', { questions: QUESTIONS }),
    answer: (words = 'Yes') =>
      tell('tool_result', { ...call, tool_output: 'User has answered.', tool_told: { answers: [[words]] } }),
    end: () => tell('turn_end', { text: 'Painted.' }),
    ingest: (told) => ingest('export.json', exported(told)),
  };
}

function gemini(): Hooks {
  const transcript_path = join(dir, '..', 'chats', 'session-1.jsonl');
  const tell = (hook_event_name: string, fields: object = {}): void =>
    hook('gemini', { hook_event_name, transcript_path, ...fields });
  const call = { tool_name: 'ask_user', tool_input: { questions: QUESTIONS } };
  return {
    begin: () => tell('BeforeAgent', { prompt: 'Count the doors' }),
    // No hook tells of it before its end.
    ask: () => {},
    answer: (words = 'Yes') =>
      tell('AfterTool', { ...call, tool_response: { llmContent: JSON.stringify({ answers: { 0: words } }) } }),
    end: () => tell('AfterAgent', { prompt_response: 'Painted.' }),
    ingest: (told) => ingest('chats/session-1.jsonl', chat(told)),
  };
}

describe.each([
  ['opencode', opencode],
  ['gemini', gemini],
])('the hooks of %s', (_name, hooks) => {
  test.each([
    ['once', 1],
    ['twice', 2],
  ])('keep question and answer that are reported %s as notes in the summary', (_times, times) => {
    const { begin, ask, answer, end, ingest } = hooks();
    begin();
    for (let time = 0; time < times; time += 1) ask();
    for (let time = 0; time < times; time += 1) answer();
    expect(statusOf(dir, now).session_state).toEqual({ kind: 'Running' });
    end();
    expect(noted()).toEqual(NOTES);
    ingest('ended');
    expect(noted()).toEqual(NOTES);
    run(['stage', 'compact'], { cwd: dir, now });
    expect(run(['show', 'HEAD'], { cwd: dir }).stdout).toContain('Asked: Paint them? - Yes: all - No\n- Answered: Yes');
    sound(dir);
  });

  test.each([
    ['the answer', ['answered']],
    ['the question, and then the answer', ['asked', 'answered']],
  ])('keep question and answer once if %s is taken in from the transcript before its hook', (_what, parts) => {
    const { begin, ask, answer, end, ingest } = hooks();
    begin();
    ask();
    for (const told of parts) ingest(told as Told);
    answer();
    expect(statusOf(dir, now).session_state).toEqual({ kind: 'Running' });
    end();
    expect(noted()).toEqual(NOTES);
    sound(dir);
  });

  test('keep question and answer once if they are taken in within the turn, after their hook', () => {
    const { begin, ask, answer, end, ingest } = hooks();
    begin();
    ask();
    answer();
    ingest('answered');
    end();
    expect(noted()).toEqual(NOTES);
    sound(dir);
  });

  test('keep the same question of a later turn, and another answer of the same turn', () => {
    const { begin, ask, answer, end } = hooks();
    for (const words of ['Yes', 'Yes']) {
      begin();
      ask();
      answer(words);
      end();
    }
    begin();
    ask();
    answer('No');
    ask();
    answer('Yes');
    const responses = notesOf(dir, 'STAGE', 'response');
    expect(responses).toEqual(['Yes', 'Yes', 'No', 'Yes'].map((words) => `User response: ${words}`));
    sound(dir);
  });
});

test('what is refused answers nothing, and the agent is at work', () => {
  const { begin, end } = gemini();
  begin();
  const llmContent = 'User dismissed ask_user dialog without answering.';
  const call = { tool_name: 'ask_user', tool_input: { questions: QUESTIONS } };
  hook('gemini', { hook_event_name: 'AfterTool', transcript_path: null, ...call, tool_response: { llmContent } });
  expect(statusOf(dir, now).session_state).toEqual({ kind: 'Running' });
  end();
  expect(notesOf(dir, 'STAGE', 'response')).toEqual([]);
});

describe('a document that is taken in while the question is open, and again', () => {
  test.each([
    ['opencode’s export', exported],
    ['Gemini CLI’s chat', (told: Told) => chat(told, true)],
    ['Gemini CLI’s chat in lines', (told: Told) => chat(told)],
  ])('%s: as if it were taken in once', (_name, text) => {
    const once = grown([text('ended')], 'chat.json');
    const twice = grown([text('asked'), text('ended')], 'chat.json');
    expect(once.moves).toContain('User response: Yes');
    expect({ ...twice, project: null }).toEqual({ ...once, project: null });
  });

  test('the fixture with each beginning of what followed the question', () => {
    const whole = JSON.parse(readFileSync(join(ROOT, 'fixtures/opencode/door.json'), 'utf8')) as JsonObject & {
      messages: { info: JsonObject; parts: JsonObject[] }[];
    };
    const index = whole.messages.findIndex(({ parts }) => parts.some(({ tool }) => tool === 'question'));
    const asking = whole.messages[index] ?? expect.fail('it has a question');
    const place = asking.parts.findIndex(({ tool }) => tool === 'question');
    const { completed: _, ...time } = asking.info['time'] as JsonObject;
    const { finish: __, tokens: ___, ...info } = asking.info;
    const call = asking.parts[place] as JsonObject & { state: JsonObject };
    const state = {
      status: 'running',
      input: call.state['input'] as JsonObject,
      time: call.state['time'] as JsonObject,
    };
    const parts = [...asking.parts.slice(0, place), { ...call, state }];
    const open = { ...whole, messages: [...whole.messages.slice(0, index), { info: { ...info, time }, parts }] };
    const answered = { ...whole, messages: whole.messages.slice(0, index + 1) };
    const once = grown([JSON.stringify(whole)], 'door.json');
    const steps = grown(
      [open, answered, whole].map((value) => JSON.stringify(value)),
      'door.json',
    );
    expect(steps.moves).toEqual(once.moves);
    expect(steps.usage).toEqual(once.usage);
  });
});
