// Exports of opencode of our own writing: what they tell.
import { describe, expect, test } from 'vitest';
import { opencode } from '../../src/agents/opencode/index.ts';
import { did, read, seen } from './support/conformance.ts';
import { type Replay, replay } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const partsOf = (result: Replay, call: string): object[] =>
  [...result.messages.values()].flatMap(({ parts }) => parts).filter((part) => part['toolCallId'] === call);

test('a door: prompts, steps, calls and what they did, a question, an interrupt', () => {
  const result = read(opencode, 'door.json');
  expect(result.about).toEqual({
    agent_session_id: 'ses_20fixture0000000000001',
    cwd: '/home/dev/acme',
    title: 'A door that opens',
    agent_version: '1.18.33',
    model: 'acme-large',
  });
  expect(result.moves).toEqual([
    'prompt Mend the door.',
    'done The door opens.',
    'turn',
    'prompt Count the doors',
    'ask Paint them?',
    'prompt Yes',
    'done Two doors, soon red.',
    'turn',
    'prompt Go on, slowly.',
    'interrupt Go on, slowly.',
    'turn',
  ]);
  expect(did(result)).toEqual([
    'call_1: read /home/dev/acme/door.js',
    'call_2: run npm test → 1',
    'call_3: plan - [x] Look - [ ] Mend',
    'call_1b: write /home/dev/acme/door.js, 5 characters',
    'call_4: write /home/dev/acme/note.md, 10 characters',
    'call_5: delete /home/dev/acme/old.js',
    'call_5: delete /home/dev/acme/a.js',
    'call_5: write /home/dev/acme/b.js, 6 characters',
  ]);
  expect(result.derived.find(({ kind }) => kind === 'command')).toMatchObject({
    output: '1 failing\n',
    duration_ms: 250,
  });
});

describe('a compaction', () => {
  const time = { created: 1795000000000, completed: 1795000001000 };
  const user = (id: string, part: object) => ({ info: { id, role: 'user', time }, parts: [{ id: `${id}p`, ...part }] });
  const agent = (id: string, text: string, more: object = {}) => ({
    info: { id, role: 'assistant', time, ...more },
    parts: [{ id: `${id}p`, type: 'text', text }],
  });
  const asked = user('msg_1', { type: 'text', text: 'Paint it.' });
  const compacts = [user('msg_3', { type: 'compaction' }), agent('msg_4', 'All about doors.', { summary: true })];
  const movesOf = (...messages: object[]): string[][] => {
    const lines = [{ info: { id: 'ses_1', directory: '/home/dev/acme' } }, ...messages].map((one) =>
      JSON.stringify(one),
    );
    const starts = [[], lines.map((_line, index) => index)];
    return starts.map((each) => replay(lines, each, false, opencode).moves.filter((move) => move !== 'turn'));
  };

  test('is no answer, and what the turn before it came to stays', () => {
    const answered = ['prompt Paint it.', 'done Red.'];
    expect(movesOf(asked, agent('msg_2', 'Red.'), ...compacts)).toEqual([answered, answered]);
    const stopped = ['prompt Paint it.', 'interrupt Paint it.'];
    const error = { error: { name: 'MessageAbortedError' } };
    expect(movesOf(asked, agent('msg_2', 'Re', error), ...compacts)).toEqual([stopped, stopped]);
  });
});

test('the words of a message that is complete are the answer, unless its last step was for a tool', () => {
  const time = { created: 1795000000000, completed: 1795000001000 };
  const call = { type: 'tool', callID: 'c', tool: 'list', state: { status: 'completed', input: {}, output: 'a' } };
  const movesOf = (info: object, reason: string): string[] => {
    const parts = [{ type: 'text', text: 'Red.' }, call, { type: 'step-finish', reason }];
    const lines = [
      { info: { id: 'msg_1', role: 'user', time }, parts: [{ id: 'p', type: 'text', text: 'Paint it.' }] },
      { info: { id: 'msg_2', role: 'assistant', time, ...info }, parts },
    ].map((message) => JSON.stringify(message));
    return replay(lines, [], false, opencode).moves;
  };
  const answered = ['prompt Paint it.', 'done Red.', 'turn'];
  expect(movesOf({}, 'stop')).toEqual(answered);
  expect(movesOf({ finish: 'stop' }, 'tool-calls')).toEqual(answered);
  expect(movesOf({}, 'tool-calls')).toEqual(['prompt Paint it.', 'turn']);
  expect(movesOf({ finish: 'tool-calls' }, 'stop')).toEqual(['prompt Paint it.', 'turn']);
});

test('counts tokens once for each step, also in a message of two steps', () => {
  const result = read(opencode, 'door.json');
  // The steps of three messages, 100 + 12 + 10 + 30, and the one message without steps, 5.
  expect(result.usage).toEqual({ input: 157, output: 45, reasoning: 5, cache_read: 560, cache_write: 10 });
  expect(result.apiMessages).toBe(4);
  expect(result.messages.get('msg_03')?.metadata['usage']).toMatchObject({ input: 22, output: 16, cache_read: 310 });
});

test('parts: words, thinking, pictures, calls; all others as data; two calls may share an id', () => {
  const result = read(opencode, 'door.json');
  const types = [...result.messages.values()].map(({ parts }) => parts.map(({ type }) => type));
  expect(types[0]).toEqual(['text', 'text', 'file', 'data-agent']);
  expect(types[1]).toEqual([
    'data-step-start',
    'reasoning',
    'text',
    ...Array(3).fill('dynamic-tool'),
    'data-step-finish',
  ]);
  expect(types[2]).toContain('data-patch');
  expect(types[3]).toEqual(['data-subtask']);
  expect(partsOf(result, 'call_2').map((part) => 'errorText' in part)).toEqual([false, true]);
  expect(partsOf(result, 'call_7')).toMatchObject([{ result: { sessionId: 'ses_20fixture0000000000002' } }]);
  expect(partsOf(result, 'call_2')[0]).toMatchObject({
    result: { exit: 1, truncated: false },
    completed_at: 1795000014,
  });
  expect(JSON.stringify(partsOf(result, 'call_2')[0]).split('1 failing')).toHaveLength(2);
});

test('a sub-agent that was compacted twice: its parent, what is summed up, what stays, what was taken back', () => {
  const result = read(opencode, 'compacted.json');
  expect(result.about).toMatchObject({ parent_agent_session_id: 'ses_20fixture0000000000001' });
  expect(result.about['title']).toBeUndefined();
  expect(result.about['sub_agent_type']).toBe('general');
  expect(result.messages.get('msg_11')?.metadata['agent_id']).toBe('ses_20fixture0000000000002');
  const overlays = result.bodies.filter(({ kind }) => kind === 'overlay');
  expect(overlays.map(({ op, ids, reason }) => [op, ids, reason])).toEqual([
    ['hide', ['msg_11', 'msg_12', 'msg_13', 'msg_14'], 'compaction'],
    ['hide', ['msg_15', 'msg_16'], 'compaction'],
    ['hide', ['msg_21', 'msg_22'], 'rollback'],
  ]);
  expect(seen(result)).toEqual([
    'user: Three.',
    'assistant: Third.',
    'user: ',
    'assistant: Said so far: first, second; third stays.',
  ]);
  expect(result.messages.get('msg_16')?.metadata['is_compact_summary']).toBe(true);
  expect(result.messages.get('msg_15')?.metadata['is_meta']).toBe(true);
});

test('what changes with every message stays out of the line of the session', () => {
  const [first = ''] =
    unfoldText(
      opencode,
      JSON.stringify({
        info: { id: 'ses_1', title: 'T', cost: 1, time: { created: 5, updated: 6 }, tokens: {} },
        messages: [],
      }),
    ) ?? [];
  expect(JSON.parse(first)).toEqual({ info: { id: 'ses_1', title: 'T', time: { created: 5 } } });
});

test('a compact transcript: each line a message, calls with their results', () => {
  const result = read(opencode, 'compact.jsonl');
  expect(result.moves).toEqual(['prompt Build it.', 'done It is built.', 'turn', 'prompt Thanks.', 'turn']);
  expect(did(result)).toEqual(['toolu_1: run make → null']);
  expect(partsOf(result, 'toolu_2')).toMatchObject([{ state: 'output-error', errorText: 'File not found' }]);
  expect(partsOf(result, 'toolu_3')).toMatchObject([{ state: 'output-error', errorText: 'no result recorded' }]);
  expect([...result.messages.keys()]).toEqual(['prt_31', 'msg_32', 'msg_33', 'prt_34']);
  expect(result.usage).toEqual({});
});

test('subtracts thoughts from the output of older versions, as the total shows', () => {
  const tokens = (total: number | undefined) => ({
    total,
    input: 10,
    output: 7,
    reasoning: 3,
    cache: { read: 0, write: 0 },
  });
  const used = (total: number | undefined) => {
    const info = { id: 'm', role: 'assistant', time: { created: 1_795_000_000_000 }, tokens: tokens(total) };
    return replay([JSON.stringify({ info, parts: [] })], [], false, opencode).usage['output'];
  };
  expect([used(20), used(17), used(undefined)]).toEqual([10, 7, 7]);
});

test('what a plugin adds is none of the words; what was broken off sums nothing up', () => {
  const result = read(opencode, 'door.json');
  const prompts = result.events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []));
  expect(prompts[0]).toBe('Mend the door.\n[image]');
  const message = (id: string, info: object) =>
    JSON.stringify({ info: { id, time: { created: 1_795_000_000_000 }, ...info }, parts: [] });
  const told = [
    message('m1', { role: 'user' }),
    message('m2', { role: 'user' }),
    message('m3', { role: 'assistant', summary: true, parentID: 'm2', error: { name: 'MessageAbortedError' } }),
  ];
  expect(replay(told, [], false, opencode).visible).toEqual(['m1', 'm2', 'm3']);
});
