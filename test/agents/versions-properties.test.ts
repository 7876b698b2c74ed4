// Tests every transcript that repeats messages: nothing throws, parts add up to the whole.
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { opencode } from '../../src/agents/opencode/index.ts';
import { fc } from '../support/property.ts';
import { outcome } from './support/conformance.ts';
import { assemble, linesKept, replay, replayRewritten } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const at = (step: number): string => new Date(1_795_000_000_000 + step * 1500).toISOString();

/** Kinds of events in a chat; `pick` says with which of the messages before. */
const KINDS = [
  'ask',
  'answer',
  'call',
  'result',
  'late',
  'alone',
  'tokens',
  'back',
  'list',
  'only',
  'fuller',
  'cancel',
  'info',
  'twice',
] as const;
const steps = fc.array(fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(40) }), {
  minLength: 1,
  maxLength: 24,
});
type Steps = { kind: (typeof KINDS)[number]; pick: number }[];
type Loose = Record<string, unknown>;

/** A chat as Gemini CLI would write it, and what the program itself would have in view at its end. */
function chatOf(taken: Steps): { lines: string[]; view: string[]; tokens: Map<string, number> } {
  const lines = [
    JSON.stringify({ sessionId: 's', projectHash: 'p', startTime: at(0), lastUpdated: at(0), kind: 'main' }),
  ];
  let view: Loose[] = [];
  const agents: Loose[] = [];
  const tokens = new Map<string, number>();
  const put = (message: Loose): void => {
    lines.push(JSON.stringify(message));
    if (!view.some(({ id }) => id === message['id'])) view.push(message);
  };
  const again = (pick: number, change: (message: Loose) => Loose): void => {
    const message = agents[pick % agents.length];
    if (message) lines.push(JSON.stringify(Object.assign(message, change(message))));
  };
  const used = (message: Loose, count: number): Loose => {
    tokens.set(String(message['id']), count);
    return { tokens: { input: count, output: 1, cached: 0, thoughts: 0, tool: 0, total: count + 1 } };
  };
  const callOf = (id: string, status: string): Loose => ({
    id,
    name: 'glob',
    args: { pattern: '*' },
    status,
    result: 'none',
  });
  const list = (): void => void lines.push(JSON.stringify({ $set: { messages: view } }));
  for (const [index, { kind, pick }] of taken.entries()) {
    const step = index + 1;
    const base = { id: `m${step}`, timestamp: at(step) };
    if (kind === 'ask') put({ ...base, type: 'user', content: [{ text: `Ask ${pick}` }] });
    else if (kind === 'answer' || kind === 'call') {
      const calls = kind === 'call' ? { toolCalls: [callOf(`c${step}`, pick % 2 ? 'success' : 'executing')] } : {};
      const message: Loose = { ...base, type: 'gemini', content: pick % 3 ? `Answer ${pick}` : '', ...calls };
      agents.push(message);
      put(Object.assign(message, pick % 4 ? used(message, pick) : {}));
    } else if (kind === 'result') again(pick, ({ id }) => ({ toolCalls: [callOf(`r${String(id)}`, 'success')] }));
    else if (kind === 'late')
      again(agents.length - 1, ({ id }) => ({ toolCalls: [callOf(`r${String(id)}`, 'error')] }));
    else if (kind === 'alone') {
      // Of any call before, with a result or without; some come with words of the user.
      const calls = agents.flatMap(({ toolCalls }) => (toolCalls as Loose[] | undefined) ?? []);
      const [call] = calls.slice(pick % Math.max(1, calls.length));
      const words = pick % 3 ? [] : [{ text: `And ${pick}` }];
      const content = [{ functionResponse: { id: call?.['id'], response: { output: `Out ${step}` } } }, ...words];
      const message = { ...base, type: 'user', content };
      if (call) lines.push(JSON.stringify(message));
      if (call && words.length > 0) view.push(message);
    } else if (kind === 'tokens') again(pick, (message) => used(message, pick + 1));
    // A step back that is told twice goes further back.
    else if (kind === 'twice' && !lines.at(-1)?.includes('$rewindTo')) lines.push(lines.at(-1) ?? '');
    else if (kind === 'cancel') lines.push(JSON.stringify({ ...base, type: 'info', content: 'Request cancelled.' }));
    else if (kind === 'info') lines.push(JSON.stringify({ $set: { lastUpdated: at(step) } }));
    else if (kind === 'back' && view.length > 0) {
      const from = pick % view.length;
      lines.push(JSON.stringify({ $rewindTo: view[from]?.['id'] }));
      view = view.slice(0, from);
    } else if (kind === 'list') {
      const rest = view.slice(view.length === 0 ? 0 : pick % view.length);
      const own = pick % 2 ? [{ ...base, type: 'user', content: [{ text: '<state_snapshot>' }] }] : [];
      view = [...own, ...rest];
      list();
    } else if (kind === 'only') {
      // Stands in no line of its own, as yet.
      const answer: Loose = { ...base, id: `n${step}`, type: 'gemini', content: `Answer ${pick}` };
      agents.push(Object.assign(answer, used(answer, pick), { toolCalls: [callOf(`c${step}`, 'success')] }));
      view = [...view, { ...base, type: 'user', content: [{ text: `Ask ${pick}` }] }, answer];
      list();
    } else if (kind === 'fuller' && view.some(({ type }) => type === 'gemini')) {
      const theirs = view.filter(({ type }) => type === 'gemini');
      const message = theirs[pick % theirs.length] as Loose;
      const count = (tokens.get(String(message['id'])) ?? 0) + pick + 1;
      Object.assign(message, used(message, count), { toolCalls: [callOf(`f${step}`, 'success')] });
      list();
    }
  }
  return { lines, view: view.map(({ id }) => String(id)), tokens };
}

describe('chats of every shape', () => {
  test('what is visible is what the program has in view; tokens count once; every line is kept', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { lines, view, tokens } = chatOf(taken);
        const result = replay(lines, [], false, gemini);
        // A message that is told again after it was taken back stays taken back.
        expect(new Set(result.visible)).toEqual(new Set(view));
        const sum = [...tokens.values()].reduce((total, count) => total + count, 0);
        expect(result.usage['input'] ?? 0).toBe(sum);
        expect(linesKept(result)).toBe(lines.length);
        const parts = [...result.messages.values()].flatMap((message) => message.parts);
        expect(parts.filter((part) => part['state'] === 'input-available')).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('read in parts, it is the same chat', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }), (taken, cuts) => {
        const { lines } = chatOf(taken);
        const starts = cuts.map((cut) => 1 + (cut % lines.length)).filter((start) => start < lines.length);
        const { state: _parts, ...parts } = outcome(replay(lines, starts, false, gemini));
        const { state: _whole, ...whole } = outcome(replay(lines, [], false, gemini));
        expect(parts).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  test('a rewritten chat with the same or fewer lines adds nothing; with more lines, it adds only those', () => {
    fc.assert(
      fc.property(steps, fc.nat(100), (taken, cut) => {
        const { lines } = chatOf(taken);
        const some = lines.slice(0, 1 + (cut % lines.length));
        const before = replay(some, [], false, gemini);
        expect(replayRewritten(before, some, gemini)).toEqual([]);
        expect(replayRewritten(before, some.slice(cut % some.length), gemini)).toEqual([]);
        const again = assemble([...before.events, ...replayRewritten(before, lines, gemini)]);
        const after = replay(lines, [], false, gemini);
        expect(new Set(again.visible)).toEqual(new Set(after.visible));
        expect(again.usage).toEqual(after.usage);
        expect(again.derived).toEqual(after.derived);
        expect(linesKept(again)).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
  });
});

/** Parts of a message of opencode, some of which grow. */
const part = fc.record({
  type: fc.constantFrom('text', 'reasoning', 'tool', 'step-finish', 'patch', 'novelty'),
  grows: fc.boolean(),
  count: fc.nat(20),
});
const messages = fc.array(fc.record({ isAgents: fc.boolean(), parts: fc.array(part, { maxLength: 4 }) }), {
  minLength: 1,
  maxLength: 8,
});
type Messages = { isAgents: boolean; parts: { type: string; grows: boolean; count: number }[] }[];

/** An export of the first messages, the last of which is still being written. */
function exportOf(all: Messages, length: number, isDone: boolean): string {
  const list = all.slice(0, length).map(({ isAgents, parts }, index) => {
    // The user's text is complete at once.
    const isOpen = isAgents && index === length - 1 && !isDone;
    const shown = isOpen ? parts.slice(0, Math.ceil(parts.length / 2)) : parts;
    const info = {
      id: `msg_${index}`,
      role: isAgents ? 'assistant' : 'user',
      time: { created: 1_795_000_000_000 + index * 9000 },
    };
    return { info, parts: shown.map((each, place) => partOf(each, `prt_${index}_${place}`, isOpen)) };
  });
  const info = { id: 'ses_1', projectID: 'p', title: 'T', time: { created: 1_795_000_000_000, updated: length } };
  return JSON.stringify({ info, messages: list });
}

function partOf({ type, grows, count }: Messages[number]['parts'][number], id: string, isOpen: boolean): Loose {
  const isHalf = isOpen && grows;
  if (type === 'tool') {
    const done = {
      status: 'completed',
      input: { command: 'ls' },
      output: 'a',
      metadata: { exit: 0 },
      time: { start: 5, end: 6 },
    };
    return {
      id,
      type,
      tool: 'bash',
      callID: 'same',
      state: isHalf ? { status: 'running', input: { command: 'ls' } } : done,
    };
  }
  if (type === 'step-finish')
    return { id, type, tokens: { input: count, output: 1, reasoning: 0, cache: { read: 0, write: 0 } } };
  return { id, type, text: isHalf ? 'Half' : `Half and whole ${count}` };
}

describe('exports of every shape', () => {
  test('an export that has grown gives the same records as one read at once, and nothing the second time', () => {
    fc.assert(
      fc.property(messages, fc.nat(8), (all, cut) => {
        const unfold = (text: string): string[] => unfoldText(opencode, text) ?? [];
        const before = replay(unfold(exportOf(all, 1 + (cut % all.length), false)), [], false, opencode);
        const lines = unfold(exportOf(all, all.length, true));
        const whole = replay(lines, [], false, opencode);
        const again = assemble([...before.events, ...replayRewritten(before, lines, opencode)], whole.cursor);
        const { lines: _again, ...told } = outcome(again);
        const { lines: _whole, ...expected } = outcome(whole);
        expect({ ...told, apiMessages: 0 }).toEqual({ ...expected, apiMessages: 0 });
        expect(replayRewritten(again, lines, opencode)).toEqual([]);
        expect(linesKept(whole)).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
  });
});

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(null, '', -1, 1e300, [], {}, [[]], 'x'.repeat(300), '__proto__', true, [null], '\ud800', [
    {},
  ]),
);
const ID = fc.constantFrom<unknown>('a', 'b', '__proto__', 'constructor', 7, '');
const odd = (...names: string[]): fc.Arbitrary<Loose> =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), anything), { maxLength: 4 })
    .map((fields) => Object.fromEntries(fields) as Loose);

const ofGemini = fc
  .tuple(
    fc.constantFrom('user', 'gemini', 'info', 'error', 'novelty', '__proto__'),
    ID,
    odd(
      'content',
      'thoughts',
      'tokens',
      'toolCalls',
      'displayContent',
      'timestamp',
      '$set',
      '$rewindTo',
      'sessionId',
      'model',
    ),
    fc.constantFrom('read_file', 'write_file', 'run_shell_command', 'ask_user', 'write_todos', '__proto__'),
    odd('id', 'args', 'result', 'status', 'resultDisplay', 'agentId'),
    fc.array(odd('text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'), { maxLength: 2 }),
  )
  .map(([type, id, fields, name, call, content]) => ({
    ...{ id, timestamp: '2026-01-01T00:00:00.000Z', type, content },
    toolCalls: [{ id: 'c', name, args: { file_path: 'x', command: 'y' }, status: 'success', result: 'z', ...call }],
    ...fields,
  }));
const ofOpencode = fc
  .tuple(
    fc.constantFrom('user', 'assistant', 'system'),
    ID,
    odd('id', 'time', 'tokens', 'error', 'summary', 'parentID', 'finish', 'modelID', 'directory', 'revert'),
    fc.constantFrom('text', 'tool', 'file', 'step-finish', 'compaction', '__proto__'),
    odd('id', 'text', 'state', 'tool', 'callID', 'tokens', 'url', 'mime'),
    fc.constantFrom('read', 'write', 'edit', 'bash', 'apply_patch', 'question', 'todowrite', '__proto__'),
    odd('status', 'input', 'output', 'error', 'metadata', 'time'),
  )
  .map(([role, id, info, type, fields, tool, state]) => ({
    info: { id, role, time: { created: 1_795_000_000_000 }, ...info },
    parts: [
      { id: 'p', type, tool, callID: 'c', state: { status: 'completed', input: {}, output: 'x', ...state }, ...fields },
    ],
  }));

describe.each<[string, Agent, fc.Arbitrary<object>]>([
  ['gemini', gemini, ofGemini],
  ['opencode', opencode, ofOpencode],
])('any content of a file of %s', (_name, agent, record) => {
  const texts = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: record.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
      { weight: 1, arbitrary: record.map((value) => JSON.stringify(value).slice(0, 60)) },
    ),
    { maxLength: 10 },
  );

  test('throws nothing and makes well-formed records, read at once, in parts and after a rewrite', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (lines, cut) => {
        const sound = lines.map((line) => line.replaceAll('\n', ' '));
        const whole = replay(sound, [], true, agent);
        if (sound.length > 1) {
          const parts = replay(sound, [1 + (cut % (sound.length - 1))], true, agent);
          expect(new Set(parts.visible)).toEqual(new Set(whole.visible));
          expect(parts.usage).toEqual(whole.usage);
          expect(linesKept(parts)).toBe(linesKept(whole));
        }
        const again = replayRewritten(whole, sound, agent).filter(({ type }) => type !== 'problem');
        expect(again).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test('a document of anything unfolds, and a cursor of anything is taken', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json({ maxDepth: 4 }), fc.string()),
        fc.jsonValue({ maxDepth: 3 }),
        record,
        (text, cursor, one) => {
          for (const document of [
            text,
            `{"messages":[${text}`,
            `{"messages":[${JSON.stringify(one)},${text}],"info":${text}}`,
          ]) {
            const lines = unfoldText(agent, document) ?? [];
            expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
            expect(() => agent.recognises(document)).not.toThrow();
          }
          const reader = agent.reader({ cursor: cursor as never, kept: () => [], rewritten: false });
          expect([...reader.line(JSON.stringify(one), 7), ...reader.end()]).toBeInstanceOf(Array);
          expect(() => JSON.stringify(reader.cursor())).not.toThrow();
        },
      ),
      { numRuns: 200 },
    );
  });
});
