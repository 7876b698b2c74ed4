// Sessions of pi of our own writing: what they tell.
import { expect, test } from 'vitest';
import { recogniseAgent } from '../../src/agents/index.ts';
import { pi } from '../../src/agents/pi/index.ts';
import { did, fixture, read, seen } from './support/conformance.ts';
import { bodiesOf, type Replay, replay, replayRewritten } from './support/replay.ts';

function partOf(result: Replay, call: string): object | undefined {
  return [...result.messages.values()].flatMap(({ parts }) => parts).find((part) => part['toolCallId'] === call);
}

test('a story with a branch: what was given up is kept and hidden', () => {
  const result = read(pi, 'branches.jsonl');
  expect(result.about).toEqual({
    agent_session_id: '01a1f100-0000-7000-8000-000000000001',
    parent_agent_session_id: '01a1f100-0000-7000-8000-000000000009',
    cwd: '/home/dev/acme-http',
    model: 'claude-opus-5-5',
    title: 'Retry failed requests',
  });
  expect(result.moves).toEqual([
    'prompt Retry failed requests, at most three times.',
    'interrupt Leave the tests alone, please.',
    'prompt',
    'done I leave them alone. Requests are tried three times now.',
    'turn',
    'prompt Add jitter to the delay.',
    'interrupt Add jitter to the delay.',
    'turn',
    'prompt [image]',
    'ask That is the delay as a curve. Shall I write it down?',
    'turn',
  ]);
  expect(seen(result)).toEqual([
    'system: You are a coding agent. | <tools>',
    'user: Retry failed requests, at most three times.',
    'user: The project has a limiter.',
    "assistant: Look at the client first. | I'll look.",
    'assistant: ',
    'assistant: ',
    'user: Leave the tests alone, please.',
    'assistant: I leave them alone. Requests are tried three times now.',
    'user: Jitter was tried and given up.',
    'user: ',
    'assistant: That is the delay as a curve. Shall I write it down?',
  ]);
  expect(result.messages.size).toBe(14);
  const summary = result.messages.get(result.visible[8] ?? '');
  expect(summary?.metadata).toMatchObject({ is_meta: true, is_branch_summary: true, parent_id: result.visible[7] });
});

test('hides an abandoned branch as such after a compaction', () => {
  const message = (id: string, parentId: string | null, role: string, text: string): string =>
    JSON.stringify({
      ...{ type: 'message', id, parentId, timestamp: '2026-11-20T10:00:00.000Z' },
      message: { role, content: text, stopReason: 'stop' },
    });
  const entry = { timestamp: '2026-11-20T10:00:01.000Z', summary: 'Doors.', firstKeptEntryId: 'e', tokensBefore: 9 };
  const { bodies } = replay(
    [
      ...[message('a', null, 'user', 'Open it.'), message('b', 'a', 'assistant', 'Open.')],
      ...[message('c', 'b', 'user', 'Paint it.'), message('d', 'c', 'assistant', 'Painted.')],
      ...[message('e', 'b', 'user', 'Shut it.'), message('f', 'e', 'assistant', 'Shut.')],
      JSON.stringify({ type: 'compaction', id: 'g', parentId: 'f', ...entry }),
      message('h', 'g', 'user', 'Thanks.'),
    ],
    [],
    false,
    pi,
  );
  const told = bodies.flatMap((body) => (body.kind === 'overlay' ? [body as unknown as Overlay] : []));
  const words = new Map(bodies.flatMap((body) => (body.kind === 'message' ? [wordsOf(body as never)] : [])));
  expect(told.map(({ op, ids, reason }) => [op, reason, ids.map((id) => words.get(id))])).toEqual([
    ['hide', 'branch', ['Paint it.', 'Painted.']],
    ['hide', 'compaction', ['Open it.', 'Open.']],
  ]);
});

interface Overlay {
  op: string;
  ids: string[];
  reason: string;
}
const wordsOf = ({ message }: { message: { id: string; parts: { text: string }[] } }): [string, string] => [
  message.id,
  message.parts.map(({ text }) => text).join(''),
];

test('what its tools did: files, and commands with their exit codes', () => {
  const result = read(pi, 'branches.jsonl');
  expect(did(result)).toEqual([
    'call_1: read /home/dev/acme-http/src/client.ts, 48 characters',
    // Only a part of it was read.
    'call_2: read /home/dev/acme-http/README.md',
    'call_3: write /home/dev/acme-http/src/client.ts',
    'call_4: write /home/dev/acme-http/src/retry.ts, 24 characters',
    'call_5: run npm test → 1',
    'call_6: run sleep 100 → null',
  ]);
  expect(result.derived.map(({ output }) => output).slice(4)).toEqual([
    '1 failed: retry is not a function\n',
    'waiting\n',
  ]);
  expect(partOf(result, 'call_3')).toMatchObject({ result: { diff: '-fetch(url)\n+retry(() => fetch(url))' } });
  // 7 calls of the model, those of the branch that was given up among them.
  expect(result.usage).toEqual({ input: 990, output: 212, reasoning: 0, cache_read: 7500, cache_write: 490 });
  expect(result.apiMessages).toBe(7);
});

test('a compaction: from the first entry that is kept on, the rest is in view; one that keeps nothing hides it all', () => {
  const result = read(pi, 'compactions.jsonl');
  expect(seen(result)).toEqual(['user: Nothing is left to do.', 'user: Bye.', 'assistant: Bye.']);
  const first = replay(linesUntil('compactions.jsonl', 'Nothing is left to do.'), [], false, pi);
  expect(seen(first)).toEqual([
    'user: And the shapes.',
    'assistant: Round and square.',
    'user: Colours were named.',
    'user: Which of them did I like?',
    'assistant: You did not say.',
  ]);
  const summary = [...first.messages.values()].find(({ metadata }) => metadata['is_compact_summary']);
  expect(summary?.metadata['lines']).toMatchObject([{ details: { readFiles: [] }, tokensBefore: 33 }]);
  // The compaction was a call of the model too; a record that stands there twice is counted once.
  expect(result.usage).toMatchObject({ input: 69, output: 26 });
  expect(result.about).toMatchObject({ model: 'gpt-5.2' });
  expect(result.bodies.filter((body) => 'repeats' in body)).toHaveLength(1);
});

/** The lines before the one that says something. */
function linesUntil(name: string, words: string): string[] {
  const lines = fixture(pi, name);
  return lines.slice(
    0,
    lines.findIndex((line) => line.includes(words)),
  );
}

test('an older session is a list: a compaction names what it keeps by number, and the user ran commands', () => {
  const result = read(pi, 'older.jsonl');
  expect(result.moves).toEqual([
    'prompt What does the log do?',
    'done Nothing.',
    'turn',
    'prompt Then take it out.',
    'interrupt Then take it out.',
    'turn',
    'prompt Go on.',
    'interrupt Go on.',
    'turn',
  ]);
  expect(did(result)).toEqual([
    'run ls → 0',
    'toolu_1: run grep -rn log src → 0',
    'toolu_2: run rm src/log.ts → null',
    'run sleep 9 → null',
  ]);
  expect(seen(result)).toEqual([
    'user: Then take it out.',
    'assistant: ',
    'user: The log does nothing.',
    'assistant: It is not there',
    'user: ',
    'user: Go on.',
    'assistant: ',
  ]);
  expect(result.about).toMatchObject({ parent_agent_session_id: '01a1f100-0000-7000-8000-000000000004' });
});

test('names a damaged line, reads the rest, and keeps unknown records', () => {
  const result = read(pi, 'damaged.jsonl');
  expect(result.problems.map(({ line }) => line)).toEqual([4, 5]);
  const raws = result.bodies.filter(({ kind }) => kind === 'raw') as { type?: string; line?: number }[];
  expect(raws.map(({ line, type }) => [line, type])).toEqual([
    [1, 'session'],
    [4, undefined],
    [5, 'brand_new'],
    [7, 'message/toolResult'],
    [8, 'message/nobody'],
  ]);
  expect(partOf(result, 'call_lost')).toMatchObject({ state: 'output-error', errorText: 'no result recorded' });
  expect(partOf(result, 'call_nobody')).toMatchObject({ toolName: 'unknown', is_orphan: true });
  expect(did(result)).toEqual(['call_1: run make check → 2']);
});

test('recognises the agent of a session by its content alone', () => {
  const entry = '"id":"a","parentId":null,"timestamp":"2026-01-14T09:12:04.000Z"';
  expect(recogniseAgent(`{"type":"thinking_level_change",${entry},"thinkingLevel":"off"}`)).toBe(pi);
  expect(recogniseAgent(`{"type":"message",${entry},"message":{"role":"user","content":"hi"}}`)).toBeUndefined();
  expect(recogniseAgent('{"type":"session","version":3,"id":"a","timestamp":"x"}')).toBeUndefined();
});

test('a branch that was left is in view again where the user goes back to it', () => {
  const said = (id: string, parentId: string | null, content: string) => {
    const timestamp = `2026-11-22T09:00:0${id}.000Z`;
    return JSON.stringify({ type: 'message', id, parentId, timestamp, message: { role: 'user', content } });
  };
  const lines = [said('1', null, 'One.'), said('2', '1', 'Two.'), said('3', '1', 'Three.'), said('4', '2', 'Four.')];
  expect(seen(replay(lines.slice(0, 3), [], false, pi))).toEqual(['user: One.', 'user: Three.']);
  for (const starts of [[], [1, 2, 3]])
    expect(seen(replay(lines, starts, false, pi))).toEqual(['user: One.', 'user: Two.', 'user: Four.']);
});

const HEADER = { type: 'session', id: 's', timestamp: '2026-11-22T10:00:00.000Z', cwd: '/w' };
const USAGE = { input: 100, output: 20 };
const said = (second: number, message: object): object => {
  return { type: 'message', timestamp: `2026-11-22T10:00:0${second}.000Z`, message };
};
const older = (answer: string): object[] => [
  said(1, { role: 'user', content: 'Add a retry' }),
  said(2, { role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } }] }),
  said(3, { role: 'toolResult', toolCallId: 'c1', toolName: 'bash', content: [{ type: 'text', text: 'a.ts' }] }),
  said(4, { role: 'assistant', content: [{ type: 'text', text: answer }], usage: USAGE }),
  said(5, { role: 'hookMessage', content: 'Mind the gap.' }),
];
/** The same, as pi writes an older file anew. */
const newer = (answer: string): object[] =>
  older(answer).map((entry, index) => {
    const { message } = entry as { message: { role: string } };
    const role = message.role === 'hookMessage' ? 'custom' : message.role;
    return { ...entry, message: { ...message, role }, id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}` };
  });
const textOf = (header: object, entries: object[]): string[] =>
  [header, ...entries].map((each) => JSON.stringify(each));
const VERSIONED = { ...HEADER, version: 3 };

test('an older file that pi has rewritten with ids is the same conversation', () => {
  const before = replay(textOf(HEADER, older('Done.')), [], false, pi);
  const lines = textOf(VERSIONED, newer('Done.'));
  const events = replayRewritten(before, lines, pi);
  const gained = bodiesOf(events) as { kind: string; data: object }[];
  expect(events).toHaveLength(gained.length);
  expect(gained.map(({ kind }) => kind)).toEqual(Array(6).fill('raw'));
  expect(gained.map(({ data }) => data)).toMatchObject([{ version: 3 }, { id: 'e0' }, {}, {}, {}, { id: 'e4' }]);
  // The meaning of the new ids is known from then on.
  const after = { ...before, bodies: [...before.bodies, ...(gained as Replay['bodies'])] };
  expect(replayRewritten(after, lines, pi)).toEqual([]);
  const branch = JSON.stringify({ ...said(9, { role: 'user', content: 'Else.' }), id: 'e9', parentId: 'e0' });
  const branched = bodiesOf(replayRewritten(after, [...lines, branch], pi));
  expect(branched.filter(({ kind }) => kind === 'overlay')).toMatchObject([
    { op: 'hide', ids: [...before.messages.keys()].slice(1) },
  ]);
});

test('another text of an entry corrects its message, and what it used counts once', () => {
  const before = replay(textOf(VERSIONED, newer('Done.')), [], false, pi);
  const lines = textOf(VERSIONED, newer('It is done.'));
  const events = replayRewritten(before, lines, pi);
  const bodies = bodiesOf(events);
  expect(bodies.map(({ kind }) => kind)).toEqual(['part', 'raw']);
  const message = [...before.messages.keys()][2];
  expect(bodies[0]).toMatchObject({ message_id: message, part: { type: 'text', text: 'It is done.' } });
  const after = { ...before, bodies: [...before.bodies, ...bodies] };
  expect(bodiesOf(replayRewritten(after, lines, pi))).toEqual([]);
  const more = newer('It is all done.');
  Object.assign((more[3] as { message: object }).message, { usage: { input: 110, output: 20 } });
  expect(bodiesOf(replayRewritten(after, textOf(VERSIONED, more), pi))).toContainEqual({
    kind: 'usage',
    usage: { input: 10, output: 0 },
    messages: 0,
  });
});

test('another text of a prompt, of a call or of a result is not acted on once more', () => {
  const before = replay(textOf(VERSIONED, newer('Done.')), [], false, pi);
  const text = textOf(VERSIONED, newer('Done.')).join('\n');
  const edited = text.replace('Add a retry', 'Add two').replace('"ls"', '"ls -a"').replace('a.ts', 'b.ts').split('\n');
  const events = replayRewritten(before, edited, pi);
  expect(events.filter(({ type }) => type === 'prompt' || type === 'problem')).not.toContainEqual(
    expect.objectContaining({ text: 'Add two' }),
  );
  const bodies = bodiesOf(events) as { kind: string; message_id?: string; part?: object }[];
  expect(bodies.map(({ kind }) => kind).toSorted()).toEqual(['part', 'part', 'raw', 'raw', 'raw']);
  expect(bodies.flatMap(({ part }) => part ?? [])).toMatchObject([
    { text: 'Add two' },
    { toolCallId: 'c1', output: [{ text: 'b.ts' }] },
  ]);
});
