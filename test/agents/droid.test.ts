// Sessions of Droid of our own writing: what they say.
import { expect, test } from 'vitest';
import { derive } from '../../src/agents/droid/format.ts';
import { droid } from '../../src/agents/droid/index.ts';
import { did, read, seen } from './support/conformance.ts';
import { replay } from './support/replay.ts';

test('reads a story: a command that fails, a compaction, an interrupt, and notices that are no prompts', () => {
  const result = read(droid, 'retry-once.jsonl');
  expect(result.moves).toEqual([
    'prompt Retry a request once.',
    'done A request is retried once.',
    'turn',
    'prompt Show it.',
    'interrupt Show it.',
    'turn',
    'prompt Leave it.',
    'done Left as it is.',
    'turn',
  ]);
  expect(seen(result)).toEqual([
    'user: Requests are retried once.',
    'user: Show it.',
    'assistant: ',
    'user: Leave it.',
    'assistant: Left as it is.',
    'user: Token limit reached.',
  ]);
});

test('records the files, plans and commands of its tools', () => {
  const result = read(droid, 'retry-once.jsonl');
  expect(did(result)).toEqual([
    'toolu_01: read /home/dev/acme-http/src/client.ts',
    'toolu_02: run npm test → 1',
    'toolu_03: plan - [>] Retry - [ ] Test',
    'toolu_04: write /home/dev/acme-http/src/client.ts',
    'toolu_05: write /home/dev/acme-http/src/retry.ts, 24 characters',
    'toolu_06: write /home/dev/acme-http/src/once.ts, 23 characters',
    'toolu_06: delete /home/dev/acme-http/src/twice.ts',
    'toolu_07: run npm test → 0',
  ]);
  expect(result.derived.map(({ output }) => output).filter((output) => output !== undefined)).toEqual([
    '1 failed',
    '2 passed',
  ]);
});

test('a command without a known exit code is recorded, a refused one is not', () => {
  const result = { callId: 'c', content: undefined, text: 'a b', failed: false, structured: undefined };
  const ran = (failed: boolean): unknown[] =>
    derive('Execute', { command: 'ls' }, { ...result, failed }, undefined).map(({ body }) => body);
  expect(ran(false)).toEqual([{ kind: 'command', command: 'ls', exit_code: null, output: 'a b' }]);
  expect(ran(true)).toEqual([]);
});

test('a prompt while a call waits interrupts the agent, which continues with it', () => {
  const at = (second: number): string => `2026-11-22T09:00:0${second}.000Z`;
  const message = (id: string, second: number, role: string, content: unknown): object => ({
    ...{ type: 'message', id, timestamp: at(second), message: { role, content } },
  });
  const call = { type: 'tool_use', id: 'c', name: 'Execute', input: { command: 'ls' } };
  const lines = [
    message('a', 1, 'user', 'Go.'),
    message('b', 2, 'assistant', [call]),
    message('c', 3, 'user', 'Stop, and look first.'),
  ];
  const { moves } = replay(
    lines.map((line) => JSON.stringify(line)),
    [],
    false,
    droid,
  );
  expect(moves.slice(0, 3)).toEqual(['prompt Go.', 'interrupt Stop, and look first.', 'prompt']);
});

test('takes the model of a session from the settings beside it', () => {
  const { companion } = droid;
  expect(companion?.placesOf('a.jsonl')).toEqual(['a.settings.json']);
  expect(companion?.about('{"model":"claude-sonnet-5","tokenUsage":{"inputTokens":4}}')).toEqual({
    model: 'claude-sonnet-5',
  });
  expect(companion?.about('{"model":5}')).toEqual({});
  expect(companion?.about('no JSON')).toEqual({});
});
