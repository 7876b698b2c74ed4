// Calls that have one id: some models give each of theirs the same.
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { codex } from '../../src/agents/codex/index.ts';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { pi } from '../../src/agents/pi/index.ts';
import { Conversation } from '../../src/agents/shared/conversation.ts';
import { Outbox } from '../../src/agents/shared/outbox.ts';
import type { ToolPart } from '../../src/agents/shared/parts.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { replay } from './support/replay.ts';

const CALL = 'call_0';
const timeAt = (second: number): string => new Date(Date.parse('2026-11-20T10:00:00Z') + second * 1000).toISOString();

/** Lines of a conversation of Claude Code, each below the one before; what stands in `message` is what it says. */
const claudeLines = (said: readonly JsonObject[]): string[] =>
  said.map((message, index) =>
    JSON.stringify({
      type: message['role'],
      uuid: `line-${index}`,
      parentUuid: index === 0 ? null : `line-${index - 1}`,
      sessionId: 'session',
      timestamp: timeAt(index),
      message,
    }),
  );
const asked = { role: 'user', content: 'Fix it' };
const called = (id: string, ...commands: readonly string[]): JsonObject => ({
  ...{ role: 'assistant', id, model: 'm' },
  content: commands.map((command) => ({ type: 'tool_use', id: CALL, name: 'Bash', input: { command } })),
});
const gave = (content: string): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: CALL, content }],
});

const piLines = (said: readonly JsonObject[]): string[] => [
  JSON.stringify({ type: 'session', version: 3, id: 'session', timestamp: timeAt(0), cwd: '/x' }),
  ...said.map((message, index) =>
    JSON.stringify({
      type: 'message',
      id: `${index + 1}`,
      parentId: index === 0 ? null : `${index}`,
      timestamp: timeAt(index),
      message,
    }),
  ),
];
const piResult = (text: string): JsonObject => ({
  ...{ role: 'toolResult', toolCallId: CALL, toolName: 'bash' },
  content: [{ type: 'text', text }],
});
const piCalls = (...commands: readonly string[]): JsonObject => ({
  role: 'assistant',
  content: commands.map((command) => ({ type: 'toolCall', id: CALL, name: 'bash', arguments: { command } })),
});

const codexLines = (items: readonly JsonObject[]): string[] =>
  [
    { type: 'session_meta', payload: { id: 'session', cwd: '/x' } },
    ...items.map((payload) => ({ type: 'response_item', payload })),
  ].map((line, index) => JSON.stringify({ timestamp: timeAt(index), ...line }));
const codexCall = (cmd: string): JsonObject => ({
  ...{ type: 'function_call', name: 'exec_command', call_id: CALL },
  arguments: JSON.stringify({ cmd }),
});
const codexResult = (output: string): JsonObject => ({ type: 'function_call_output', call_id: CALL, output });
const codexPrompt = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] };

const ONE_AND_TWO = [
  ['make one', 'one'],
  ['make two', 'two'],
];

function commandsOf(agent: Agent, lines: readonly string[], starts: readonly number[]): unknown[] {
  return replay(lines, starts, false, agent).events.flatMap((event) =>
    event.type === 'record' && event.body.kind === 'command'
      ? [[(event.body as JsonObject)['command'], (event.body as JsonObject)['output']]]
      : [],
  );
}

describe.each<[string, Agent, readonly string[]]>([
  [
    'Claude Code, one after the other',
    claudeCode,
    claudeLines([asked, called('1', 'make one'), gave('one'), called('2', 'make two'), gave('two')]),
  ],
  [
    'Claude Code, side by side in one line',
    claudeCode,
    claudeLines([asked, called('1', 'make one', 'make two'), gave('one'), gave('two')]),
  ],
  [
    'Claude Code, side by side in lines of one message',
    claudeCode,
    claudeLines([asked, called('1', 'make one'), called('1', 'make two'), gave('one'), gave('two')]),
  ],
  ['pi, side by side', pi, piLines([asked, piCalls('make one', 'make two'), piResult('one'), piResult('two')])],
  [
    'Codex, side by side',
    codex,
    codexLines([codexPrompt, codexCall('make one'), codexCall('make two'), codexResult('one'), codexResult('two')]),
  ],
])('%s', (_name, agent, lines) => {
  test('each is kept with its own result, however the file is cut', () => {
    expect(commandsOf(agent, lines, [])).toEqual(ONE_AND_TWO);
    for (let cut = 1; cut < lines.length; cut += 1)
      expect(commandsOf(agent, lines, [cut]), `${cut}`).toEqual(ONE_AND_TWO);
  });
});

test('one of a turn that was broken off keeps no result of a later turn, however the file is cut', () => {
  const stopped = { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] };
  const lines = claudeLines([
    ...[asked, called('1', 'make one'), stopped, { role: 'user', content: 'Make two' }, called('2', 'make two')],
    gave('two'),
  ]);
  const expected = [['make two', 'two']];
  expect(commandsOf(claudeCode, lines, [])).toEqual(expected);
  for (let cut = 1; cut < lines.length; cut += 1)
    expect(commandsOf(claudeCode, lines, [cut]), `${cut}`).toEqual(expected);
});

test('of one that is kept, what was redacted is no other input', () => {
  const conversation = new Conversation(new Outbox(), 0);
  const call = { id: CALL, name: 'Bash', message_id: 'm', is_side: false, is_closed: true };
  const part = (command: string): ToolPart => ({
    ...{ type: 'dynamic-tool', toolName: 'Bash', toolCallId: CALL, state: 'input-available' },
    input: { command },
  });
  conversation.expect({ ...call, part: part('curl -H [redacted:secret:00000000]') });
  const arrival = { id: 'm', role: 'assistant', at: 1, isSide: false, line: {}, lineId: 'l', metadata: {} } as const;
  expect(conversation.add({ ...arrival, parts: [part('curl -H x')] })).toBe(false);
});

test('distinguishes many waiting calls up to a bound, so that none costs more than the last', () => {
  const many = Array.from({ length: 3000 }, (_, index) => called(`${index}`, `make ${index} ${'x'.repeat(3000)}`));
  expect(commandsOf(claudeCode, claudeLines([asked, ...many, gave('one')]), [])).toHaveLength(1);
});

test('a third one behind the result of the first', () => {
  const lines = claudeLines([
    ...[asked, called('1', 'make one', 'make two'), gave('one'), called('2', 'make three'), gave('two'), gave('three')],
  ]);
  expect(commandsOf(claudeCode, lines, [])).toEqual([...ONE_AND_TWO, ['make three', 'three']]);
});

test('a call that is repeated unchanged is no new call', () => {
  const lines = claudeLines([asked, called('1', 'make one'), called('1', 'make one'), gave('one')]);
  expect(commandsOf(claudeCode, lines, [])).toEqual([['make one', 'one']]);
});
