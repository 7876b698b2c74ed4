// Ids that stand for several things in one session, as where somebody has redacted an export: nothing of it is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { opencode } from '../../src/agents/opencode/index.ts';
import type { ToolPart } from '../../src/agents/shared/parts.ts';
import type { VersionPart } from '../../src/agents/shared/versions/dialect.ts';
import { distinctKeys } from '../../src/agents/shared/versions/distinct.ts';
import { did } from './support/conformance.ts';
import { type Replay, replay } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const AT = 1_796_000_000_000;
const time = (second: number) => ({ created: AT + second * 1000, completed: AT + second * 1000 + 500 });
const info = { id: 'ses_1', directory: '/home/dev/acme', projectID: 'p1' };
const read = (messages: object[], agent: Agent = opencode): Replay =>
  replay(unfoldText(agent, JSON.stringify({ info, messages })) ?? [], [], false, agent);
const ID = 'prt_redacted';
const bash = (callID: string, command: string, more: object = {}) => ({
  ...{ id: ID, type: 'tool', callID, tool: 'bash' },
  state: { status: 'completed', input: { command }, output: `did ${command}`, metadata: { exit: 0 } },
  ...more,
});
const text = (words: string, id = ID) => ({ id, type: 'text', text: words });
const user = (id: string, parts: object[], at = 0) => ({ info: { id, role: 'user', time: time(at) }, parts });
const agent = (id: string, parts: object[], at = 1, more: object = {}) => ({
  info: { id, role: 'assistant', time: time(at), finish: 'stop', ...more },
  parts,
});
const partsOf = (result: Replay, id: string): unknown[] =>
  (result.messages.get(id)?.parts ?? []).map((part) => part['text'] ?? (part['input'] as { command: string }).command);

describe('parts of one message of opencode that have one id', () => {
  test.each([
    ['calls with ids of their own', [bash('c1', 'make'), bash('c2', 'test')], ['make', 'test']],
    ['calls whose ids are one as well', [bash('c', 'make'), bash('c', 'test')], ['make', 'test']],
    ['words', [text('One.'), text('Two.')], ['One.', 'Two.']],
    ['words and calls', [text('One.'), bash('c1', 'make'), text('Two.')], ['One.', 'make', 'Two.']],
  ])('%s are all kept', (_what, parts, expected) => {
    const result = read([user('msg_1', [text('Make it.', 'prt_1')]), agent('msg_2', parts)]);
    expect(partsOf(result, 'msg_2')).toEqual(expected);
    expect(did(result)).toHaveLength(expected.filter((each) => !each.endsWith('.')).length);
  });

  test('count once if they are equal, or if one is a call and the other its end', () => {
    const begun = bash('c1', 'make', { state: { status: 'running', input: { command: 'make' } } });
    const result = read([agent('msg_2', [text('One.'), text('One.'), begun, bash('c1', 'make')])]);
    expect(partsOf(result, 'msg_2')).toEqual(['One.', 'make']);
    expect(did(result)).toEqual(['c1: run make → 0']);
  });

  test('identifies parts without an id by their places, and accepts the same ids in other messages', () => {
    const bare = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ];
    const result = read([
      agent('msg_1', bare),
      agent('msg_2', [text('Three.')], 2),
      agent('msg_3', [text('Four.')], 3),
    ]);
    expect(['msg_1', 'msg_2', 'msg_3'].map((id) => partsOf(result, id))).toEqual([
      ['One.', 'Two.'],
      ['Three.'],
      ['Four.'],
    ]);
  });

  test('in a compact transcript, too', () => {
    const call = (command: string) => ({ type: 'tool_use', id: 'c', name: 'bash', input: { command } });
    const line = { v: 1, agent: 'opencode', type: 'assistant', ts: AT, id: 'm', content: [call('make'), call('test')] };
    const result = replay([JSON.stringify(line)], [], false, opencode);
    expect(partsOf(result, 'm')).toEqual(['make', 'test']);
  });

  test('distinguishes calls of opencode 2 that have no other id', () => {
    const call = (command: string) => ({
      ...{ type: 'tool', id: 'c', name: 'shell' },
      state: { status: 'completed', input: { command }, content: [{ type: 'text', text: 'ok' }] },
    });
    const result = read([{ id: 'msg_1', type: 'assistant', content: [call('make'), call('test')], time: time(1) }]);
    expect(partsOf(result, 'msg_1')).toEqual(['make', 'test']);
    expect(did(result)).toHaveLength(2);
  });

  test('in Gemini CLI, whose models may give all calls one id', () => {
    const call = (command: string) => ({
      id: 'c',
      name: 'run_shell_command',
      args: { command },
      status: 'success',
      result: [],
    });
    const chat = [
      { sessionId: 's', projectHash: 'h', startTime: '2026-11-20T10:00:00Z', lastUpdated: '2026-11-20T10:00:00Z' },
      {
        id: 'm',
        timestamp: '2026-11-20T10:00:01Z',
        type: 'gemini',
        content: '',
        toolCalls: [call('make'), call('test')],
      },
    ];
    const result = replay(
      chat.map((line) => JSON.stringify(line)),
      [],
      false,
      gemini,
    );
    expect(partsOf(result, 'm')).toEqual(['make', 'test']);
    expect(did(result)).toHaveLength(2);
  });
});

describe('messages of one export that have one id', () => {
  const tokens = { input: 10, output: 4, reasoning: 0, cache: { read: 0, write: 0 } };

  test('are all kept: prompts, answers and tokens', () => {
    const result = read([
      user('msg_x', [text('One?')]),
      agent('msg_x', [text('First.')], 1, { tokens }),
      user('msg_x', [text('Two?')], 2),
      agent('msg_x', [text('Second.')], 3, { tokens }),
    ]);
    expect(result.moves).toEqual(['prompt One?', 'done First.', 'turn', 'prompt Two?', 'done Second.', 'turn']);
    expect(result.usage).toMatchObject({ input: 20, output: 8 });
    expect([...result.messages.keys()]).toEqual(['msg_x', 'msg_x~2', 'msg_x~3', 'msg_x~4']);
    expect(JSON.stringify(result.messages.get('msg_x~2')?.metadata)).toContain('"told_as":"msg_x"');
  });

  test('in opencode 2, too; the same twice is once', () => {
    const asked = (words: string) => ({ id: 'msg_x', type: 'user', text: words, time: time(0) });
    expect(read([asked('One?'), asked('One?'), asked('Two?')]).moves).toEqual([
      'prompt One?',
      'turn',
      'prompt Two?',
      'turn',
    ]);
  });
});

test('keys are as many as there are different parts, the first of a key keeps it, and more parts change none', () => {
  const key = fc.constantFrom('a', 'b', 'a~2', 'b~2');
  const tool = fc.record({ call: fc.constantFrom('c', 'd'), command: fc.constantFrom('x', 'y') }).map(
    ({ call, command }): ToolPart => ({
      ...{ type: 'dynamic-tool', toolName: 'bash', toolCallId: call, state: 'input-available', input: { command } },
    }),
  );
  const words = fc.constantFrom('1', '2', '3').map((each) => ({ type: 'text', text: each }));
  const part = fc.record({ key, part: fc.oneof(tool, words) }) as fc.Arbitrary<VersionPart>;
  const identity = (each: VersionPart): string => JSON.stringify(each);
  fc.assert(
    fc.property(fc.array(part), fc.array(part), (parts, more) => {
      const keys = distinctKeys(parts).map((each) => each.key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).toHaveLength(new Set(parts.map(identity)).size);
      for (const own of new Set(parts.map((each) => each.key))) expect(keys).toContain(own);
      // A key that is added behind was not there before, unless the record has it by itself.
      const isFree = more.every((each) => !keys.includes(each.key) && !each.key.includes('~'));
      if (isFree)
        expect(
          distinctKeys([...parts, ...more])
            .slice(0, keys.length)
            .map((each) => each.key),
        ).toEqual(keys);
    }),
  );
});
