// `ctx acp` in process: what is passed on, what is recorded of it, and what is loaded from the store.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AcpRecorder, recordedLine } from '../../src/app/acp/recorder.ts';
import { Relay, type RelayOptions } from '../../src/app/acp/relay.ts';
import { storedSession } from '../../src/app/acp/stored-session.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import * as ctx from '../../src/index.ts';
import { recordsOf } from '../agents/support/day.ts';
import { expectValid } from '../support/acp.ts';
import { fsck, makeProject, type Project, ROOT } from '../support/store.ts';

const SHARED = join(ROOT, '../shared/transcripts/acp');
const RECORDINGS = [
  join(ROOT, 'fixtures/acp/logging.jsonl'),
  ...(existsSync(SHARED) ? readdirSync(SHARED).map((name) => join(SHARED, name)) : []),
];
const linesIn = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

type From = 'client' | 'agent';
/** A line of a recording, as `recordedLine` makes it. */
const line = (from: From, message: object, second = 0): string =>
  recordedLine(
    from === 'client' ? 'client->agent' : 'agent->client',
    `2026-01-22T00:00:${String(second).padStart(2, '0')}.000Z`,
    JSON.stringify({ jsonrpc: '2.0', ...message }),
  );
const update = (fields: JsonObject, sessionId = 's-1'): string =>
  line('agent', { method: 'session/update', params: { sessionId, update: fields } });
const piece = (text: string, kind = 'agent_message_chunk', sessionId = 's-1'): string =>
  update({ sessionUpdate: kind, content: { type: 'text', text } }, sessionId);
const BEGIN = [
  line('client', { id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
  line('agent', { id: 0, result: { protocolVersion: 1, agentInfo: { name: 'fox', version: '1' } } }),
];
const NEW = [
  line('client', { id: 1, method: 'session/new', params: { cwd: '/home/dev/acme', mcpServers: [] } }),
  line('agent', { id: 1, result: { sessionId: 's-1' } }),
];
const turn = (id: number, words: string, ...between: string[]): string[] => [
  line('client', {
    id,
    method: 'session/prompt',
    params: { sessionId: 's-1', prompt: [{ type: 'text', text: words }] },
  }),
  ...between,
  line('agent', { id, result: { stopReason: 'end_turn' } }),
];

/** Records lines, which come one by one, or all at once. */
function record(project: Project, lines: readonly string[], isOneByOne = true): ReturnType<AcpRecorder['line']> {
  const recorder = new AcpRecorder(() => project.open());
  for (const one of lines) {
    recorder.line(one);
    if (isOneByOne) recorder.flush();
  }
  recorder.flush(true);
  expect(recorder.result.problems).toEqual([]);
  expect(fsck(project.store)).toBe('');
}

/** The conversation of a session, without ids and times. */
const said = ({ repository }: Project, view: 'model' | 'all' = 'all') =>
  [...ctx.readConversation(repository, 'STAGE', { view })].map(({ role, parts, hidden }) => [
    role,
    parts.map((part) => {
      const { type, text, toolCallId, state, output, data } = part as unknown as JsonObject;
      return JSON.stringify({ type, text, toolCallId, state, output, data });
    }),
    hidden?.by ?? null,
  ]);

describe.each(RECORDINGS)('the recording %s', (file) => {
  test('gives the same session line by line, at once, and as a file', () => {
    const lines = linesIn(file).filter((one) => 'raw' in (JSON.parse(one) as object));
    const [growing, whole, ingested] = [makeProject(), makeProject(), makeProject()];
    record(growing, lines);
    record(whole, lines, false);
    ctx.ingestTranscript(ingested.repository, file);
    expect(said(growing)).toEqual(said(whole));
    expect(said(whole)).toEqual(said(ingested));
    const counts = ({ repository }: Project) => {
      const { session_state, title } = ctx.activeSession(repository) ?? {};
      return { session_state, title };
    };
    expect(counts(growing)).toEqual(counts(ingested));
    expect(checkStore(growing.repository, { full: true }).healthy).toBe(true);
  });

  test('is made of messages that the schema of the SDK knows', () => {
    const messages = linesIn(file).flatMap((one) => {
      const { dir, raw } = JSON.parse(one) as { dir?: string; raw?: string };
      if (dir === undefined || raw === undefined) return [];
      return [{ from: dir.startsWith('client') ? ('client' as const) : ('agent' as const), message: JSON.parse(raw) }];
    });
    if (file.startsWith(SHARED)) expect(expectValid(messages)).toBeGreaterThan(10);
  });
});

describe('what a recorder keeps', () => {
  test('updates and methods that nobody knows, and the use of the window, as they are', () => {
    const project = makeProject();
    const unknown = update({ sessionUpdate: 'weather_update', sky: 'blue' });
    const usage = update({
      sessionUpdate: 'usage_update',
      used: 53_000,
      size: 200_000,
      cost: { amount: 0.4, currency: 'USD' },
    });
    const strange = line('agent', { method: '_vendor/ping', params: { sessionId: 's-1', n: 1 } });
    record(project, [...BEGIN, ...NEW, ...turn(2, 'Hello', unknown, usage, strange, piece('Hi.'))]);
    const raw = recordsOf(project.folder, 'STAGE').filter(({ kind }) => kind === 'raw');
    const types = raw.map((one) => (one as unknown as JsonObject)['type']);
    for (const type of ['session/update/weather_update', 'session/update/usage_update', '_vendor/ping'])
      expect(types).toContain(type);
    expect(JSON.stringify(raw)).toContain('53000');
  });

  test.each([
    ['line by line', true],
    ['at once', false],
  ])('what was used and paid, and how full the window is, once: %s', async (_how, grows) => {
    const project = makeProject();
    const usage = (used: number, amount: number, currency = 'USD'): string =>
      update({ sessionUpdate: 'usage_update', used, size: 200_000, cost: { amount, currency } });
    const answer = (id: number, tokens: JsonObject): string =>
      line('agent', { id, result: { stopReason: 'end_turn', usage: tokens } });
    const lines = [
      ...[...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'), usage(1200, 0.25)).slice(0, -1)],
      // Its input contains what was read from the cache, as the total says.
      answer(2, { inputTokens: 1000, outputTokens: 50, cachedReadTokens: 400, totalTokens: 1050 }),
      ...turn(3, 'Go on', usage(1500, 0.5), piece('Done.'), usage(7, 9, 'credits')).slice(0, -1),
      answer(3, { inputTokens: 100, outputTokens: 10, cachedReadTokens: 30, totalTokens: 140 }),
      usage(1700, 0.75),
    ];
    record(project, lines, grows);
    const sums = { input: 700, output: 60, reasoning: 0, cache_read: 430, cache_write: 0, total: 1190, cost_usd: 0.75 };
    expect(ctx.usageOf(project.open(), {}).total).toMatchObject({ turns: 2, calls: 2, ...sums });
    expect(await ctx.contextWindow(project.open())).toMatchObject({
      ...{ limit: 200_000, limit_source: 'agent', used: 1700, reported: 1700, estimated: false },
      session: sums,
    });
  });

  test('a compaction, whose summary takes everything before it out of the view of the model', () => {
    const project = makeProject();
    const compaction = (fields: JsonObject): string =>
      update({ sessionUpdate: 'compaction_update', compactionId: 'c-1', ...fields });
    const chunk = (text: string): string =>
      update({ sessionUpdate: 'compaction_summary_chunk', compactionId: 'c-1', content: { type: 'text', text } });
    record(project, [
      ...[...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'))],
      ...turn(
        3,
        'Go on',
        compaction({ status: 'in_progress' }),
        chunk('They '),
        chunk('met.'),
        compaction({ status: 'completed' }),
        piece('Done.'),
      ),
    ]);
    const view = said(project, 'model');
    expect(JSON.stringify(view)).toContain('They met.');
    expect(JSON.stringify(view)).not.toContain('Hi.');
    const all = said(project);
    expect(all.find(([, , hidden]) => hidden === 'compaction')).toBeDefined();
    expect(all.flatMap(([, parts]) => parts as string[]).map((part) => JSON.parse(part) as JsonObject)).toContainEqual({
      type: 'data-compaction',
      data: { compactionId: 'c-1', status: 'completed', summary: 'They met.', auto: true },
    });
  });

  test('no compaction that failed', () => {
    const project = makeProject();
    const failed = update({
      sessionUpdate: 'compaction_update',
      compactionId: 'c-1',
      status: 'failed',
      error: 'no room',
    });
    record(project, [...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'), failed)]);
    expect(said(project, 'model')).toHaveLength(2);
  });

  test('a secret that comes in two pieces is in no object', () => {
    const project = makeProject();
    const secret = ['gh', 'p_', 'Zk3vQ9xW2mN7bT5rY8cL1dF6gH4jS0aPuEoI'].join('');
    record(project, [
      ...BEGIN,
      ...NEW,
      ...turn(2, 'Hello', piece(`Use ${secret.slice(0, 20)}`), piece(`${secret.slice(20)} now.`)),
    ]);
    const texts = project
      .git('log', '--all', '-p')
      .concat(...recordsOf(project.folder, 'STAGE').map((one) => JSON.stringify(one)));
    expect(texts).not.toContain(secret.slice(8, 20));
    expect(texts).not.toContain(secret.slice(20, 36));
  });

  test('each of several sessions by itself', () => {
    const project = makeProject();
    record(project, [
      ...[...BEGIN, ...NEW, ...turn(2, 'First', piece('One.'))],
      line('client', { id: 3, method: 'session/new', params: { cwd: '/home/dev/acme', mcpServers: [] } }),
      line('agent', { id: 3, result: { sessionId: 's-2' } }),
      line('client', {
        id: 4,
        method: 'session/prompt',
        params: { sessionId: 's-2', prompt: [{ type: 'text', text: 'Second' }] },
      }),
      piece('Two.', 'agent_message_chunk', 's-2'),
      line('agent', { id: 4, result: { stopReason: 'end_turn' } }),
    ]);
    const sessions = ctx.listAllSessions(project.repository).sessions;
    expect(sessions.map(({ agent_session_id, title }) => [agent_session_id, title]).sort()).toEqual([
      ['s-1', 'First'],
      ['s-2', 'Second'],
    ]);
  });

  test('nothing of a session in which nobody has said a word', () => {
    const project = makeProject();
    record(project, [...BEGIN, ...NEW, update({ sessionUpdate: 'available_commands_update', availableCommands: [] })]);
    expect(ctx.listAllSessions(project.repository).sessions).toEqual([]);
  });
});

describe('a session that another connection continues', () => {
  const load = (method: string, ...repeated: string[]): string[] => [
    ...BEGIN,
    line('client', { id: 1, method, params: { sessionId: 's-1', cwd: '/home/dev/acme', mcpServers: [] } }),
    ...repeated,
    line('agent', { id: 1, result: {} }),
  ];

  test.each([
    ['session/load', [piece('Hello', 'user_message_chunk'), piece('Hi.')]],
    ['session/resume', []],
  ])('by %s is the same session, and what is repeated is recorded once', (method, repeated) => {
    const project = makeProject();
    record(project, [...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'))]);
    record(project, [...load(method, ...repeated), ...turn(2, 'And now?', piece('Now too.'))]);
    expect(ctx.listAllSessions(project.repository).sessions).toHaveLength(1);
    expect(said(project).map(([role, parts]) => `${role} ${parts}`)).toEqual([
      expect.stringContaining('"Hello"'),
      expect.stringContaining('"Hi."'),
      expect.stringContaining('"And now?"'),
      expect.stringContaining('"Now too."'),
    ]);
    expect(checkStore(project.repository, { full: true }).healthy).toBe(true);
  });
});

test('a session that is repeated after its loading was answered, as Gemini CLI does, is recorded once', () => {
  const project = makeProject();
  const call = { toolCallId: 'c-1', title: 'npm test', kind: 'execute' };
  const repeated = [
    piece('Hello', 'user_message_chunk'),
    update({ sessionUpdate: 'tool_call', ...call, status: 'completed', content: [] }),
    piece('Hi.'),
  ];
  record(project, [...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'))]);
  record(project, [
    ...BEGIN,
    line('client', {
      id: 1,
      method: 'session/load',
      params: { sessionId: 's-1', cwd: '/home/dev/acme', mcpServers: [] },
    }),
    line('agent', { id: 1, result: {} }),
    ...[...repeated, ...turn(2, 'And now?', piece('Now too.'))],
  ]);
  expect(said(project).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('a call that only a permission names is a call with its result', () => {
  const project = makeProject();
  const toolCall = { toolCallId: 'c-1', title: 'npm test', kind: 'execute', status: 'pending', content: [] };
  const asked = line('agent', {
    id: 0,
    method: 'session/request_permission',
    params: { sessionId: 's-1', toolCall, options: [{ kind: 'allow_once', name: 'Allow', optionId: 'yes' }] },
  });
  const answered = line('client', { id: 0, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
  const done = update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c-1',
    kind: 'execute',
    status: 'completed',
    title: 'npm test',
  });
  record(project, [...BEGIN, ...NEW, ...turn(2, 'Test it', asked, answered, done, piece('Passed.'))]);
  expect(said(project).map(([role]) => role)).toEqual(['user', 'assistant', 'assistant']);
  expect(JSON.stringify(said(project))).toContain('output-available');
});

test('a store that cannot be opened loses nothing: what waits is recorded with the next lines', () => {
  const project = makeProject();
  let isGone = true;
  const recorder = new AcpRecorder(() => {
    if (isGone) throw new ctx.CtxError('busy', 'Another command works on the store.');
    return project.open();
  });
  for (const one of [...BEGIN, ...NEW, ...turn(2, 'Hello', piece('Hi.'))]) recorder.line(one);
  recorder.flush();
  isGone = false;
  recorder.flush(true);
  expect(recorder.result).toMatchObject({ lines: 7, problems: ['Another command works on the store.'] });
  expect(said(project)).toHaveLength(2);
});

/** A relay whose output is held. */
function relay(options: Partial<RelayOptions> = {}) {
  const out: Record<From, Buffer[]> = { client: [], agent: [] };
  const tapped: string[] = [];
  const made = new Relay({
    toClient: (bytes) => out.client.push(bytes),
    toAgent: (bytes) => out.agent.push(bytes),
    tap: (direction, bytes) => tapped.push(`${direction} ${bytes.toString('utf8').trim()}`),
    stored: () => null,
    offersLoad: false,
    ...options,
  });
  const messages = (to: From): JsonObject[] =>
    Buffer.concat(out[to])
      .toString('utf8')
      .split('\n')
      .filter(Boolean)
      .map((one) => JSON.parse(one) as JsonObject);
  return { made, tapped, messages, bytes: (to: From) => Buffer.concat(out[to]) };
}

describe('what is passed on', () => {
  test('is every byte of both sides, wherever their pieces are cut', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(...RECORDINGS.flatMap(linesIn)).map((one) => Buffer.from(`${one}\r\n`)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), bytes), { maxLength: 20 }), (chunks) => {
        const { made, bytes: got } = relay();
        const sent: Record<From, Buffer[]> = { client: [], agent: [] };
        for (const [isClient, chunk] of chunks) {
          sent[isClient ? 'agent' : 'client'].push(Buffer.from(chunk));
          if (isClient) made.client(Buffer.from(chunk));
          else made.agent(Buffer.from(chunk));
        }
        made.endClient();
        made.endAgent();
        expect(got('agent').equals(Buffer.concat(sent.agent))).toBe(true);
        expect(got('client').equals(Buffer.concat(sent.client))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('is a line of any length, in parts if it is a very long one', () => {
    const { made, bytes, tapped } = relay();
    const long = Buffer.alloc(5 * 1024 * 1024, 'a');
    for (let at = 0; at < 5; at += 1) made.client(long);
    made.client(Buffer.from('\n{"jsonrpc":"2.0"}\n'));
    expect(bytes('agent').length).toBe(5 * long.length + 19);
    expect(tapped).toEqual(['client->agent {"jsonrpc":"2.0"}']);
  });
});

describe('session/load', () => {
  const say = (made: Relay, from: From, message: object): void =>
    made[from](Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`));
  const begun = (abilities: object, options: Partial<RelayOptions> = {}) => {
    const one = relay({
      stored: (id) =>
        id === 's-1'
          ? {
              updates: [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi.' } }],
              context: 'CONTEXT',
            }
          : null,
      ...options,
    });
    say(one.made, 'client', { id: 0, method: 'initialize', params: { protocolVersion: 1 } });
    say(one.made, 'agent', { id: 0, result: { protocolVersion: 1, agentCapabilities: abilities } });
    return one;
  };
  const LOAD = { id: 5, method: 'session/load', params: { sessionId: 's-1', cwd: '/a', mcpServers: [] } };

  test('is left to an agent that can load sessions, and for a session that the store does not have', () => {
    const able = begun({ loadSession: true });
    say(able.made, 'client', LOAD);
    expect(able.messages('agent').at(-1)).toMatchObject(LOAD);
    const unable = begun({});
    say(unable.made, 'client', { ...LOAD, params: { ...LOAD.params, sessionId: 'other' } });
    expect(unable.messages('agent').at(-1)).toMatchObject({ method: 'session/load' });
  });

  test('is answered from the store where the agent cannot: the agent begins a session that the client knows by the same id', () => {
    const { made, messages, tapped } = begun({});
    say(made, 'client', LOAD);
    const asked = messages('agent').at(-1) as JsonObject;
    expect(asked).toMatchObject({ method: 'session/new', params: { cwd: '/a', mcpServers: [] } });
    expect(asked['params']).not.toHaveProperty('sessionId');
    say(made, 'agent', { id: asked['id'], result: { sessionId: 'new-7', modes: null } });
    expect(messages('client').slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'session/update',
        params: {
          sessionId: 's-1',
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi.' } },
        },
      },
      { jsonrpc: '2.0', id: 5, result: { modes: null } },
    ]);
    const ask = {
      id: 6,
      method: 'session/prompt',
      params: { sessionId: 's-1', prompt: [{ type: 'text', text: 'More' }] },
    };
    say(made, 'client', ask);
    say(made, 'client', { ...ask, id: 7 });
    expect(
      messages('agent')
        .slice(-2)
        .map(({ params }) => params),
    ).toEqual([
      {
        sessionId: 'new-7',
        prompt: [
          { type: 'text', text: 'CONTEXT' },
          { type: 'text', text: 'More' },
        ],
      },
      { sessionId: 'new-7', prompt: [{ type: 'text', text: 'More' }] },
    ]);
    say(made, 'agent', { method: 'session/update', params: { sessionId: 'new-7', update: {} } });
    expect(messages('client').at(-1)).toMatchObject({ params: { sessionId: 's-1' } });
    // The recording has only lines that the client has said and read.
    expect(tapped.join('\n')).not.toMatch(/new-7|CONTEXT|ctx-load/);
  });

  test('fails with the error of the agent if that begins no session', () => {
    const { made, messages } = begun({});
    say(made, 'client', LOAD);
    say(made, 'agent', { id: messages('agent').at(-1)?.['id'], error: { code: -32000, message: 'Sign in first' } });
    expect(messages('client').at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 5,
      error: { code: -32000, message: 'Sign in first' },
    });
  });

  test('is offered to the client only if that is wanted', () => {
    const offered = (offersLoad: boolean): unknown => {
      const [answer] = begun({ promptCapabilities: { image: true } }, { offersLoad }).messages('client');
      return isObject(answer?.['result']) ? answer['result']['agentCapabilities'] : null;
    };
    expect(offered(false)).toEqual({ promptCapabilities: { image: true } });
    expect(offered(true)).toEqual({ promptCapabilities: { image: true }, loadSession: true });
  });

  test('session/resume is always left to the agent: nothing is repeated', () => {
    const { made, messages } = begun({});
    say(made, 'client', { ...LOAD, method: 'session/resume' });
    expect(messages('agent').at(-1)).toMatchObject({ method: 'session/resume', params: { sessionId: 's-1' } });
    expect(messages('client')).toHaveLength(1);
  });
});

test.each(RECORDINGS)('a stored session is repeated in updates that the schema knows, with its words: %s', (file) => {
  const project = makeProject();
  ctx.ingestTranscript(project.repository, file);
  const id = ctx.listAllSessions(project.repository).sessions[0]?.agent_session_id ?? '';
  const { updates, context } = storedSession(project.repository, id) ?? { updates: [], context: '' };
  const count = expectValid(
    updates.map((one) => ({
      from: 'agent',
      message: { method: 'session/update', params: { sessionId: id, update: one } },
    })),
  );
  expect(count).toBe(updates.length);
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
    expect.arrayContaining(['user_message_chunk', 'agent_message_chunk', 'tool_call']),
  );
  expect(context).toContain('From ctx');
  expect(storedSession(project.repository, 'nobody')).toBeNull();
});
