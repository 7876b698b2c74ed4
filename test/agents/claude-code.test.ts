// Claude Code transcripts of our own writing, read as a whole: what they tell, and what must be true of each of them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { opinionOf } from './support/independent.ts';
import { linesOf, type Replay, replay } from './support/replay.ts';

const folder = new URL('../../fixtures/claude-code/', import.meta.url);
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));

function fixture(name: string): string[] {
  return linesOf(readFileSync(new URL(`${name}.jsonl`, folder), 'utf8'));
}

/** Lists the reads, writes and runs of a transcript, one line each. */
function did(read: Replay): string[] {
  return read.derived.map(({ kind, path, content, command, exit_code }) => {
    if (kind === 'command') return `run ${command} → ${exit_code}`;
    if (kind === 'plan') return `plan ${String(content).split('\n')[0]}`;
    return `${kind} ${path}${content === undefined ? '' : `, ${String(content).length} characters`}`;
  });
}

describe('every fixture', () => {
  test.each(names)('%s: tokens are counted once, and the live branch is visible', (name) => {
    const lines = fixture(name.replace(/\.jsonl$/, ''));
    const read = replay(lines);
    const opinion = opinionOf(lines, name.startsWith('agent-'));
    expect(read.apiMessages).toBe(opinion.apiMessages);
    expect(read.usage).toEqual(opinion.usage);
    if (name !== 'damaged.jsonl') expect(new Set(read.visible)).toEqual(opinion.live);
  });
});

test('keeps the prompt of a sub-agent once if neither its call nor its message has it', () => {
  const progress = (uuid: string, prompt: JsonValue, content: string, parentToolUseID = 'elsewhere'): string =>
    JSON.stringify({
      ...{ type: 'progress', uuid, parentUuid: null, sessionId: 's', parentToolUseID },
      data: {
        ...{ type: 'agent_progress', agentId: 'a', prompt },
        message: { type: 'user', uuid: `${uuid}-message`, message: { role: 'user', content } },
      },
    });
  const input = { prompt: 'Look. '.repeat(500) };
  const call = { type: 'tool_use', id: 'task', name: 'Task', input };
  const lines = [
    JSON.stringify({ type: 'user', uuid: '1', sessionId: 's', message: { role: 'user', content: 'Fix it' } }),
    JSON.stringify({ type: 'assistant', uuid: '2', parentUuid: '1', message: { id: 'm', content: [call] } }),
    progress('in-call', input.prompt, 'Begin.', 'task'),
    progress('in-message', 'Begin.', 'Begin.'),
    progress('alone', 'Find it.', 'Begin.'),
    progress('again', 'Find it.', 'Go on.'),
    progress('changed', ['Find it.'], 'Go on.'),
  ];
  const told = [undefined, undefined, 'Find it.', undefined, ['Find it.']];
  // Read in two parts, the input of the call is too large for the cursor between them.
  for (const read of [replay(lines), replay(lines, [2]), replay(lines, [5])]) {
    const beside = [...read.messages.values()].flatMap(({ metadata }) => {
      const [line] = metadata['lines'] as JsonObject[];
      return line?.['progress'] === undefined ? [] : [line['progress'] as JsonObject];
    });
    expect(beside.map(({ data }) => (data as JsonObject)['prompt'])).toEqual(told);
  }
});

test('keeps the fields next to the content of a message', () => {
  const lineOf = (uuid: string, parentUuid: string | null, message: JsonObject, more: JsonObject = {}): string =>
    JSON.stringify({ type: message['role'] ?? null, uuid, parentUuid, sessionId: 's', message, ...more });
  const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Grep', input: { pattern: 'x' } });
  const gave = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: id });
  const told = { mode: 'content', content: 'a.ts:1:x\n.env:1:x=of-the-file' };
  const replayed = replay([
    lineOf('1', null, { role: 'user', content: 'Fix it' }),
    lineOf('2', '1', {
      ...{ id: 'm', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: null },
      ...{ content: [call('a'), call('b')], container: { id: 'c' } },
    }),
    lineOf(
      '3',
      '2',
      { role: 'user', content: [{ ...gave('a'), cache_control: 'c' }, gave('b')] },
      { toolUseResult: told },
    ),
    lineOf('4', '3', {
      id: 'n',
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
      container: { id: 'c' },
    }),
  ]);
  const lines = (id: string): unknown => replayed.messages.get(id)?.metadata['lines'];
  expect(lines('m')).toEqual([
    { uuid: '2', parentUuid: '1', message: { container: { id: 'c' } } },
    {
      ...{ uuid: '3', parentUuid: '2', results: [{ tool_use_id: 'a', cache_control: 'c' }] },
      toolUseResult: { mode: 'content', content: expect.stringMatching(/^a\.ts:1:x\n\.env:1:\[withheld: 13 bytes/) },
    },
  ]);
  expect(lines('n')).toEqual([{ uuid: '4', parentUuid: '3' }]);
});

test('an account that does not say which of several results it is about goes where one of them is of a secret file', () => {
  const lineOf = (uuid: string, parentUuid: string | null, message: JsonObject, more: JsonObject = {}): string =>
    JSON.stringify({ type: message['role'] ?? null, uuid, parentUuid, sessionId: 's', message, ...more });
  const read = (id: string, file_path: string): JsonObject => ({
    type: 'tool_use',
    id,
    name: 'Read',
    input: { file_path },
  });
  const gave = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
  const toldOf = (path: string): boolean => {
    const lines = [
      lineOf('1', null, { role: 'user', content: 'Fix it' }),
      lineOf('2', '1', { id: 'm', role: 'assistant', content: [read('a', path), read('b', '/x/b.ts')] }),
      lineOf('3', '2', { role: 'user', content: [gave('a'), gave('b')] }, { toolUseResult: ['of-one'] }),
    ];
    return JSON.stringify(replay(lines).bodies).includes('of-one');
  };
  expect([toldOf('/x/a.ts'), toldOf('/x/.env')]).toEqual([true, false]);
});

test('what a copied message has used counts in the session that it was copied from', () => {
  const spoken = (uuid: string, id: string, output_tokens: number, more: JsonObject = {}): string => {
    const message = { id, role: 'assistant', content: [{ type: 'text', text: id }], usage: { output_tokens } };
    return JSON.stringify({ type: 'assistant', uuid, parentUuid: null, sessionId: 's', message, ...more });
  };
  const copied = (sessionId: string): JsonObject => ({ forkedFrom: { sessionId, messageUuid: 'x' } });
  const lines = [spoken('1', 'a', 1, copied('before')), spoken('2', 'b', 20, copied('s')), spoken('3', 'c', 300)];
  const read = replay(lines);
  expect([...read.messages.keys()]).toEqual(['a', 'b', 'c']);
  expect(read.usage).toEqual({ output: 320 });
});

test('retries with backoff: four turns, and a question at the end', () => {
  const read = replay(fixture('retry-backoff'));
  expect(read.about).toMatchObject({
    cwd: '/home/dev/acme-http',
    agent_version: '2.1.14',
    git_branch: 'main',
    model: 'claude-sonnet-4-5-20250929',
  });
  // The summary at the head of the file belongs to another session.
  expect(read.about).not.toHaveProperty('title');
  expect(read.moves).toEqual([
    'prompt Requests to the billing API fail with 503 now and then. Add',
    'done The http client now tries a request again, up to four times,',
    'turn',
    'prompt Two things: never retry a POST, and honour Retry-After when',
    'done Both are in: a POST is sent once, and a `Retry-After` in sec',
    'turn',
    'prompt no, a date must work too',
    'done `Retry-After` may now be a number of seconds or a date; one',
    'turn',
    "prompt If the billing API goes down, won't all our workers come bac",
    'ask Which jitter strategy do you want?',
    'turn',
  ]);
  expect(did(read).slice(0, 9)).toEqual([
    'read /home/dev/acme-http/package.json, 244 characters',
    'read /home/dev/acme-http/src/client.ts, 519 characters',
    'write /home/dev/acme-http/src/retry.ts, 1147 characters',
    'write /home/dev/acme-http/src/client.ts, 564 characters',
    'write /home/dev/acme-http/src/client.ts, 604 characters',
    'write /home/dev/acme-http/test/retry.test.ts, 1019 characters',
    'run npm test → 1',
    'write /home/dev/acme-http/src/retry.ts, 1146 characters',
    'run npm test → 0',
  ]);
  const last = read.derived.findLast(({ path }) => path === '/home/dev/acme-http/src/client.ts');
  expect(last?.['content']).toContain("return options.method === 'POST' ? send() : withRetry(send);");
  expect(read.usage).toEqual({ input: 84, output: 3036, cache_read: 392980, cache_write: 12327 });
});

test('a message of several lines is one, with its results in its calls', () => {
  const message = [...replay(fixture('retry-backoff')).messages.values()][1];
  expect(message).toMatchObject({
    role: 'assistant',
    parts: [
      { type: 'reasoning', signature: expect.any(String) },
      { type: 'text', text: "I'll look at the client and at how the tests run." },
      { type: 'dynamic-tool', toolName: 'Read', state: 'output-available', result: { type: 'text' } },
      { type: 'dynamic-tool', toolName: 'Read', state: 'output-available' },
    ],
    metadata: { usage: { input: 4, output: expect.any(Number) }, created_at: 1768381937, stop_reason: 'tool_use' },
  });
  expect(message?.metadata['lines']).toHaveLength(6);
});

test('a rewind hides the branch that was left; a return shows it again', () => {
  const texts = (read: Replay): unknown[] => read.visible.map((id) => read.messages.get(id)?.parts[0]?.['text']);
  expect(texts(replay(fixture('rewind')))).toEqual([
    'Name the timeout option.',
    'I would call it `timeout_ms`.',
    'Keep timeout_ms, but give it a default of 10 s.',
    '`timeout_ms` has a default of 10,000 now.',
  ]);
  expect(texts(replay(fixture('rewind-and-back')))).toEqual([
    'Name the timeout option.',
    'I would call it `timeout_ms`.',
    'Use seconds instead.',
    undefined,
    '`timeout` is in seconds now.',
    'On second thought: seconds it is. Document it.',
    'The option is documented in the README.',
  ]);
});

test('a compaction hides what came before it, but what it keeps in view; a small one prunes outputs', () => {
  const read = replay(fixture('compaction'));
  const overlays = read.bodies.filter(({ kind }) => kind === 'overlay');
  expect(overlays).toMatchObject([
    { op: 'prune', ids: [expect.stringMatching(/^toolu_/)], reason: 'microcompaction' },
    { op: 'hide', range: { from: expect.any(String), to: expect.stringMatching(/^msg_/) }, reason: 'compaction' },
    { op: 'show', ids: [expect.stringMatching(/^msg_/)], reason: 'compaction' },
  ]);
  const first = read.messages.get(read.visible[0] ?? '');
  expect(first?.parts).toEqual([
    { type: 'text', text: '`tsc` runs without `incremental`; that costs 30 of the 41 seconds.' },
  ]);
  const summary = read.messages.get(read.visible[1] ?? '');
  expect(summary?.metadata).toMatchObject({ is_compact_summary: true, parent_id: read.visible[0] });
  expect(read.moves.filter((move) => move.startsWith('prompt'))).toHaveLength(2);
});

test('interrupts, refusals and errors of the API', () => {
  const read = replay(fixture('interrupts'));
  expect(read.moves).toEqual([
    'prompt Delete the old fixtures.',
    'interrupt Delete the old fixtures.',
    'turn',
    'prompt Only those of version 1.',
    'interrupt move them to attic/ instead',
    'prompt',
    'done The fixtures of version 1 are in `attic/` now.',
    'turn',
    'prompt Now write the changelog.',
    'interrupt Now write the changelog.',
    'turn',
    'prompt Later. Is CI green?',
    'interrupt Later. Is CI green?',
    'turn',
  ]);
  expect(did(read)).toEqual(['run git mv fixtures/v1 attic/v1 → 0']);
});

test('questions put by tools are asked, answered, and wait', () => {
  const read = replay(fixture('questions'));
  expect(read.moves).toEqual([
    'prompt Add tracing to the client.',
    'ask Which tracing library should the client use?',
    'prompt diagnostics_channel',
    'ask Shall I go on with this plan?',
    'prompt Plan approved',
    'done Every request is published on `acme-http:request` now. Does',
    'turn',
    'prompt Yes. What about errors?',
    'ask Should a failed request be published too?',
    'turn',
  ]);
  const asked = read.events.find((event) => event.type === 'move');
  expect(asked).toMatchObject({
    text: [
      'Which tracing library should the client use?',
      '- OpenTelemetry: The standard, a large dependency.',
      '- diagnostics_channel: Part of Node, no dependency.',
    ].join('\n'),
  });
});

test('a sub-agent is kept and marked, is not in view, and what it did counts', () => {
  const read = replay(fixture('sub-agent'));
  const own = [...read.messages.values()].filter(({ metadata }) => metadata['is_sidechain']);
  expect(own.map(({ id }) => id)).toEqual([expect.any(String), 'msg_sub1', 'msg_sub2', 'msg_sub3']);
  expect(own[1]?.metadata).toMatchObject({
    agent_id: 'a1b2c3d',
    parent_tool_call_id: expect.stringMatching(/^toolu_/),
  });
  expect(did(read)).toEqual(['run grep -rn "instanceof HttpError" src → 0', 'read /home/dev/acme-http/src/retry.ts']);
  const usage = read.bodies.find(({ kind }) => kind === 'usage');
  expect(usage).toMatchObject({ messages: 5, sidechain: { messages: 3, usage: { input: 9, output: 123 } } });
  expect(read.moves.at(-2)).toBe('done It is caught in one place only, `src/retry.ts` line 16.');
});

test("a sub-agent's own file is a session of its own", () => {
  const read = replay(fixture('agent-b2c3d4e'));
  expect(read.about['agent_session_id']).toMatch(/^[0-9a-f-]{36}\/agent-b2c3d4e$/);
  expect(read.visible).toHaveLength(3);
  expect(read.moves.at(-2)).toBe('done One place: src/retry.ts line 16.');
});

test('calls without results, results without calls, and a result that comes late', () => {
  const read = replay(fixture('missing-results'));
  const tools = [...read.messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
  expect(tools.map((part) => [part['toolName'], part['state'], part['errorText'], part['is_orphan']])).toEqual([
    ['Bash', 'output-available', undefined, undefined],
    ['Read', 'output-available', undefined, undefined],
    ['Bash', 'output-available', undefined, undefined],
    ['unknown', 'output-available', undefined, true],
    ['Bash', 'output-error', 'no result recorded', undefined],
  ]);
  expect(read.bodies.filter(({ kind }) => kind === 'part')).toMatchObject([{ seq: 1, part: { toolName: 'Bash' } }]);
  // A turn that was cut in the middle moves nothing.
  expect(read.moves.slice(0, 3)).toEqual(['prompt Run the long tests.', 'turn', 'prompt Are you still there?']);
  expect(read.moves.slice(-2)).toEqual(['prompt Good. Lint it.', 'turn']);
});

test('matches a result with its call on a later line', () => {
  const lines = fixture('retry-backoff');
  const index = lines.findIndex((line) => line.includes('"tool_result"')) - 1;
  const [call = '', result = ''] = lines.slice(index, index + 2);
  expect(call).toContain('"type":"tool_use"');
  const swapped = [...lines.slice(0, index), result, call, ...lines.slice(index + 2)];
  const toolsOf = ({ messages }: Replay) =>
    [...messages.values()].flatMap(({ parts }) => parts.filter((part) => part['type'] === 'dynamic-tool'));
  const expected = replay(lines);
  for (const starts of [[], [index], [index + 1], [index, index + 1, index + 2]]) {
    const read = replay(swapped, starts);
    expect(toolsOf(read)).toEqual(toolsOf(expected));
    expect(did(read)).toEqual(did(expected));
    expect(read.visible).toEqual(replay(swapped).visible);
  }
  expect(replay(swapped).moves).toEqual(expected.moves);
});

test('names the damaged lines of a file by number and keeps the rest', () => {
  const lines = fixture('damaged');
  const read = replay(lines);
  expect(read.problems).toEqual([
    { line: 7, message: 'holds 2 JSON objects; all were read' },
    { line: 8, message: 'is JSON, but not an object; its text is kept' },
    {
      line: 9,
      message: 'is not JSON from character 1 on; 1 whole object on it, and the rest as text, are kept',
    },
    { line: 10, message: expect.stringContaining('is not JSON from character 1 on; ') },
  ]);
  const unread = read.bodies.filter((body) => body.kind === 'raw' && 'text' in body);
  expect(unread).toMatchObject([
    { line: 8, text: '[1,2,3]' },
    { line: 9, text: '{"type":"user","message":{"role":"us' },
    { line: 10, text: lines[9] },
  ]);
  expect(read.moves).toEqual([
    'prompt Rename\u2028the helper.',
    'done Renamed.',
    'turn',
    'prompt And its test.',
    'done The test too.',
    'turn',
  ]);
  expect(read.visible).toHaveLength(5);
});

test('a file that grows gives only what is new, and nothing when it did not', () => {
  const whole = fixture('retry-backoff');
  const lengths = ['growth/1', 'growth/2', 'growth/3'].map((name) => fixture(name).length);
  expect(fixture('growth/2')).toEqual(whole.slice(0, lengths[1]));
  const grown = replay(whole, lengths);
  const read = replay(whole);
  expect(new Set(grown.visible)).toEqual(new Set(read.visible));
  expect(grown.derived).toEqual(read.derived);
  expect(grown.usage).toEqual(read.usage);
  expect(grown.looks).toBeLessThanOrEqual(1);
  expect(JSON.stringify(grown.cursor).length).toBeLessThan(16 * 1024);
});

test('a summary is the title once the line comes that it sums up, in a later part of the file, too', () => {
  const lines = fixture('queue');
  const told = (starts: number[]) => replay(lines, starts).about['title'];
  expect(told([])).toBe('Unit tests mended and unskipped');
  for (const start of lines.keys()) expect([start, told([start])]).toEqual([start, told([])]);
  expect(told([...lines.keys()])).toBe(told([]));
  expect(replay(lines.slice(0, -1)).about).not.toHaveProperty('title');
});

test('records before the first time take that time', () => {
  const read = replay(fixture('retry-backoff'));
  const times = read.events.flatMap((event) => ('at' in event ? [event.at] : []));
  expect(times[0]).toBe(1768381924);
  expect(Math.min(...times)).toBe(1768381924);
});
