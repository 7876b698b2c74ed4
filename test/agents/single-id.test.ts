// One id for everything, as in a redacted export: the work grows with what is in it, not with its square, and the names stay the same.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { opencode } from '../../src/agents/opencode/index.ts';
import { FreeNames, nthOf } from '../../src/agents/shared/one-id.ts';
import { replay } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const ID = '[removed]';
const AT = 1_796_000_000_000;
const info = { id: 'ses_1', directory: '/home/dev/acme', projectID: 'p1' };

const times = <Made>(count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Counts how often anything is looked up by its key while something is done. */
function lookups(work: () => unknown): number {
  const spies = [
    vi.spyOn(Map.prototype, 'get'),
    vi.spyOn(Map.prototype, 'has'),
    vi.spyOn(Set.prototype, 'has'),
  ] as const;
  try {
    work();
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const opencodeMessage = (id: string, words: string, at = 0) => ({
  info: { id, role: 'user', time: { created: AT + at } },
  parts: [{ id: ID, type: 'text', text: words }],
});
const message = (index: number) => opencodeMessage(ID, `Do thing ${index}.`, index);
const exported = (messages: object[]): string => JSON.stringify({ info, messages });
const linesOf = (agent: Agent, text: string): string[] => unfoldText(agent, text) ?? [];

const part = (index: number) => ({
  ...{ id: ID, type: 'tool', callID: `c${index}`, tool: 'bash' },
  state: { status: 'completed', input: { command: `echo ${index}` }, output: `${index}`, metadata: { exit: 0 } },
});
const second = (index: number) => ({
  ...{ id: ID, type: 'tool', name: 'shell' },
  state: { status: 'completed', input: { command: `echo ${index}` }, content: [{ type: 'text', text: 'ok' }] },
});
const used = (index: number) => ({ type: 'tool_use', id: ID, name: 'bash', input: { command: `echo ${index}` } });
const geminiCall = (index: number) => ({
  ...{ id: ID, name: 'run_shell_command', status: 'success', result: [] },
  args: { command: `echo ${index}` },
});

/** Lines of an agent that has so many things with one id. */
const WRITTEN: readonly [string, Agent, (count: number) => string[]][] = [
  ['messages of opencode', opencode, (count) => linesOf(opencode, exported(times(count, message)))],
  [
    'messages of opencode 2',
    opencode,
    (count) =>
      linesOf(
        opencode,
        exported(times(count, (at) => ({ id: ID, type: 'user', text: `Do ${at}.`, time: { created: AT + at } }))),
      ),
  ],
  [
    'parts of one message of opencode',
    opencode,
    (count) =>
      linesOf(
        opencode,
        exported([{ info: { id: 'm', role: 'assistant', time: { created: AT } }, parts: times(count, part) }]),
      ),
  ],
  [
    'parts of one message of opencode 2',
    opencode,
    (count) =>
      linesOf(
        opencode,
        exported([{ id: 'm', type: 'assistant', content: times(count, second), time: { created: AT } }]),
      ),
  ],
  [
    'calls of one line of a compact transcript of opencode',
    opencode,
    (count) => [
      JSON.stringify({ v: 1, agent: 'opencode', type: 'assistant', ts: AT, id: 'm', content: times(count, used) }),
    ],
  ],
  [
    'calls of one message of Gemini CLI',
    gemini,
    (count) => {
      const at = '2026-11-20T10:00:00Z';
      const toolCalls = times(count, geminiCall);
      return [
        JSON.stringify({ sessionId: 's', projectHash: 'h', startTime: at, lastUpdated: at }),
        JSON.stringify({ id: 'm', timestamp: at, type: 'gemini', content: '', toolCalls }),
      ];
    },
  ],
  [
    'calls of one line of Claude Code',
    claudeCode,
    (count) => {
      const about = { sessionId: 's', cwd: '/home/dev/acme', version: '2.1.0', isSidechain: false, parentUuid: null };
      const answer = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: times(count, used) };
      return [
        JSON.stringify({ ...about, type: 'assistant', uuid: 'u1', timestamp: '2026-11-20T10:00:00Z', message: answer }),
      ];
    },
  ],
];

describe('many things that have one id', () => {
  test.each(WRITTEN)('%s are read with work that grows with their number', (_what, agent, write) => {
    const workOf = (count: number): number => {
      const all: string[] = [];
      return lookups(() => {
        all.push(...write(count));
        replay(all, [], false, agent);
      });
    };
    workOf(10);
    const few = workOf(200) / 200;
    const many = workOf(800) / 800;
    expect(many).toBeLessThan(few * 1.5);
  });

  test.each(WRITTEN)('%s are all kept', (_what, agent, write) => {
    const { messages } = replay(write(50), [], false, agent);
    const parts = [...messages.values()].flatMap((each) => each.parts);
    expect(parts.filter(({ type }) => type === 'text' || type === 'dynamic-tool')).toHaveLength(50);
  });
});

/** The names that messages get if every one is compared with all names before it. */
function namesByCounting(messages: readonly { id: string; words: string }[]): string[] {
  const said = new Map<string, string>();
  return messages.map(({ id, words }) => {
    const own = `${id}: ${words}`;
    let nth = 1;
    while ((said.get(nthOf(id, nth)) ?? own) !== own) nth += 1;
    said.set(nthOf(id, nth), own);
    return nthOf(id, nth);
  });
}

test('messages have the names that counting from the beginning gives, and more messages change none', () => {
  const one = fc.record({
    id: fc.constantFrom('a', 'b', 'a~2', 'a~3', 'a~2~2'),
    words: fc.constantFrom('1', '2', '3', '4'),
  });
  const namesOf = (messages: readonly { id: string; words: string }[]): string[] =>
    linesOf(opencode, exported(messages.map(({ id, words }) => opencodeMessage(id, words))))
      .slice(1)
      .map((line) => (JSON.parse(line) as { info: { id: string } }).info.id);
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), fc.array(one, { maxLength: 10 }), (messages, more) => {
      const names = namesOf([...messages, ...more]);
      expect(names).toEqual(namesByCounting([...messages, ...more]));
      expect(namesOf(messages)).toEqual(names.slice(0, messages.length));
    }),
  );
});

test('the free name is the first one that is not taken, also if names are taken and released meanwhile', () => {
  const id = fc.constantFrom('a', 'b', 'a~2');
  const name = fc.constantFrom('a', 'a~2', 'a~3', 'a~4', 'a~2~2', 'a~2~3', 'b~2', 'b~x');
  const deed = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), name: id }),
    fc.record({ kind: fc.constantFrom('take' as const, 'release' as const), name }),
  );
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
      const names = new FreeNames();
      const taken = new Set<string>();
      for (const each of deeds) {
        if (each.kind === 'take') taken.add(each.name);
        else if (each.kind === 'release') {
          taken.delete(each.name);
          names.release(each.name);
        } else {
          let nth = 2;
          while (taken.has(nthOf(each.name, nth))) nth += 1;
          expect(names.free(each.name, (one) => taken.has(one))).toBe(nthOf(each.name, nth));
          taken.add(nthOf(each.name, nth));
        }
      }
    }),
  );
});
