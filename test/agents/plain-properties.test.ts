// Tests the plain reader with any text in a file: nothing throws, every line is kept once, parts add up.
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { agentNamed } from '../../src/agents/index.ts';
import { fc } from '../support/property.ts';
import { linesKept, type Replay, replay, replayRewritten } from './support/replay.ts';

/** Values that a field may hold by mistake or by malice. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(null, '', -1, 1e300, [], {}, [[]], 'x'.repeat(300), '__proto__', true, [null], '\ud800'),
);
const ID = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const TIME = fc.constantFrom<unknown>('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', 'never', 7, undefined);
const TEXT = [{ type: 'text', text: 'Which one?' }];

/** Some keys put over a record that is as it should be. */
const odd = (keys: readonly string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...keys), anything), { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs));
/** No two records have one id: that one stands for two is another story. */
const own = fc.uuid();

const cursor = fc
  .tuple(fc.constantFrom('user', 'assistant'), odd(['role', 'message', 'type', 'content']), odd(['content', 'x']))
  .map(([role, around, inner]) => {
    const content = [...TEXT, { type: 'tool_use', name: 'Read', input: {} }];
    return { role, message: { content, ...inner }, ...around };
  });

const ROLES = ['user', 'assistant', 'toolResult', 'system', 'bashExecution', 'custom', '__proto__'];
const FIELDS = ['content', 'usage', 'stopReason', 'toolCallId', 'isError', 'details', 'sections', 'command', 'output'];
const pi = fc
  .tuple(
    fc.constantFrom(
      'message',
      'message',
      'message',
      'compaction',
      'branch_summary',
      'custom_message',
      'session',
      'odd',
    ),
    ...([own, ID, TIME, fc.constantFrom(...ROLES), ID] as const),
    odd(FIELDS),
    odd(['summary', 'firstKeptEntryId', 'firstKeptEntryIndex', 'message', 'parentId', 'modelId', 'name', 'cwd']),
  )
  .map(([type, id, parentId, timestamp, role, call, inner, around]) => {
    const blocks = [...TEXT, { type: 'toolCall', id: call, name: 'bash', arguments: { command: 'ls' } }];
    const told = { toolCallId: call, toolName: 'bash', isError: false, command: 'ls', output: '', exitCode: 0 };
    const message = { role, content: role === 'assistant' ? blocks : TEXT, ...told, ...inner };
    return { type, id, parentId, timestamp, message, summary: 'sum', content: 'put', ...around };
  });

const EVENTS = [
  ...['user.message', 'assistant.message', 'tool.execution_complete', 'session.start', 'session.shutdown', 'abort'],
  ...['session.compaction_complete', 'system.message', 'session.error', 'session.title_changed', 'odd.event'],
];
const KEYS = ['content', 'toolRequests', 'toolCallId', 'result', 'success', 'error', 'modelMetrics', 'outputTokens'];
const copilot = fc
  .tuple(
    fc.constantFrom(...EVENTS),
    own,
    ID,
    TIME,
    ID,
    odd([...KEYS, 'parentToolCallId', 'source']),
    odd(['data', 'parentId']),
  )
  .map(([type, id, parentId, timestamp, call, inner, around]) => {
    const toolRequests = [{ toolCallId: call, name: call === 'a' ? 'ask_user' : 'bash', arguments: { command: 'ls' } }];
    const data = {
      content: 'Which one?',
      summaryContent: 'sum',
      toolRequests,
      toolCallId: call,
      success: true,
      ...inner,
    };
    return { type, data, id, timestamp, parentId, ...around };
  });

const METHODS = [
  ...['session/prompt', 'session/request_permission', 'fs/read_text_file', 'fs/write_text_file', 'terminal/create'],
  ...['terminal/output', 'terminal/release', 'session/new', 'session/load', 'session/cancel', 'initialize', 'odd'],
];
const UPDATES = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
];
const PARTS = ['content', 'rawInput', 'rawOutput', 'status', 'kind', 'locations', 'entries', 'messageId', 'toolCallId'];
const update = fc
  .tuple(fc.constantFrom(...UPDATES), ID, fc.constantFrom('pending', 'completed', 'failed'), odd(PARTS))
  .map(([sessionUpdate, toolCallId, status, inner]) => {
    const content = sessionUpdate.endsWith('chunk') ? TEXT[0] : [{ type: 'content', content: TEXT[0] }];
    const fields = { sessionUpdate, toolCallId, status, kind: 'edit', content, entries: [{ content: 'x' }], ...inner };
    return { method: 'session/update', params: { sessionId: 's', update: fields } };
  });
const PARAMS = [
  'prompt',
  'options',
  'toolCall',
  'path',
  'content',
  'command',
  'args',
  'terminalId',
  'cwd',
  'sessionId',
];
const request = fc.tuple(fc.constantFrom(...METHODS), fc.nat(2), odd(PARAMS)).map(([method, id, inner]) => {
  const options = [{ optionId: 'no', name: 'No', kind: 'reject_once' }];
  const told = { prompt: TEXT, toolCall: { toolCallId: 'a' }, options, path: 'x', terminalId: 't', command: 'ls' };
  return { id, method, params: { ...told, ...inner } };
});
const answer = fc
  .tuple(fc.nat(2), odd(['stopReason', 'usage', 'outcome', 'terminalId', 'content']))
  .map(([id, inner]) => {
    const outcome = { outcome: 'selected', optionId: 'no' };
    return { id, result: { stopReason: 'end_turn', outcome, terminalId: 't', exitCode: 0, ...inner } };
  });
const acp = fc
  .tuple(fc.constantFrom('client->agent', 'agent->client'), TIME, fc.oneof(update, request, answer), fc.boolean())
  .map(([dir, ts, message, isBare]) => {
    const rpc = { jsonrpc: '2.0', ...message };
    return isBare ? rpc : { dir, ts, raw: JSON.stringify(rpc) };
  });

const droid = fc
  .tuple(
    fc.constantFrom('session_start', 'message', 'message', 'message', 'compaction_state', 'agent_turn_outcome', 'odd'),
    own,
    TIME,
    ID,
    fc.constantFrom('user', 'assistant', 'tool', 'system'),
    odd(['content', 'visibility', 'modelId', 'userMessageSource']),
    odd(['message', 'id', 'summaryText', 'reason']),
  )
  .map(([type, id, timestamp, call, role, inner, around]) => {
    const asked = { type: 'tool_use', id: call, name: 'Execute', input: { command: 'ls' } };
    const answered = { type: 'tool_result', tool_use_id: call, content: 'a\n[Process exited with code 0]' };
    const content = [{ type: 'text', text: 'Done.' }, role === 'assistant' ? asked : answered];
    const others = { cwd: '/w', version: 2, summaryText: 'sum', turnId: id, reason: 'interrupted' };
    return { type, id, timestamp, ...others, message: { role, content, ...inner }, ...around };
  });

const RECORDS: [string, fc.Arbitrary<object>][] = [
  ['acp', acp],
  ['copilot', copilot],
  ['cursor', cursor],
  ['droid', droid],
  ['pi', pi],
];

function linesOf(record: fc.Arbitrary<object>): fc.Arbitrary<string[]> {
  const text = record.map((value) => JSON.stringify(value));
  const line = fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 1, arbitrary: fc.tuple(text, text).map(([first, second]) => first + second) },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat(80)).map(([whole, cut]) => whole.slice(0, -1 - cut)) },
  );
  return fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.map((one) => one.replaceAll('\n', ' ')));
}

const untimed = ({ at: _at, ...deed }: Record<string, unknown>) => deed;

describe.each(RECORDS)('%s', (name, record) => {
  const agent = agentNamed(name) as Agent;
  const read = (lines: readonly string[], starts: readonly number[] = []): Replay =>
    replay(lines, starts, false, agent);

  test('throws nothing on any content of the file, and parts add up to the whole', () => {
    fc.assert(
      fc.property(linesOf(record), fc.nat(100), (lines, cut) => {
        const whole = read(lines);
        if (lines.length > 1) {
          const parts = read(lines, [1 + (cut % (lines.length - 1))]);
          expect(new Set(parts.visible)).toEqual(new Set(whole.visible));
          expect(parts.usage).toEqual(whole.usage);
          // A record before the first time gets that time, if both are in the same part.
          expect(parts.derived.map(untimed)).toEqual(whole.derived.map(untimed));
          expect(linesKept(parts)).toBe(linesKept(whole));
        }
        const open = [...whole.messages.values()].flatMap((message) => message.parts);
        expect(open.filter((part) => part['state'] === 'input-available')).toEqual([]);
        expect(replayRewritten(whole, lines, agent).filter(({ type }) => type !== 'problem')).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a cursor of anything is taken', () => {
    const cursors = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.record({
        live: anything,
        recent: anything,
        memory: fc.dictionary(fc.constantFrom('pending', 'user', 'terminals'), anything),
      }),
    );
    fc.assert(
      fc.property(cursors, record, fc.boolean(), (cursor, value, rewritten) => {
        const reader = agent.reader({ cursor: cursor as never, kept: () => [], rewritten });
        expect([...reader.line(JSON.stringify(value), 7), ...reader.end()]).toBeInstanceOf(Array);
        expect(() => JSON.stringify(reader.cursor())).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });
});
