// Tests every Claude Code transcript: nothing throws, parts add up to the whole, the live branch is what is visible.

import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { fc } from '../support/property.ts';
import { opinionOf } from './support/independent.ts';
import { assemble, linesKept, type Replay, replay, replayRewritten } from './support/replay.ts';
import { sessionOf, steps } from './support/sessions.ts';

/** Selects the results that must not depend on how often the file was read. */
function outcome(result: Replay) {
  const { visible, usage, apiMessages, derived } = result;
  const parts = [...result.messages.values()].map(({ id, parts }) => {
    const texts = parts.map((part) => JSON.stringify(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))));
    return [id, texts.sort()];
  });
  const parents = [...result.messages.values()].map(({ id, metadata }) => [id, metadata['parent_id'] ?? null]);
  return { visible: [...visible].sort(), usage, apiMessages, derived, parts, parents };
}

describe('sessions of every shape', () => {
  test('what is visible is the live branch, and tokens count once', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const lines = sessionOf(taken);
        const read = replay(lines);
        const opinion = opinionOf(lines);
        expect(new Set(read.visible)).toEqual(opinion.live);
        expect(read.apiMessages).toBe(opinion.apiMessages);
        for (const [key, value] of Object.entries(opinion.usage)) expect(read.usage[key] ?? 0).toBe(value);
      }),
      { numRuns: 150 },
    );
  });

  test('every call is closed, and every line is kept once', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const lines = sessionOf(taken);
        const read = replay(lines);
        const parts = [...read.messages.values()].flatMap((message) => message.parts);
        expect(parts.filter((part) => part['state'] === 'input-available')).toEqual([]);
        expect(linesKept(read)).toBe(lines.length);
      }),
      { numRuns: 100 },
    );
  });

  test('read in parts, it is the same session', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }), (taken, cuts) => {
        const lines = sessionOf(taken);
        const starts = cuts.map((cut) => 1 + (cut % lines.length)).filter((start) => start < lines.length);
        expect(outcome(replay(lines, starts))).toEqual(outcome(replay(lines)));
      }),
      { numRuns: 150 },
    );
  });

  test('a rewritten file with the same lines adds nothing; with more lines, it adds only those', () => {
    fc.assert(
      fc.property(steps, fc.nat(100), (taken, cut) => {
        const lines = sessionOf(taken);
        const some = lines.slice(0, 1 + (cut % lines.length));
        const before = replay(some);
        expect(replayRewritten(before, some)).toEqual([]);
        const after = replay(lines);
        const again = [...before.events, ...replayRewritten(before, lines)];
        const { visible, usage, derived } = assemble(again);
        expect(new Set(visible)).toEqual(new Set(after.visible));
        expect(usage).toEqual(after.usage);
        expect(derived).toEqual(after.derived);
      }),
      { numRuns: 150 },
    );
  });
});

/** Values that a field may hold by mistake or by malice. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(null, '', -1, 1e300, [], {}, [[]], 'x'.repeat(300), '__proto__', true, [null], '\ud800'),
);

const FIELDS = [
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'message',
  'timestamp',
  'toolUseResult',
  'isSidechain',
  'isMeta',
  'data',
  'attachment',
  'operation',
  'content',
  'compactMetadata',
  'microcompactMetadata',
  'logicalParentUuid',
  'agentId',
  'cwd',
  'sessionId',
  'summary',
  'leafUuid',
  '__proto__',
];
const INNER = ['id', 'role', 'model', 'content', 'usage', 'stop_reason'];
const BLOCK = [
  'type',
  'text',
  'thinking',
  'id',
  'name',
  'input',
  'tool_use_id',
  'content',
  'is_error',
  'source',
  'questions',
];
const ID = fc.constantFrom('a', 'b', 'c', 'd', 'e');

/** An object with some of these keys, well-formed now and then. */
function broken(keys: readonly string[], sound: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc
    .array(fc.tuple(fc.constantFrom(...keys), fc.integer({ min: 0, max: 3 }), anything), { maxLength: 6 })
    .chain((entries) => fc.record(sound).map((base) => ({ entries, base })))
    .map(({ entries, base }) => {
      const pairs = [
        ...Object.entries(base),
        ...entries.filter(([, chance]) => chance > 0).map(([key, , value]) => [key, value]),
      ];
      return Object.fromEntries(pairs as [string, unknown][]);
    });
}

const block = broken(BLOCK, {
  type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image', 'document', 'odd'),
  id: ID,
  tool_use_id: ID,
  text: fc.constantFrom('hello', 'Which one?', '[Request interrupted by user]', '<command-name>/x</command-name>'),
  name: fc.constantFrom('Bash', 'Read', 'Edit', 'Write', 'AskUserQuestion', 'ExitPlanMode', 'TodoWrite', 'MultiEdit'),
  input: fc.oneof(
    anything,
    fc.constant({ command: 'ls', file_path: 'a', old_string: '', new_string: 'x', content: 'y' }),
  ),
});
const message = broken(INNER, {
  id: ID,
  role: fc.constantFrom('user', 'assistant'),
  content: fc.array(block, { maxLength: 3 }),
});
const record = broken(FIELDS, {
  type: fc.constantFrom('user', 'assistant', 'system', 'progress', 'attachment', 'queue-operation', 'summary', 'odd'),
  operation: fc.constantFrom('enqueue', 'dequeue', 'remove', 'popAll'),
  subtype: fc.constantFrom('compact_boundary', 'microcompact_boundary', 'turn_duration'),
  uuid: ID,
  parentUuid: fc.oneof(ID, fc.constant(null)),
  message,
  data: fc.record({
    type: fc.constant('agent_progress'),
    message: fc.record({ type: fc.constantFrom('user', 'assistant'), message }),
  }),
});

describe('any content of the file', () => {
  const texts = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: record.map((value) => JSON.stringify(value) ?? '') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
      {
        weight: 1,
        arbitrary: fc.tuple(record, record).map(([first, second]) => JSON.stringify(first) + JSON.stringify(second)),
      },
      { weight: 1, arbitrary: record.map((value) => (JSON.stringify(value) ?? '').slice(0, 40)) },
    ),
    { maxLength: 12 },
  );

  test('nothing throws, every record is well-formed, in one go and in parts', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (lines, cut) => {
        const sound = lines.map((line) => line.replaceAll('\n', ' '));
        replay(sound);
        replay(sound, sound.length > 1 ? [1 + (cut % (sound.length - 1))] : [], true);
      }),
      { numRuns: 500 },
    );
  });

  test('a cursor of anything is taken', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), record, fc.boolean(), (cursor, value, rewritten) => {
        const reader = claudeCode.reader({ cursor: cursor as never, kept: () => [], rewritten });
        expect([...reader.line(JSON.stringify(value), 7), ...reader.end()]).toBeInstanceOf(Array);
        expect(() => JSON.stringify(reader.cursor())).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });

  test('nesting without end is a problem, not a crash', () => {
    const deep = `{"type":"user","uuid":"a","message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const wide = `{"type":"user","uuid":"b","message":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    expect(replay([deep, wide]).problems.map(({ line }) => line)).toEqual([1, 2]);
  });
});
