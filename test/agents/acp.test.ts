// Recordings of the Agent Client Protocol of our own writing: what they tell.
import { describe, expect, test } from 'vitest';
import { acp } from '../../src/agents/acp/index.ts';
import { recogniseAgent } from '../../src/agents/index.ts';
import { did, read, seen } from './support/conformance.ts';
import { type Replay, replay } from './support/replay.ts';

function partOf(result: Replay, call: string): object | undefined {
  return [...result.messages.values()].flatMap(({ parts }) => parts).find((part) => part['toolCallId'] === call);
}

test('a prompt with permissions: pieces are one message, a permission is a question', () => {
  const result = read(acp, 'logging.jsonl');
  expect(result.about).toEqual({
    agent_session_id: 's-1',
    agent_version: '0.4.2',
    cwd: '/home/dev/acme-http',
    model: 'fox-small',
    title: 'Logging',
  });
  expect(result.moves).toEqual([
    'prompt Log every request.',
    'ask Write log.ts',
    'prompt Allow',
    'ask Delete client.ts',
    'prompt Leave it',
    'ask Requests are logged. Shall I log the answers too?',
    'turn',
    'prompt Yes.',
    'interrupt Yes.',
    'turn',
  ]);
  expect(seen(result).filter((line) => !line.endsWith(': '))).toEqual([
    'user: Log every request.',
    "assistant: Look first. | I'll look at at it.",
    'assistant: Requests are logged. Shall I log the answers too?',
    'user: Yes.',
    'assistant: On it.',
  ]);
  expect(result.usage).toEqual({ input: 120, output: 40, reasoning: 4, cache_read: 900 });
  expect(result.apiMessages).toBe(1);
});

describe('what a recorder took down in one go', () => {
  const update = (text: string): object => ({
    ...{ jsonrpc: '2.0', method: 'session/update' },
    params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });
  const texts = [
    { id: 1, method: 'session/new', params: { cwd: '/home/dev/acme' } },
    { id: 1, result: { sessionId: 's' } },
    { id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Tell.' }] } },
    update('One '),
    update('two.'),
    { id: 2, result: { stopReason: 'end_turn' } },
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const wrapped = (raw: string, index: number): string =>
    JSON.stringify({
      dir: [0, 2].includes(index) ? 'client->agent' : 'agent->client',
      ts: `2026-11-20T10:00:0${index}Z`,
      raw,
    });
  const lines = texts.map(wrapped);
  const [first, second, end] = texts.slice(3) as [string, string, string];

  test.each(['', '\n', ' \r\n'])('messages that are glued by %j are all read, and the line is named', (glue) => {
    const glued = wrapped([first, second, end].join(glue) + glue, 3);
    for (const starts of [[], [3]]) {
      const result = replay([...lines.slice(0, 3), glued], starts, false, acp);
      expect(result.moves.filter((move) => move !== 'turn')).toEqual(['prompt Tell.', 'done One two.']);
      expect(result.problems).toEqual([{ line: 4, message: 'its raw holds 3 JSON objects; all were read' }]);
      expect(result.events).toContainEqual(expect.objectContaining({ type: 'problem', all_read: true }));
    }
  });

  test('names a message that is cut off, keeps its text, and reads the messages before it', () => {
    const cut = second.slice(0, 60);
    const result = replay(
      [...lines.slice(0, 3), wrapped(first + cut, 3), wrapped(cut, 4), lines[5] as string],
      [],
      false,
      acp,
    );
    expect(result.moves).toEqual(['prompt Tell.', 'done One', 'turn']);
    expect(result.problems.map(({ line, message }) => [line, message])).toEqual([
      [
        4,
        `its raw is not JSON from character ${first.length + 1} on; 1 whole object on it, and the rest as text, are kept`,
      ],
      [5, 'its raw is not JSON from character 1 on; its text is kept'],
    ]);
    const kept = result.bodies.flatMap((body) => (typeof body['text'] === 'string' ? [JSON.parse(body['text'])] : []));
    expect(kept).toMatchObject([{ ts: '2026-11-20T10:00:03Z', raw: cut }, { raw: cut }]);
  });

  test('other words of the agent are kept as they are, and no damage', () => {
    const words = ['starting up', '{ debug: true }', `sent ${first}`].map((raw) => wrapped(`${raw}\n`, 3));
    const result = replay([...lines.slice(0, 3), ...words, ...lines.slice(3)], [], false, acp);
    expect(result.problems).toEqual([]);
    expect(result.moves).toEqual(['prompt Tell.', 'done One two.', 'turn']);
  });
});

describe('an answer that is read in parts', () => {
  const LONG = 'word '.repeat(600);
  const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
  const said = (sessionUpdate: string, text: string, sessionId = 's'): string => {
    const update = { sessionUpdate, content: { type: 'text', text } };
    return line({ method: 'session/update', params: { sessionId, update } });
  };
  const told = (...pieces: string[]): string[] => [
    line({ id: 1, method: 'session/new', params: { cwd: '/home/dev/acme' } }),
    line({ id: 1, result: { sessionId: 's' } }),
    line({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Tell.' }] } }),
    ...pieces,
    line({ id: 2, result: { stopReason: 'end_turn' } }),
  ];
  const movesOf = ({ events }: Replay): string[] =>
    events.flatMap((event) => {
      if (event.type === 'prompt') return [`prompt ${event.text}`];
      return event.type === 'move' ? [`${event.verb} ${event.text}`] : [];
    });
  const textOf = ({ messages }: Replay): string =>
    [...messages.values()].flatMap(({ parts }) => parts.map(({ text }) => text)).join('');

  test.each([
    ['short', ['two ', 'answers ', 'here']],
    ['longer than a cursor holds', [LONG, 'and ', `${LONG}end`]],
  ])('%s: it ends in the same words', (_name, words) => {
    const thoughts = [said('agent_thought_chunk', 'Let me '), said('agent_thought_chunk', 'see.')];
    const lines = told(...thoughts, ...words.map((word) => said('agent_message_chunk', word)));
    const whole = replay(lines, [], false, acp);
    const moved = ['prompt Tell.', `done ${words.join('')}`];
    expect(movesOf(whole)).toEqual(moved);
    for (let start = 1; start < lines.length; start += 1) {
      const parts = replay(lines, [start], false, acp);
      expect(movesOf(parts)).toEqual(moved);
      expect(textOf(parts)).toBe(textOf(whole));
    }
    expect(movesOf(replay(lines, [4, 5, 6, 7], false, acp))).toEqual(moved);
  });

  test('what somebody else says meanwhile is none of it', () => {
    const own = ['one ', 'answer'].map((word) => said('agent_message_chunk', word));
    const lines = told(own[0] ?? '', said('agent_message_chunk', 'stranger', 'child'), own[1] ?? '');
    const result = replay(lines, [], false, acp);
    expect(result.moves).toEqual(['prompt Tell.', 'done one answer', 'turn']);
    const texts = [...result.messages.values()].map(({ parts }) => parts.map(({ text }) => text).join(''));
    expect(texts).toEqual(['Tell.', 'one answer', 'stranger']);
  });
});

test('records each file and command once, from requests for files, from terminals and from calls', () => {
  const result = read(acp, 'logging.jsonl');
  expect(did(result)).toEqual([
    'plan - [x] Look - [ ] Log',
    'read /home/dev/acme-http/src/client.ts, 22 characters',
    'c2: write /home/dev/acme-http/src/log.ts, 22 characters',
    'c3: run npm test → 1',
    'write /home/dev/acme-http/notes.md, 8 characters',
    'c7: write /home/dev/acme-http/src/client.ts',
    'c8: delete /home/dev/acme-http/old.ts',
    'c5: run make all → 2',
    'run sleep 9 → null',
  ]);
  expect(result.derived[3]?.['output']).toBe('1 failed\n');
  expect(partOf(result, 'c4')).toMatchObject({ state: 'output-error', errorText: 'The user refused: Leave it' });
  expect(partOf(result, 'c6')).toMatchObject({ errorText: 'no result recorded' });
});

test('a session that is loaded, bare messages, another session beside it, damage', () => {
  const result = read(acp, 'loaded.jsonl');
  expect(result.about).toEqual({ agent_session_id: 's-2', cwd: '/home/dev/acme-http' });
  expect(result.moves).toEqual([
    'prompt Name the colours.',
    'done Green.',
    'turn',
    'prompt [image]',
    'ask The agent asks for a permission.',
    'prompt Declined to answer',
    'interrupt [image]',
    'turn',
  ]);
  expect(seen(result)).toEqual([
    'user: Name the colours.',
    'assistant: Red.',
    'assistant: Green.',
    'user: ',
    'user: ',
    'user: ',
  ]);
  const others = [...result.messages.values()].filter(({ metadata }) => metadata['is_sidechain']);
  expect(others.map(({ metadata }) => metadata['agent_id'])).toEqual(['s-3']);
  expect(partOf(result, 'nobody')).toMatchObject({ is_orphan: true, errorText: 'who asked?' });
  expect(result.problems.map(({ line }) => line)).toEqual([15, 16]);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as { type?: string }[];
  expect(raws.map(({ type }) => type).slice(-4)).toEqual(['error', 'x/unknown', 'unknown', 'result']);
});

test('recognises the agent of a recording by its content alone', () => {
  const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 0, method, params });
  expect(recogniseAgent(rpc('initialize', { protocolVersion: 1 }))).toBe(acp);
  // Others speak JSON-RPC too.
  expect(recogniseAgent(rpc('initialize', { protocolVersion: '2025-06-18' }))).toBeUndefined();
  expect(recogniseAgent(rpc('tools/list', {}))).toBeUndefined();
});

test('both sides count their requests from 0 on, and the first session is the one that a recording is of', () => {
  const line = (from: string, message: object) => JSON.stringify({ dir: from, raw: { jsonrpc: '2.0', ...message } });
  const prompt = { sessionId: 's-1', prompt: [{ type: 'text', text: 'Hello.' }] };
  const begun = ['s-1', 's-2'].flatMap((sessionId, id) => [
    line('client', { id, method: 'session/new', params: { cwd: '/home/dev' } }),
    line('agent', { id, result: { sessionId } }),
  ]);
  const lines = [
    ...begun,
    line('client', { id: 2, method: 'session/prompt', params: prompt }),
    line('agent', {
      id: 2,
      method: 'session/request_permission',
      params: { toolCall: { toolCallId: 'c' }, options: [] },
    }),
    line('agent', { id: 2, result: { stopReason: 'cancelled' } }),
  ];
  const result = replay(lines, [], false, acp);
  expect(result.about).toEqual({ agent_session_id: 's-1', cwd: '/home/dev' });
  expect(result.moves.slice(-2)).toEqual(['interrupt Hello.', 'turn']);
  expect((result.cursor as { memory: { pending: { method: string }[] } }).memory.pending).toMatchObject([
    { method: 'session/request_permission' },
  ]);
});

test('a prompt is answered however many requests wait beside it', () => {
  const line = (from: string, message: object) => JSON.stringify({ dir: from, raw: { jsonrpc: '2.0', ...message } });
  const prompt = { sessionId: 's', prompt: [{ type: 'text', text: 'Read all.' }] };
  const reads = Array.from({ length: 100 }, (_, id) =>
    line('agent', { id, method: 'fs/read_text_file', params: { sessionId: 's', path: `/p/${id}.ts` } }),
  );
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'All read.' } };
  const result = replay(
    [
      line('client', { id: 7, method: 'session/prompt', params: prompt }),
      ...reads,
      line('agent', { method: 'session/update', params: { sessionId: 's', update } }),
      line('agent', { id: 7, result: { stopReason: 'end_turn' } }),
    ],
    [],
    false,
    acp,
  );
  expect(result.moves).toEqual(['prompt Read all.', 'done All read.', 'turn']);
});

test('records how a prompt ended even if its last words are in an earlier part of the file', () => {
  const prompt = { sessionId: 's', prompt: [{ type: 'text', text: 'Hello.' }] };
  const content = { type: 'text', text: 'Shall I go on?' };
  const update = { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content } };
  const sent = [
    { id: 0, method: 'session/prompt', params: prompt },
    { method: 'session/update', params: update },
    { id: 0, result: { stopReason: 'end_turn' } },
  ];
  const lines = sent.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  expect(replay(lines, [], false, acp).moves).toEqual(['prompt Hello.', 'ask Shall I go on?', 'turn']);
  expect(replay(lines, [2], false, acp).moves).toEqual(['prompt Hello.', 'turn', 'ask Shall I go on?', 'turn']);
});

/** Returns the messages of client and agent as the lines of a recording. */
const recorded = (sent: readonly (readonly [from: string, message: object])[]): string[] =>
  sent.map(([dir, message]) => JSON.stringify({ dir, raw: { jsonrpc: '2.0', ...message } }));
const update = (sessionId: string, sessionUpdate: string, text: string) =>
  [
    'agent',
    { method: 'session/update', params: { sessionId, update: { sessionUpdate, content: { type: 'text', text } } } },
  ] as const;
const asked = (sessionId: string, id: number, text: string) =>
  ['client', { id, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text }] } }] as const;
const turn = (sessionId: string, id: number, text: string, answer: string) => [
  asked(sessionId, id, text),
  update(sessionId, 'agent_message_chunk', answer),
  ['agent', { id, result: { stopReason: 'end_turn' } }] as const,
];

test('does not repeat the history of a session that is loaded twice in one recording', () => {
  const load = { sessionId: 's-1', cwd: '/home/dev' };
  const result = replay(
    recorded([
      ['client', { id: 0, method: 'session/new', params: { cwd: '/home/dev' } }],
      ['agent', { id: 0, result: { sessionId: 's-1' } }],
      ...turn('s-1', 1, 'Name a colour.', 'Red.'),
      ['client', { id: 0, method: 'session/load', params: load }],
      update('s-1', 'user_message_chunk', 'Name a colour.'),
      update('s-1', 'agent_message_chunk', 'Red.'),
      ['agent', { id: 0, result: null }],
      ...turn('s-1', 1, 'Another one.', 'Blue.'),
    ]),
    [],
    false,
    acp,
  );
  expect(result.moves).toEqual([
    'prompt Name a colour.',
    'done Red.',
    'turn',
    'prompt Another one.',
    'done Blue.',
    'turn',
  ]);
  expect(seen(result)).toEqual(['user: Name a colour.', 'assistant: Red.', 'user: Another one.', 'assistant: Blue.']);
});

test('what happens in another session of the connection moves nothing', () => {
  const ask = {
    sessionId: 's-2',
    toolCall: { toolCallId: 'c', title: 'Delete it' },
    options: [{ optionId: 'y', name: 'Yes' }],
  };
  const info = { sessionId: 's-2', update: { sessionUpdate: 'session_info_update', title: 'Other' } };
  const result = replay(
    recorded([
      ['client', { id: 0, method: 'session/new', params: { cwd: '/home/dev' } }],
      ['agent', { id: 0, result: { sessionId: 's-1' } }],
      asked('s-1', 1, 'Name a colour.'),
      ['client', { id: 2, method: 'session/new', params: { cwd: '/home/other' } }],
      ['agent', { id: 2, result: { sessionId: 's-2' } }],
      asked('s-2', 3, 'Tidy up.'),
      ['agent', { id: 7, method: 'session/request_permission', params: ask }],
      ['client', { id: 7, result: { outcome: { outcome: 'selected', optionId: 'y' } } }],
      ['agent', { method: 'session/update', params: info }],
      ['client', { method: 'session/cancel', params: { sessionId: 's-2' } }],
      update('s-1', 'agent_message_chunk', 'Red.'),
      ['agent', { id: 1, result: { stopReason: 'end_turn' } }],
    ]),
    [],
    false,
    acp,
  );
  expect(result.about).toEqual({ agent_session_id: 's-1', cwd: '/home/dev' });
  expect(result.moves).toEqual(['prompt Name a colour.', 'done Red.', 'turn']);
  expect(seen(result)).toEqual(['user: Name a colour.', 'assistant: Red.']);
});

describe('the model', () => {
  const made = (told: object, sessionId = 's-1', id = 0) =>
    [
      ['client', { id, method: 'session/new', params: { cwd: '/home/dev' } }],
      ['agent', { id, result: { sessionId, ...told } }],
    ] as const;
  const small = { models: { currentModelId: 'fox-small', availableModels: [] } };
  const option = (currentValue: string) => ({ configOptions: [{ id: 'm', category: 'model', currentValue }] });
  const set = (method: string, params: object, answer: object) =>
    [
      ['client', { id: 1, method, params: { sessionId: 's-1', ...params } }],
      ['agent', { id: 1, ...answer }],
    ] as const;
  const load = { cwd: '/home/dev', mcpServers: [] };
  const update = { sessionId: 's-1', update: { sessionUpdate: 'config_option_update', ...option('fox-large') } };
  const modelId = 'fox-large';

  test.each<[string, readonly (readonly [string, object])[], string | undefined]>([
    ['of a new session', made(small), 'fox-small'],
    ['among its options', made(option('fox-large')), 'fox-large'],
    ['not told', made({}), undefined],
    ['of a session that is loaded', set('session/load', load, { result: small }), 'fox-small'],
    ['of one that is resumed', set('session/resume', load, { result: small }), 'fox-small'],
    ['set', [...made(small), ...set('session/set_model', { modelId }, { result: {} })], 'fox-large'],
    ['refused', [...made(small), ...set('session/set_model', { modelId }, { error: { code: 1 } })], 'fox-small'],
    [
      'set as an option',
      [...made(small), ...set('session/set_config_option', {}, { result: option('fox-large') })],
      'fox-large',
    ],
    ['changed by the agent', [...made(small), ['agent', { method: 'session/update', params: update }]], 'fox-large'],
    ['of another session', [...made({}), ...made(small, 's-2', 7)], undefined],
    [
      'set in another',
      [...made(small), ...set('session/set_model', { sessionId: 's-2', modelId }, { result: {} })],
      'fox-small',
    ],
  ])('%s', (_what, sent, expected) => {
    const lines = recorded(sent);
    for (const starts of [[], lines.map((_, index) => index).slice(1)])
      expect(replay(lines, starts, false, acp).about['model']).toBe(expected);
  });
});

test('what ran in a terminal is of the call that shows it, whenever that says so', () => {
  const tool = (sessionUpdate: string, told: object) =>
    [
      'agent',
      { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate, toolCallId: 'c', ...told } } },
    ] as const;
  const content = [{ type: 'terminal', terminalId: 't' }];
  const opens = [
    ['agent', { id: 9, method: 'terminal/create', params: { sessionId: 's', command: 'make' } }],
    ['client', { id: 9, result: { terminalId: 't' } }],
  ] as const;
  const releases = [
    'agent',
    { id: 10, method: 'terminal/release', params: { sessionId: 's', terminalId: 't' } },
  ] as const;
  const called = tool('tool_call', { kind: 'execute', status: 'pending' });
  const over = tool('tool_call_update', { status: 'completed', content });
  const begun = tool('tool_call_update', { status: 'in_progress', content });
  const ran = (...sent: (readonly [string, object])[]) =>
    did(replay(recorded([asked('s', 1, 'Build it.'), ...sent, ['agent', { id: 1, result: {} }]]), [], false, acp));
  expect(ran(called, ...opens, begun, releases, over)).toEqual(['c: run make → null']);
  expect(ran(called, ...opens, over)).toEqual(['c: run make → null']);
  expect(ran(...opens, tool('tool_call', { kind: 'execute', content }), releases)).toEqual(['c: run make → null']);
  expect(ran(called, ...opens, releases)).toEqual(['run make → null']);
  expect(ran(called, ...opens, tool('tool_call_update', { content: [{ ...content[0], terminalId: 'u' }] }))).toEqual([
    'run make → null',
  ]);
});

test('keeps further fields of a message with its line, also of a chunk that continues another', () => {
  const update = (fields: object): object => ({
    method: 'session/update',
    params: { sessionId: 's', _meta: { of: 'the message' }, update: fields },
  });
  const piece = (sessionUpdate: string, text: string): object =>
    update({ sessionUpdate, content: { type: 'text', text, _meta: { of: text } } });
  const lines = [
    { id: 1, method: 'session/new', params: { cwd: '/home/dev/acme' } },
    { id: 1, result: { sessionId: 's' } },
    {
      ...{ id: 2, method: 'session/prompt' },
      params: { sessionId: 's', messageId: 'm', _meta: { of: 'the prompt' }, prompt: [{ type: 'text', text: 'Go.' }] },
    },
    piece('agent_message_chunk', 'I '),
    piece('agent_message_chunk', 'do.'),
    update({ sessionUpdate: 'tool_call', toolCallId: 't', kind: 'fetch' }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed', rawOutput: 'ok' }),
    { id: 2, result: { stopReason: 'end_turn' } },
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const messages = [...replay(lines, [], false, acp).messages.values()];
  const items = messages.flatMap(({ metadata }) => metadata['lines'] as { item: object }[]).map(({ item }) => item);
  const params = { _meta: { of: 'the message' } };
  expect(items).toEqual([
    { params: { messageId: 'm', _meta: { of: 'the prompt' } } },
    ...['I ', 'do.'].map((of) => ({ content: { _meta: { of } }, params })),
    { params },
    { params },
  ]);
  expect(messages[1]?.parts[0]).toEqual({ type: 'text', text: 'I do.' });
});

test('keeps further fields of the answer to a permission with the refused call', () => {
  const params = {
    sessionId: 's',
    toolCall: { toolCallId: 't' },
    options: [{ optionId: 'n', name: 'No', kind: 'reject_once' }],
  };
  const outcome = { outcome: 'selected', optionId: 'n' };
  const lines = [
    [
      'client',
      { id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Go.' }] } },
    ],
    [
      'agent',
      { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 't' } } },
    ],
    ['agent', { id: 1, method: 'session/request_permission', params }],
    ['client', { id: 1, result: { outcome, _meta: { why: 'Not now.' } } }],
  ].map(([dir, message]) => JSON.stringify({ dir, message: { jsonrpc: '2.0', ...(message as object) } }));
  const kept = JSON.stringify([...replay(lines, [], false, acp).messages.values()]);
  expect(kept).toContain('Not now.');
});
