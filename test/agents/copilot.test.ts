// Logs of Copilot CLI of our own writing: what they tell.
import { expect, test } from 'vitest';
import { copilot } from '../../src/agents/copilot/index.ts';
import { recogniseAgent } from '../../src/agents/index.ts';
import { did, read, seen } from './support/conformance.ts';
import { bodiesOf, type Replay, replay, replayRewritten } from './support/replay.ts';

function partOf(result: Replay, call: string): object | undefined {
  return [...result.messages.values()].flatMap(({ parts }) => parts).find((part) => part['toolCallId'] === call);
}

test('a story: a question, a sub-agent, a user who cuts in, a compaction, an abort', () => {
  const result = read(copilot, 'count.jsonl');
  expect(result.about).toEqual({
    agent_session_id: '01a1f200-0000-7000-8000-000000000001',
    agent_version: '1.0.20',
    cwd: '/home/dev/acme-http',
    git_branch: 'main',
    model: 'gpt-5.2',
    title: 'Count failures',
  });
  expect(result.moves).toEqual([
    'prompt Count the requests that fail.',
    'ask Count timeouts too?',
    'prompt Yes',
    'interrupt Leave the client alone.',
    'prompt',
    'done Failures are counted.',
    'turn',
    'prompt Show them.',
    'interrupt Show them.',
    'turn',
  ]);
  expect(seen(result)).toEqual(['user: Failures are counted in src/count.ts.', 'user: Show them.', 'assistant: ']);
});

test('what its tools did: files, plans, and commands with their exit codes', () => {
  const result = read(copilot, 'count.jsonl');
  expect(did(result)).toEqual([
    't2: read /home/dev/acme-http/src/client.ts',
    't3: run npm test → 1',
    's1: run ls → 0',
    't6: write /home/dev/acme-http/src/count.ts, 23 characters',
    't8: plan - [x] Count',
  ]);
  expect(result.derived[1]?.['output']).toBe('1 failed');
  expect(partOf(result, 't7')).toMatchObject({ state: 'output-error', errorText: 'The user rejected this tool call.' });
  expect(partOf(result, 't9')).toMatchObject({ errorText: 'no result recorded' });
  expect(partOf(result, 't2')).toMatchObject({ result: 'diff' });
});

test('does not count the tokens of messages again in the sum at the end', () => {
  const result = read(copilot, 'count.jsonl');
  // Of input 9,000 and 300, of which 7,500 from the cache and into it; of output 159 and 11.
  expect(result.usage).toEqual({ input: 1800, output: 170, cache_read: 7000, cache_write: 500 });
  expect(result.apiMessages).toBe(6);
});

test('a sub-agent speaks beside the conversation, and what a skill says is no prompt', () => {
  const messages = [...read(copilot, 'count.jsonl').messages.values()];
  const side = messages.filter(({ metadata }) => metadata['is_sidechain']);
  expect(side.map(({ metadata }) => metadata['parent_tool_call_id'])).toEqual(['t4']);
  const meta = messages.filter(({ metadata }) => metadata['is_meta']);
  expect(meta.map(({ parts }) => parts[0]?.['text'])).toEqual(['Context of a skill.']);
});

test('names a damaged line, reads the rest, and hides an abandoned branch', () => {
  const result = read(copilot, 'damaged.jsonl');
  expect(result.problems.map(({ line }) => line)).toEqual([4, 5]);
  expect(seen(result)).toEqual(['user: Try it.', 'assistant: Another way.', 'user: ', 'assistant: ']);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as { type?: string; repeats?: string }[];
  expect(raws.filter(({ repeats }) => repeats).map(({ type }) => type)).toEqual(['assistant.message']);
  expect(raws.some(({ type }) => type === 'brand.new')).toBe(true);
  expect(partOf(result, 'nobody')).toMatchObject({ is_orphan: true });
  expect(result.moves).toEqual(['prompt Try it.', 'interrupt Try it.', 'turn']);
});

test('recognises the agent of a log by its content alone', () => {
  const long = `{"type":"session.start","data":{"sessionId":"a","producer":"${'x'.repeat(500)}`;
  expect(recogniseAgent(long)).toBe(copilot);
  expect(recogniseAgent('{"type":"session.start","data":{}}')).toBeUndefined();
});

test('another text of an event corrects its message, and what it used counts once', () => {
  const lines = (answer: string): string[] =>
    [
      { type: 'user.message', data: { content: 'Go.' }, id: 'u', parentId: null },
      { type: 'assistant.message', data: { messageId: 'm', content: answer, outputTokens: 7 }, id: 'a', parentId: 'u' },
    ].map((event) => JSON.stringify({ ...event, timestamp: '2026-11-22T10:00:00.000Z' }));
  const before = replay(lines('Done.'), [], false, copilot);
  const bodies = bodiesOf(replayRewritten(before, lines('All done.'), copilot));
  const [, message_id] = [...before.messages.keys()];
  expect(bodies).toMatchObject([{ kind: 'part', message_id, part: { text: 'All done.' } }, { kind: 'raw' }]);
});

test('what a sub-agent says has no place in the conversation, however often the log was read', () => {
  const call = { toolCallId: 't', name: 'task', arguments: { prompt: 'Look.' } };
  const lines = [
    { type: 'user.message', data: { content: 'Go.' }, id: 'u', parentId: null },
    { type: 'assistant.message', data: { content: 'I ask.', toolRequests: [call] }, id: 'a', parentId: 'u' },
    { type: 'assistant.message', data: { content: 'Found.', parentToolCallId: 't' }, id: 's', parentId: 'a' },
    { type: 'assistant.message', data: { content: 'Done.' }, id: 'b', parentId: 's' },
    { type: 'user.message', data: { content: 'Once more.' }, id: 'v', parentId: 's' },
    { type: 'session.compaction_complete', data: { summaryContent: 'All of it.' }, id: 'c', parentId: 'v' },
  ].map((event) => JSON.stringify({ ...event, timestamp: '2026-11-22T10:00:00.000Z' }));
  for (const starts of [[], [3], [4], [5], [1, 2, 3, 4, 5]]) {
    const result = replay(lines, starts, false, copilot);
    const said = [...result.messages.values()];
    const id = (text: string) => said.find(({ parts }) => parts[0]?.['text'] === text)?.id;
    expect(said.find(({ id: own }) => own === id('Once more.'))?.metadata['parent_id']).toBe(id('I ask.'));
    expect(result.hidden.toSorted()).toEqual(['Go.', 'I ask.', 'Done.', 'Once more.'].map(id).toSorted());
  }
});

test('keeps all fields of a result or an error with its call', () => {
  const outcome = (data: object): object | undefined => {
    const toolRequests = [{ toolCallId: 't', name: 'fetch', arguments: {} }];
    const lines = [
      { type: 'user.message', data: { content: 'Go.' }, id: 'u', parentId: null },
      { type: 'assistant.message', data: { content: '', toolRequests }, id: 'a', parentId: 'u' },
      { type: 'tool.execution_complete', data: { toolCallId: 't', ...data }, id: 'r', parentId: 'a' },
    ].map((event) => JSON.stringify({ ...event, timestamp: '2026-11-22T10:00:00.000Z' }));
    const {
      type: _,
      toolName: _name,
      toolCallId: _id,
      input: _input,
      completed_at: _at,
      ...told
    } = {
      ...partOf(replay(lines, [], false, copilot), 't'),
    } as Record<string, unknown>;
    return told;
  };
  const contents = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
  const [output, failure] = [{ state: 'output-available', output: 'Out.' }, { state: 'output-error' }];
  expect(outcome({ result: { content: 'Out.', detailedContent: 'Out.' } })).toEqual(output);
  expect(outcome({ result: { content: 'Out.', detailedContent: 'All.' } })).toEqual({ ...output, result: 'All.' });
  const whole = { content: 'Out.', contents, detailedContent: 'All.' };
  expect(outcome({ result: whole })).toEqual({ ...output, result: { result: { contents, detailedContent: 'All.' } } });
  const denied = { message: 'No.', code: 'denied' };
  const code = { result: { error: { code: 'denied' } } };
  expect(outcome({ success: false, error: denied })).toEqual({ ...failure, errorText: 'No.', ...code });
  const both = { result: { content: 'Out.' }, error: { message: 'No.' } };
  const message = { result: { error: { message: 'No.' } } };
  expect(outcome({ success: false, ...both })).toEqual({ ...failure, errorText: 'Out.', ...message });
  expect(outcome({ result: 'Out.' })).toEqual(output);
  expect(outcome({ result: ['Out.'] })).toEqual({ ...output, output: ['Out.'] });
  const plain = { success: false, result: 'Out.', error: 'No.' };
  expect(outcome(plain)).toEqual({ ...failure, errorText: 'Out.', result: { error: 'No.' } });
});
