// Sessions as opencode 2 tells them, in exports and lines of our own writing: what each kind of message becomes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { opencode } from '../../src/agents/opencode/index.ts';
import { did, read, seen, takers } from './support/conformance.ts';
import { assemble, type Replay, replay, replayRewritten } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const AT = 1_796_000_000_000;
const time = (begun: number, done?: number) => ({
  created: AT + begun * 1000,
  ...(done === undefined ? {} : { completed: AT + done * 1000 }),
});
const user = (id: string, text: string, more: object = {}) => ({ id, type: 'user', text, time: time(0), ...more });
const says = (id: string, content: object[], more: object = {}) => ({
  ...{ id, type: 'assistant', content, finish: 'stop', time: time(1, 2) },
  ...more,
});
const text = (words: string) => ({ type: 'text', text: words });
const info = { id: 'ses_1', directory: '/home/dev/acme', projectID: 'p1' };
const linesOf = (...messages: object[]): string[] => [{ info }, ...messages].map((one) => JSON.stringify(one));
const told = (...messages: object[]): Replay => replay(linesOf(...messages), [], false, opencode);
const rawsOf = (result: Replay): unknown[] =>
  result.bodies.flatMap((body) => (body.kind === 'raw' ? [[body['type'], body['data'] ?? body['text']]] : []));

test('an export: prompts, steps of a turn, calls and what they did, a question, a compaction, an interrupt', () => {
  const result = read(opencode, 'shelf.json');
  expect(result.moves).toEqual([
    ...['prompt Sort the shelf, please.', 'done The shelf is sorted.', 'turn'],
    ...['prompt Ask me about the colour.', 'ask Which colour?', 'prompt Blue', 'done Blue it is.', 'turn'],
    ...['prompt Now the attic.', 'interrupt Now the attic.', 'turn'],
  ]);
  expect(did(result)).toEqual([
    'call_21: read /home/dev/shelf/list.txt',
    'call_22: run sort list.txt → 3',
    'call_24: write /home/dev/shelf/sorted.txt, 13 characters',
    'call_25: delete /home/dev/shelf/old.txt',
    'call_25: write /home/dev/shelf/list.txt',
    'sh_1: run ls → 0',
  ]);
  expect(result.derived.find(({ kind }) => kind === 'command')).toMatchObject({
    output: 'apples\npears\n',
    duration_ms: 500,
  });
  expect(seen(result)).toEqual([
    'assistant: The shelf is sorted and blue.',
    'user: How to tidy.',
    'user: Now the attic.',
    'assistant: I begin with',
  ]);
  expect(result.about).toMatchObject({ title: 'The shelf', agent_version: '2.0.14', model: 'acme-large' });
});

test('its lines are recognised as those of opencode, and of no other agent', () => {
  expect(takers(linesOf(user('msg_1', 'Paint it.')).slice(1))).toEqual(['opencode']);
  expect(takers(linesOf({ id: 'msg_1', type: 'of-tomorrow', time: time(0) }).slice(1))).toEqual(['opencode']);
});

describe('whose words', () => {
  const roles = (result: Replay): unknown[] =>
    [...result.messages.values()].map(({ role, metadata }) => [role, metadata['is_meta'] === true]);

  test.each(['synthetic', 'system', 'skill'])('those of the kind %s begin no turn', (type) => {
    const result = told({ id: 'msg_1', type, text: 'You are in /home.', time: time(0) }, user('msg_2', 'Paint it.'));
    expect(result.moves).toEqual(['prompt Paint it.', 'turn']);
    expect(roles(result)[0]).toEqual([type === 'system' ? 'system' : 'user', true]);
  });

  test('a command of the user between two turns is recorded, and what the turn came to stays', () => {
    const shell = { id: 'msg_3', type: 'shell', shellID: 'sh_1', command: 'make', status: 'completed', exit: 2 };
    const result = told(user('msg_1', 'Paint it.'), says('msg_2', [text('Red.')]), {
      ...shell,
      output: { output: 'no rule' },
      time: time(5, 6),
    });
    expect(result.moves).toEqual(['prompt Paint it.', 'done Red.', 'turn']);
    expect(result.derived).toMatchObject([{ command: 'make', exit_code: 2, output: 'no rule', duration_ms: 1000 }]);
  });

  test('an image alone is a prompt; nothing at all is none', () => {
    const image = { mime: 'image/png', data: 'AAAA' };
    expect(told(user('msg_1', '', { files: [image] })).moves).toEqual(['prompt [image]', 'turn']);
    expect(told(user('msg_1', ' ')).moves).toEqual([]);
  });
});

describe('files of a prompt', () => {
  const partOf = (file: object): unknown => told(user('msg_1', '', { files: [file] })).messages.get('msg_1')?.parts[0];

  test.each([
    ['with its content', { mime: 'image/png', data: 'AAAA', name: 'a.png' }, 'data:image/png;base64,AAAA'],
    ['by its address', { mime: 'text/plain', uri: 'file:///a.txt', name: 'a.png' }, 'file:///a.txt'],
    [
      'with its content in an address',
      { mime: 'image/png', data: 'data:image/png;base64,BB', name: 'a.png' },
      'data:image/png;base64,BB',
    ],
  ])('%s', (_way, file, url) => {
    expect(partOf(file)).toMatchObject({ type: 'file', url, filename: 'a.png' });
  });

  test('of a shape that is not known it is kept as data', () => {
    expect(partOf({ mime: 'text/plain', blob: 7 })).toMatchObject({
      type: 'data-file',
      data: { mime: 'text/plain', blob: 7 },
    });
  });
});

describe('a call', () => {
  const tool = (state: object, more: object = {}) => ({
    type: 'tool',
    id: 'c1',
    name: 'shell',
    state,
    time: {},
    ...more,
  });
  const partOf = (state: object) => told(says('msg_1', [tool(state)])).messages.get('msg_1')?.parts[0];
  const input = { command: 'make' };

  test('that came to its end has what it gave: one text as a text, all else as it is', () => {
    const file = { type: 'file', uri: 'data:image/png;base64,AA', mime: 'image/png' };
    expect(partOf({ status: 'completed', input, content: [text('ok')] })).toMatchObject({ output: 'ok' });
    expect(partOf({ status: 'completed', input, content: [text('ok'), file] })).toMatchObject({
      output: [text('ok'), file],
    });
    expect(partOf({ status: 'completed', input, structured: { exit: 1 }, content: [text('ok')] })).toMatchObject({
      result: { exit: 1 },
    });
  });

  test('that failed has its error', () => {
    expect(partOf({ status: 'error', input, error: { type: 'tool.execution', message: 'No shell' } })).toMatchObject({
      state: 'output-error',
      errorText: 'No shell',
      result: { error: { type: 'tool.execution' } },
    });
  });

  test('that never came to its end keeps what it had taken and given by then', () => {
    expect(partOf({ status: 'running', input, metadata: { shellID: 'sh_1' } })).toMatchObject({
      input,
      result: { shellID: 'sh_1' },
      preliminary: true,
    });
    expect(partOf({ status: 'streaming', input: '{"command":"ma' })).toMatchObject({ raw: '{"command":"ma' });
  });

  test('grows from one reading to the next, and did what it did once', () => {
    const prompt = user('msg_1', 'Make it.');
    const begun = says('msg_2', [tool({ status: 'running', input })], { finish: undefined, time: time(1) });
    const done = says('msg_2', [tool({ status: 'completed', input, content: [text('ok')] }), text('Made.')]);
    const result = replay(linesOf(prompt, begun, done), [2], false, opencode);
    expect(did(result)).toEqual(['c1: run make → null']);
    expect(result.messages.get('msg_2')?.parts.map(({ type }) => type)).toEqual(['dynamic-tool', 'text']);
    expect(result.moves.filter((move) => move !== 'turn')).toEqual(['prompt Make it.', 'done Made.']);
  });
});

describe('the end of a turn', () => {
  const asked = user('msg_1', 'Paint it.');
  const idle = (outcome: string) => ({ id: 'msg_9', type: 'idle', outcome, time: time(9) });

  test('is the last step, unless that is a step for a tool', () => {
    expect(told(asked, says('msg_2', [text('Red.')])).moves).toContain('done Red.');
    expect(told(asked, says('msg_2', [text('I look.')], { finish: 'tool-calls' })).moves).not.toContain('done I look.');
    expect(told(asked, says('msg_2', [text('I l')], { time: time(1) })).moves).not.toContain('done I l');
  });

  test.each(['interrupted', 'failed'])('that was %s is an interrupt, even if no step has an error', (outcome) => {
    const begun = says('msg_2', [text('I look.')], { finish: 'tool-calls' });
    expect(told(asked, begun, idle(outcome)).moves).toContain('interrupt Paint it.');
    expect(told(asked, begun, idle('succeeded')).moves).not.toContain('interrupt Paint it.');
  });
});

describe('a compaction', () => {
  const compacts = (status: string | undefined, more: object) => ({
    id: 'msg_3',
    type: 'compaction',
    status,
    time: time(3),
    ...more,
  });
  const before = [user('msg_1', 'Paint it.'), says('msg_2', [text('Red.')])];

  test.each([['completed'], [undefined]])('that says %s of itself takes the place of what came before it', (status) => {
    const result = told(...before, compacts(status, { summary: 'All about doors.' }));
    expect(result.visible).toEqual(['msg_3']);
    expect(result.moves).toEqual(['prompt Paint it.', 'done Red.', 'turn']);
  });

  test.each([
    ['running', { summary: 'All ab' }],
    ['failed', { error: { type: 'unknown', message: 'No model' } }],
  ])('that is %s hides nothing and stops nothing', (status, more) => {
    const result = told(...before, compacts(status, more));
    expect(result.hidden).toEqual([]);
    expect(result.moves).toEqual(['prompt Paint it.', 'done Red.', 'turn']);
  });
});

test('tokens count once for each step, what was thought beside what was said, and those of a compaction too', () => {
  const tokens = { input: 10, output: 4, reasoning: 3, cache: { read: 2, write: 1 } };
  const steps = [says('msg_1', [], { tokens }), says('msg_2', [text('a')], { tokens })];
  const compaction = { id: 'msg_3', type: 'compaction', status: 'completed', summary: 's', tokens, time: time(3) };
  expect(told(...steps, compaction).usage).toEqual({
    input: 30,
    output: 21,
    reasoning: 9,
    cache_read: 6,
    cache_write: 3,
  });
});

test('messages that were copied out of another session have used nothing here', () => {
  const tokens = { input: 10, output: 4, reasoning: 0, cache: { read: 0, write: 0 } };
  const export_ = (own: object) =>
    unfoldText(
      opencode,
      JSON.stringify({
        info: { ...info, ...own },
        messages: [says('msg_4f1_7', [text('a')], { tokens }), says('msg_9ab', [text('b')], { tokens })],
      }),
    ) ?? [];
  const usage = (own: object): unknown => replay(export_(own), [], false, opencode).usage['input'];
  expect([usage({ fork: { sessionID: 'ses_0' } }), usage({ fork_session_id: 'ses_0' }), usage({})]).toEqual([
    10, 10, 20,
  ]);
});

describe('what this ctx does not know', () => {
  test('keeps a message of an unknown kind as it is, and reports it', () => {
    const message = { id: 'msg_2', type: 'of-tomorrow', words: 'Hello', time: time(1) };
    const result = told(user('msg_1', 'Paint it.'), message);
    expect(rawsOf(result)).toContainEqual(['of-tomorrow', message]);
    expect(result.problems).toEqual([
      { line: 3, message: expect.stringContaining('a message of the kind of-tomorrow, which this ctx does not know') },
    ]);
  });

  test.each(['agent-switched', 'model-switched', 'location-switched', 'idle'])(
    'the kind %s is known, and kept',
    (type) => {
      const message = { id: 'msg_2', type, model: { id: 'm-2', providerID: 'p' }, time: time(1) };
      const result = told(message);
      expect(rawsOf(result)).toContainEqual([type, message]);
      expect(result.problems).toEqual([]);
      expect(result.about['model']).toBe('m-2');
    },
  );

  test('a part of an answer is kept as data', () => {
    const { messages } = told(says('msg_1', [{ type: 'of-tomorrow', words: 'Hello' }]));
    expect(messages.get('msg_1')?.parts).toMatchObject([{ type: 'data-of-tomorrow', data: { words: 'Hello' } }]);
  });
});

test('a session of opencode 1 counts once after opencode 2 has migrated it, and continues in the new form', () => {
  const call = { status: 'completed', input: { command: 'make' }, output: 'ok', metadata: { exit: 0 } };
  const tokens = { input: 10, output: 4, reasoning: 0, cache: { read: 0, write: 0 } };
  const older = linesOf(
    { info: { id: 'msg_1', role: 'user', time: time(0) }, parts: [{ id: 'prt_1', type: 'text', text: 'Make it.' }] },
    {
      info: { id: 'msg_2', role: 'assistant', time: time(1, 2), finish: 'stop', tokens },
      parts: [
        { id: 'prt_2', type: 'tool', callID: 'c1', tool: 'bash', state: call },
        { id: 'prt_3', type: 'text', text: 'Made.' },
      ],
    },
  );
  const tool = { type: 'tool', id: 'c1', name: 'bash', state: { ...call, output: undefined, content: [text('ok')] } };
  const newer = linesOf(
    user('msg_1', 'Make it.'),
    says('msg_2', [tool, text('Made.')], { tokens }),
    user('msg_3', 'Now clean.', { time: time(10) }),
    says('msg_4', [text('Clean.')], { tokens, time: time(11, 12) }),
  );
  const before = replay(older, [], false, opencode);
  const result = assemble([...before.events, ...replayRewritten(before, newer, opencode)]);
  expect(result.moves).toEqual(['prompt Make it.', 'done Made.', 'turn', 'prompt Now clean.', 'done Clean.', 'turn']);
  expect(did(result)).toEqual(['c1: run make → 0']);
  expect(result.usage).toMatchObject({ input: 20, output: 8 });
  expect(result.visible).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
  expect(result.messages.get('msg_2')?.parts).toHaveLength(2);
  // A repeated text is kept, should it say more.
  expect(JSON.stringify(rawsOf(result))).toContain('"text":"Made."');
});

test('keeps any content of a message without an error, and reads it the same cut anywhere', () => {
  const kinds = ['user', 'assistant', 'synthetic', 'system', 'skill', 'shell', 'compaction', 'idle', 'model-switched'];
  const state = fc.record(
    { status: fc.constantFrom('completed', 'error', 'running', 'streaming', 'x'), input: fc.jsonValue() },
    { noNullPrototype: true },
  );
  const part = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constantFrom('text', 'reasoning', 'x'), text: fc.oneof(fc.string(), fc.jsonValue()) }),
    fc.tuple(state, fc.jsonValue(), fc.jsonValue()).map(([told, content, metadata]) => ({
      type: 'tool',
      id: 'c',
      name: 'shell',
      state: { ...told, content, metadata },
    })),
  );
  const field = fc.oneof(fc.jsonValue(), fc.array(part));
  const names = [
    'text',
    'files',
    'agents',
    'skills',
    'content',
    'model',
    'tokens',
    'error',
    'summary',
    'status',
    'output',
  ];
  const message = fc.tuple(
    fc.constantFrom(...kinds),
    fc.dictionary(fc.constantFrom(...names), field, { noNullPrototype: true }),
    fc.constantFrom('a', 'b', 'c', 'd'),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.nat(7), (told_, cut) => {
      const messages = told_.map(([type, fields, id], index) => ({
        ...fields,
        type,
        id: `msg_${id}`,
        time: time(index),
      }));
      const lines = linesOf(...messages);
      const whole = replay(lines, [], true, opencode);
      expect(whole.problems).toEqual([]);
      const parted = replay(lines, [cut % lines.length], true, opencode);
      expect(parted.usage).toEqual(whole.usage);
      expect([...parted.messages.keys()]).toEqual([...whole.messages.keys()]);
    }),
  );
});
