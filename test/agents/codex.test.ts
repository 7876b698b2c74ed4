// Rollouts of Codex of our own writing, read as a whole: what they tell.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { agentNamed, recogniseAgent } from '../../src/agents/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { linesKept, linesOf, type Replay, replay } from './support/replay.ts';

const folder = new URL('../../fixtures/codex/', import.meta.url);

function fixture(name: string): string[] {
  return linesOf(readFileSync(new URL(`${name}.jsonl`, folder), 'utf8'));
}

const read = (name: string): Replay => replay(fixture(name), [], false, codex);

/** Lists the reads, writes and runs of the rollout, one line each, with the call behind it. */
function did(result: Replay): string[] {
  return result.derived.map(({ kind, path, content, command, exit_code, duration_ms, tool_call_id }) => {
    const took = duration_ms === undefined ? '' : ` in ${duration_ms} ms`;
    if (kind === 'command') return `${tool_call_id}: run ${command} → ${exit_code}${took}`;
    if (kind === 'plan') return `${tool_call_id}: plan ${String(content).split('\n').join(' ')}`;
    return `${tool_call_id}: ${kind} ${path}${content === undefined ? '' : `, ${String(content).length} characters`}`;
  });
}

/** The texts of the messages that the model still sees, with their roles. */
function seen(result: Replay): string[] {
  return result.visible.map((id) => {
    const message = result.messages.get(id);
    const texts = (message?.parts ?? []).flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
    return `${message?.role}: ${texts.join(' | ').split('\n')[0]}`;
  });
}

function partOf(result: Replay, call: string): object | undefined {
  return [...result.messages.values()].flatMap(({ parts }) => parts).find((part) => part['toolCallId'] === call);
}

test('a limit for requests: a story in the newest records', () => {
  const result = read('rate-limit');
  expect(result.about).toEqual({
    agent_session_id: '01a1f000-0000-7000-8000-000000000001',
    cwd: '/home/dev/acme-http',
    agent_version: '0.169.0',
    git_branch: 'main',
    model: 'gpt-5.2',
    title: 'Limit the rate of requests',
  });
  expect(result.moves).toEqual([
    'prompt Limit the client to ten requests a second; put the limiter i',
    'done The client now sends at most ten requests a second; the limi',
    'turn',
    'prompt [image]',
    'ask How should a POST count?',
    'prompt Twice',
    'ask A POST counts twice now. Which limit should the staging serv',
    'turn',
    'prompt Twenty.',
    'interrupt Twenty.',
    'turn',
  ]);
  expect(did(result)).toEqual([
    'call_look: run cat src/client.ts → 0 in 4 ms',
    'call_look: read /home/dev/acme-http/src/client.ts',
    'call_plan: plan - [>] Write the limiter - [ ] Use it in the client - [ ] Test it',
    'call_patch: write /home/dev/acme-http/src/limiter.ts, 54 characters',
    'call_patch: write /home/dev/acme-http/src/client.ts',
    // It went on when its call gave a result: the end tells how it came out.
    'call_test: run npm test → 1 in 6500 ms',
    'call_fix: write /home/dev/acme-http/src/limiter.ts',
    'call_again: run npm test → 0 in 5250 ms',
    'call_move: delete /home/dev/acme-http/src/limiter.ts',
    'call_move: write /home/dev/acme-http/src/limits/limiter.ts',
    'call_move: delete /home/dev/acme-http/notes.txt',
  ]);
  expect(result.derived[5]?.['output']).toBe('> vitest run\n1 failed: limited is not defined\n');
  // 4,200 of input, 3,000 of which from the cache and 200 into it; and so on.
  expect(result.usage).toEqual({ input: 3400, output: 870, reasoning: 64, cache_read: 57900, cache_write: 200 });
  expect(result.apiMessages).toBe(11);
});

test('one call of the model is one message: thinking, words and calls, with their results', () => {
  const result = read('rate-limit');
  const message = [...result.messages.values()].find(({ role }) => role === 'assistant');
  expect(message).toMatchObject({
    parts: [
      {
        type: 'reasoning',
        text: '**Looking around**\n\nI should see how the client sends.',
        encrypted_content: 'gAAAAABmadeup',
      },
      { type: 'text', text: "I'll look at the client first." },
      {
        type: 'dynamic-tool',
        toolName: 'exec_command',
        toolCallId: 'call_look',
        state: 'output-available',
        input: { cmd: 'cat src/client.ts', workdir: '/home/dev/acme-http' },
        output: expect.stringContaining('Process exited with code 0'),
      },
      { type: 'dynamic-tool', toolName: 'update_plan', state: 'output-available', output: 'Plan updated' },
    ],
    metadata: { model: 'gpt-5.2-codex', created_at: 1795165205 },
  });
  // Thinking, words, two calls and two results.
  expect(message?.metadata['lines']).toHaveLength(6);
  expect(message?.metadata['lines']).toMatchObject([
    { item: { type: 'reasoning' } },
    { item: { phase: 'commentary' } },
    {},
    {},
    {},
    {},
  ]);
});

test('what Codex puts there itself is no prompt, and a picture is a file', () => {
  const messages = [...read('rate-limit').messages.values()];
  const bookkeeping = messages.filter(({ metadata }) => metadata['is_meta']);
  expect(bookkeeping.map(({ parts }) => String(parts[0]?.['text']).slice(0, 14))).toEqual([
    '# AGENTS.md in',
    '<turn_aborted>',
  ]);
  expect(messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'file'))).toEqual([
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
  ]);
  expect(messages[0]).toMatchObject({ role: 'system' });
});

test('an older rollout: a user who cuts in, a patch that fails, a command of the user, a turn that breaks', () => {
  const result = read('older');
  expect(result.moves).toEqual([
    'prompt The date in the log is wrong, and nothing tests it.',
    'interrupt Use getFullYear, please.',
    'prompt',
    'done The patch did not fit; the year is still wrong.',
    'turn',
    'prompt Try once more.',
    'interrupt Try once more.',
    'turn',
  ]);
  expect(did(result)).toEqual([
    'c1: run grep -rn Date src → 0 in 200 ms',
    'c2: run x → 1 in 30 ms',
    'c3: write /home/dev/acme-http/test/log.test.ts, 24 characters',
    'user-1: run git diff --stat → 0 in 12 ms',
  ]);
  expect(result.derived.map(({ output }) => output)).toEqual([
    'src/log.ts:3: new Date().getYear()\n',
    'nothing here\n',
    undefined,
    '1 file changed\n',
  ]);
  expect(partOf(result, 'c4')).toMatchObject({ state: 'output-error', errorText: 'exec command rejected by user' });
  expect(result.usage).toEqual({ input: 2400, output: 350, reasoning: 40, cache_read: 10000 });
  expect(result.apiMessages).toBe(5);
});

test('a message that is recorded as an item and as an event is one message', () => {
  const result = read('older');
  const texts = [...result.messages.values()].flatMap(({ parts }) => parts.flatMap((part) => part['text'] ?? []));
  expect(texts.filter((text) => text === 'I will find where the date is written.')).toHaveLength(1);
  expect(texts.filter((text) => text === 'Try once more.')).toHaveLength(1);
});

test('a compaction: what stays in view is shown again, the rest is hidden; the next one hides it all', () => {
  const result = read('compaction');
  expect(seen(result)).toEqual(['user: Nothing is left to do.', 'user: Bye.', 'assistant: Bye.']);
  const first = replay(fixture('compaction').slice(0, -14), [], false, codex);
  expect(seen(first)).toEqual([
    'user: Name the colours.',
    'user: And the shapes.',
    'user: Another language model started to solve this problem. Colours and shapes were named.',
    'user: Which of them did I like?',
    'assistant: You did not say.',
  ]);
  const summary = [...first.messages.values()].find(({ metadata }) => metadata['is_compact_summary']);
  expect(summary?.parts[1]).toEqual({
    type: 'data-compaction',
    data: { type: 'compaction', encrypted_content: 'gAAAAABsummary' },
  });
  const lines = summary?.metadata['lines'] as { replacement: unknown[] }[] | undefined;
  expect(lines?.[0]?.replacement).toEqual([...first.visible.slice(0, 2), null, null]);
});

test('turns that were taken back are hidden, and the next message hangs on what came before them', () => {
  const result = read('rollback');
  expect(seen(result)).toEqual([
    'user: Write a poem.',
    'assistant: Roses are red.',
    'user: Make it shorter.',
    'assistant: Roses.',
  ]);
  expect(result.messages.size).toBe(8);
  expect(result.messages.get(result.visible[2] ?? '')?.metadata['parent_id']).toBe(result.visible[1]);
  // The usage stays.
  expect(result.usage['output']).toBe(34);
});

test('the rollout of a sub-agent names the session that started it, and a copy the one that it was made of', () => {
  const child = read('sub-agent');
  expect(child.about).toMatchObject({
    agent_session_id: '01a1f000-0000-7000-8000-000000000005',
    parent_agent_session_id: '01a1f000-0000-7000-8000-000000000001',
  });
  expect([...child.messages.values()].map(({ metadata }) => metadata['agent_id'])).toEqual(
    Array.from({ length: 3 }, () => '01a1f000-0000-7000-8000-000000000005'),
  );
  const copy = read('fork');
  expect(copy.about).toMatchObject({
    agent_session_id: '01a1f000-0000-7000-8000-000000000006',
    parent_agent_session_id: '01a1f000-0000-7000-8000-000000000004',
    cwd: '/home/dev/acme-http',
    agent_version: '0.169.0',
  });
  expect([...copy.messages.values()].some(({ metadata }) => 'agent_id' in metadata)).toBe(false);
  expect(copy.usage).toMatchObject({ input: 140, cache_read: 100, output: 22 });
});

test('names a damaged line, reads the rest, and keeps unknown records', () => {
  const result = read('damaged');
  expect(result.problems.map(({ line }) => line)).toEqual([8, 9, 10]);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as unknown as {
    type?: string;
    line: number;
    repeats?: string;
  }[];
  expect(raws.filter(({ type }) => type === undefined).map(({ line }) => line)).toEqual([8, 10]);
  expect(raws.flatMap(({ type }) => (/snapshot|new|reasoning/.test(type ?? '') ? [type] : []))).toEqual([
    'event_msg/agent_reasoning',
    'event_msg/agent_reasoning',
    'response_item/ghost_snapshot',
    'brand_new',
    'brand_new',
  ]);
  // A result that is told twice, and a line that stands there twice.
  expect(raws.filter(({ repeats }) => repeats).map(({ line, type }) => [line, type])).toEqual([[18, 'turn_context']]);
  expect(raws.find(({ line }) => line === 17)).toMatchObject({ type: 'response_item/function_call_output' });
  expect(partOf(result, 'call_lost')).toMatchObject({ state: 'output-error', errorText: 'no result recorded' });
  expect(partOf(result, 'call_nobody')).toMatchObject({ toolName: 'unknown', is_orphan: true, output: 'who asked?' });
  expect(partOf(result, 'call_odd')).toMatchObject({ input: '{"cmd": not JSON' });
  expect(did(result)).toEqual(['call_half: run make check → 2 in 400 ms']);
  expect(linesKept(result)).toBe(fixture('damaged').length + 1);
});

test('records without an envelope: what is said twice is kept twice, and all has the time of the header', () => {
  const { messages, about, moves, derived, bodies } = read('bare');
  expect(about).toMatchObject({ cwd: '/home/dev/acme-http', git_branch: 'main' });
  const prompts = [...messages.values()].filter(({ role, metadata }) => role === 'user' && !metadata['is_meta']);
  expect(prompts.map(({ parts }) => parts[0]?.['text'])).toEqual([
    'How many tests are there?',
    'Add one for the retry.',
    'How many tests are there?',
    'Thanks.',
  ]);
  expect(moves.filter((move) => move.startsWith('done'))).toHaveLength(4);
  expect(derived.map(({ kind, exit_code }) => [kind, exit_code])).toContainEqual(['command', 0]);
  expect(new Set([...messages.values()].map(({ metadata }) => metadata['created_at']))).toEqual(
    new Set([Date.parse('2025-07-14T09:30:00Z') / 1000]),
  );
  const states = (bodies as JsonObject[]).filter(({ type }) => type === 'state');
  expect(states).toHaveLength(10);
  expect(states[0]?.['data']).toEqual({ record_type: 'state' });
});

test('recognises the agent of a rollout by its content alone', () => {
  expect(agentNamed('codex')).toBe(codex);
  const meta = `{"timestamp":"2026-11-20T09:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"x","base_instructions":{"text":"${'x'.repeat(500)}`;
  expect(recogniseAgent(meta)).toBe(codex);
  expect(recogniseAgent('{"type":"session_meta","payload":{}}')).toBeUndefined();
  expect(recogniseAgent('{"timestamp":"x","type":"session","payload":{}}')).toBeUndefined();
});

describe('sums of tokens', () => {
  /** Returns the counts of one version of Codex: its keys, whatever they are, all have the same count. */
  const counts = (count: number, keys = ['input_tokens', 'output_tokens']): JsonObject =>
    Object.fromEntries(keys.map((key) => [key, count]));
  const WRITES = ['input_tokens', 'output_tokens', 'cache_write_input_tokens'];
  type Told = [total: JsonObject, last?: JsonObject];

  const turns = (told: readonly Told[], recordOf: (told: Told) => JsonObject): string[] => {
    const message = (role: string, type: string, text: string) => ({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type, text }] },
    });
    const records = told.flatMap((sums, index) => [
      message('user', 'input_text', `do ${index}`),
      message('assistant', 'output_text', `did ${index}`),
      recordOf(sums),
    ]);
    const meta = { type: 'session_meta', payload: { id: 'session', cwd: '/home/dev/acme-http' } };
    return [meta, ...records].map((record, index) =>
      JSON.stringify({ timestamp: new Date(1_768_000_000_000 + index).toISOString(), ...record }),
    );
  };

  const event = ([total_token_usage, last_token_usage]: Told): JsonObject => {
    const payload = { type: 'token_count', info: { total_token_usage, last_token_usage } };
    return { type: 'event_msg', payload };
  };
  const record = ([thread_token_usage, usage]: Told): JsonObject => {
    return { type: 'token_usage_record', payload: { thread_id: 'session', thread_token_usage, usage } };
  };

  test.each<[what: string, told: Told[], output: number]>([
    [
      'that grow',
      [
        [counts(10), counts(10)],
        [counts(25), counts(15)],
      ],
      25,
    ],
    [
      'begun anew with less',
      [
        [counts(10), counts(10)],
        [counts(4), counts(4)],
      ],
      14,
    ],
    [
      'begun anew with more',
      [
        [counts(10), counts(10)],
        [counts(50), counts(50)],
      ],
      60,
    ],
    [
      'begun anew with more, and gone on',
      [
        [counts(10), counts(10)],
        [counts(50), counts(45)],
        [counts(60), counts(10)],
      ],
      70,
    ],
    [
      'told once more after an estimate of the context',
      [
        [counts(10), counts(10)],
        [counts(10), counts(900)],
      ],
      10,
    ],
    [
      'of which one was not told',
      [
        [counts(10), counts(10)],
        [counts(50), counts(15)],
      ],
      50,
    ],
    ['without what the last call used', [[counts(10)], [counts(50)]], 50],
    [
      'with a key less than before',
      [
        [counts(10, WRITES), counts(10, WRITES)],
        [counts(25), counts(15)],
      ],
      25,
    ],
    [
      'with a key that comes back',
      [
        [counts(10, WRITES), counts(10, WRITES)],
        [counts(25), counts(15)],
        [counts(40, WRITES), counts(15, WRITES)],
      ],
      40,
    ],
  ])('%s', (_, told, output) => {
    for (const recordOf of [event, record]) {
      const lines = turns(told, recordOf);
      expect(replay(lines, [], false, codex).usage['output']).toBe(output);
      const starts = lines.map((_line, index) => index).slice(1);
      expect(replay(lines, starts, false, codex).usage['output']).toBe(output);
    }
  });
});

test('keeps further fields of the pieces of a thought with their line', () => {
  const plain = { type: 'summary_text', text: 'Look.' };
  const marked = { type: 'reasoning_text', text: 'At it.', signature: 'abc' };
  const lines = [
    ['session_meta', { id: '01a20004-e71e-7f11-965c-4200000000ad', cwd: '/p', cli_version: '0.169.0' }],
    ['response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }],
    ['response_item', { type: 'reasoning', summary: [plain], content: [marked] }],
  ].map(([type, payload]) => JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type, payload }));
  const kept = JSON.stringify([...replay(lines, [], false, codex).messages.values()].at(-1)?.metadata['lines']);
  expect(kept).toContain(JSON.stringify([marked]));
  expect(kept).not.toContain('Look.');
});
