// Tests every rollout of Codex: nothing throws, parts add up to the whole, what is visible is what the model sees.

import { describe, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { fc } from '../support/property.ts';
import { assemble, linesKept, type Replay, replay, replayRewritten } from './support/replay.ts';
import { rolloutOpinion } from './support/rollout-opinion.ts';
import { seenIn } from './support/rollout-sight.ts';
import { rolloutOf, steps } from './support/rollouts.ts';

const read = (lines: readonly string[], starts: readonly number[] = [], isOdd = false): Replay =>
  replay(lines, starts, isOdd, codex);

/** Selects the results that must not depend on how often the file was read. */
function outcome(result: Replay) {
  const { visible, usage, apiMessages, derived } = result;
  const parts = [...result.messages.values()].map(({ id, role, parts, metadata }) => {
    const texts = parts.map((part) => JSON.stringify(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))));
    return [id, role, metadata['parent_id'] ?? null, metadata['is_meta'] ?? false, texts.sort()];
  });
  return { visible: [...visible].sort(), usage, apiMessages, derived, parts, lines: linesKept(result) };
}

describe('sessions of every shape', () => {
  test('what is visible is what the model sees, and tokens count once', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const lines = rolloutOf(taken);
        const whole = read(lines);
        const opinion = rolloutOpinion(lines);
        expect(seenIn(whole)).toEqual(opinion.sees);
        const answers = [...whole.messages.values()].filter(({ role }) => role === 'assistant');
        expect(answers).toHaveLength(opinion.answers);
        for (const [key, value] of Object.entries(opinion.usage)) expect(whole.usage[key] ?? 0).toBe(value);
      }),
      { numRuns: 150 },
    );
  });

  test('every call is closed, every line is kept once, and no two messages have one id', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const lines = rolloutOf(taken);
        const whole = read(lines);
        const parts = [...whole.messages.values()].flatMap((message) => message.parts);
        expect(parts.filter((part) => part['state'] === 'input-available')).toEqual([]);
        expect(linesKept(whole)).toBe(lines.length);
        expect(whole.problems).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('read in parts, it is the same session', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }), (taken, cuts) => {
        const lines = rolloutOf(taken);
        const starts = cuts.map((cut) => 1 + (cut % lines.length)).filter((start) => start < lines.length);
        expect(outcome(read(lines, starts))).toEqual(outcome(read(lines)));
      }),
      { numRuns: 150 },
    );
  });

  test('a rewritten file with the same lines adds nothing; with more lines, it adds only those', () => {
    fc.assert(
      fc.property(steps, fc.nat(100), (taken, cut) => {
        const lines = rolloutOf(taken);
        const some = lines.slice(0, 1 + (cut % lines.length));
        const before = read(some);
        expect(replayRewritten(before, some, codex)).toEqual([]);
        const again = assemble([...before.events, ...replayRewritten(before, lines, codex)]);
        const after = read(lines);
        expect(new Set(again.visible)).toEqual(new Set(after.visible));
        expect(again.usage).toEqual(after.usage);
        expect(again.derived).toEqual(after.derived);
        expect(linesKept(again)).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
  });

  test('a file that has lost lines brings nothing, and its copy of another time only what is new', () => {
    fc.assert(
      fc.property(steps, fc.nat(100), (taken, cut) => {
        const lines = rolloutOf(taken);
        const before = read(lines);
        expect(replayRewritten(before, lines.slice(0, cut % lines.length), codex)).toEqual([]);
        expect(replayRewritten(before, lines.slice(cut % lines.length), codex)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('a new part of an ordinary file is read without a look into what is kept', () => {
    const taken = ['task', 'prompt', 'calls', 'ends', 'results', 'tokens', 'answer', 'complete', 'task'] as const;
    const lines = rolloutOf(taken.map((kind) => ({ kind, pick: 5, count: 1 })));
    const parts = read(
      lines,
      lines.map((_, index) => index).filter((index) => index > 0),
    );
    expect(parts.looks).toBe(0);
    expect(outcome(parts)).toEqual(outcome(read(lines)));
  });
});

/** Values that a field may hold by mistake or by malice. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(null, '', -1, 1e300, [], {}, [[]], 'x'.repeat(300), '__proto__', true, [null], '\ud800'),
);
const ID = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const TYPES = [
  ...['message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'local_shell_call'],
  ...['custom_tool_call_output', 'web_search_call', 'image_generation_call', 'tool_search_call', 'tool_search_output'],
  ...['task_started', 'task_complete', 'turn_aborted', 'error', 'item_completed', 'token_count', 'thread_rolled_back'],
  ...['exec_command_end', 'patch_apply_end', 'thread_name_updated', '__proto__', 'constructor'],
];
const FIELDS = [
  ...['id', 'call_id', 'role', 'content', 'summary', 'name', 'arguments', 'input', 'action', 'output', 'phase', 'info'],
  ...['num_turns', 'item', 'changes', 'command', 'exit_code', 'duration', 'aggregated_output', 'parsed_cmd', 'cwd'],
  ...['last_agent_message', 'thread_name', 'thread_token_usage', 'replacement_history', 'message', 'source', 'model'],
];

/** A payload with some of these keys, well-formed now and then. */
const payload = fc
  .tuple(
    fc.constantFrom(...TYPES),
    ID,
    fc.constantFrom('exec_command', 'apply_patch', 'update_plan', 'write_stdin', 'request_user_input', 'view_image'),
    fc.constantFrom('user', 'assistant', 'developer'),
    fc.array(fc.tuple(fc.constantFrom(...FIELDS), anything), { maxLength: 4 }),
  )
  .map(([type, call_id, name, role, odd]) => {
    const content = [{ type: 'input_text', text: 'Which one?' }];
    const told = { arguments: '{"cmd":"ls","path":"x"}', output: 'Success', command: ['ls'], exit_code: 0 };
    return { type, call_id, name, role, content, ...told, ...Object.fromEntries(odd) };
  });
const record = fc
  .tuple(
    fc.constantFrom(
      'session_meta',
      'turn_context',
      'response_item',
      'event_msg',
      'compacted',
      'token_usage_record',
      'odd',
    ),
    fc.oneof({ weight: 8, arbitrary: payload as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything }),
    fc.constantFrom<unknown>('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', 'never', 7, undefined),
  )
  .map(([type, inner, timestamp]) => ({ timestamp, type, payload: inner }));

describe('any content of the file', () => {
  const texts = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: record.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
      {
        weight: 1,
        arbitrary: fc.tuple(record, record).map(([first, second]) => JSON.stringify(first) + JSON.stringify(second)),
      },
      { weight: 1, arbitrary: record.map((value) => JSON.stringify(value).slice(0, 60)) },
    ),
    { maxLength: 12 },
  );

  test('throws nothing and makes well-formed records, read at once, in parts and after a rewrite', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (lines, cut) => {
        const sound = lines.map((line) => line.replaceAll('\n', ' '));
        const whole = read(sound);
        if (sound.length > 1) {
          const parts = read(sound, [1 + (cut % (sound.length - 1))]);
          expect(new Set(parts.visible)).toEqual(new Set(whole.visible));
          expect(parts.usage).toEqual(whole.usage);
          expect(linesKept(parts)).toBe(linesKept(whole));
        }
        const again = replayRewritten(whole, sound, codex).filter(({ type }) => type !== 'problem');
        expect(again).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('a cursor of anything is taken', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), record, fc.boolean(), (cursor, value, rewritten) => {
        const reader = codex.reader({ cursor: cursor as never, kept: () => [], rewritten });
        expect([...reader.line(JSON.stringify(value), 7), ...reader.end()]).toBeInstanceOf(Array);
        expect(() => JSON.stringify(reader.cursor())).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });

  test('nesting without end is a problem, not a crash; inside of arguments it stays a text', () => {
    const deep = `{"timestamp":"x","type":"response_item","payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(read([deep]).problems.map(({ line }) => line)).toEqual([1]);
    const inner = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const call = { type: 'function_call', name: 'odd', call_id: 'c', arguments: inner };
    const line = JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload: call });
    const [message] = read([line]).messages.values();
    expect(message?.parts[0]?.['input']).toBe(inner);
  });
});
