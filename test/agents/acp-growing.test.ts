// A recording of the Agent Client Protocol that is ingested while a message streams: the same as one ingest of the whole.
import { describe, expect, test } from 'vitest';
import { acp } from '../../src/agents/acp/index.ts';
import { fsck } from '../support/store.ts';
import { beginnings, grown, inClear } from './support/grown.ts';
import { assemble, replay, replayRewritten } from './support/replay.ts';

/** A token, in pieces of its own. */
const PIECES = [['gh', 'p_A1b2C3d4'].join(''), 'E5f6G7h8I9j0', 'K1l2M3n4O5p6Q7r8'];

const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
const said = (sessionUpdate: string, text: string): string =>
  line({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, content: { type: 'text', text } } },
  });
const spoken = (...texts: string[]): string[] => texts.map((text) => said('agent_message_chunk', text));
const BEGUN = [
  line({ id: 1, method: 'session/new', params: { cwd: '/home/dev/acme' } }),
  line({ id: 1, result: { sessionId: 's' } }),
  line({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Tell.' }] } }),
];
const ENDED = line({ id: 2, result: { stopReason: 'end_turn' } });
const call = (update: object): string => line({ method: 'session/update', params: { sessionId: 's', update } });
const CALL = [
  call({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'execute', rawInput: { command: 'ls' } }),
  call({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', rawOutput: { output: 'a' } }),
];
const PLAN = call({ sessionUpdate: 'plan', entries: [{ content: 'Look', status: 'pending' }] });
const LOADED = [
  line({ id: 1, method: 'session/load', params: { sessionId: 's', cwd: '/home/dev/acme' } }),
  ...['It is ', ...PIECES, ', say why.'].map((text) => said('user_message_chunk', text)),
  ...spoken('Because.'),
  line({ id: 1, result: null }),
];

const RECORDINGS: [string, string[]][] = [
  ['words', [...BEGUN, ...spoken('It is ', ...PIECES, ', keep it.'), ENDED]],
  [
    'thoughts before them',
    [
      ...BEGUN,
      said('agent_thought_chunk', 'Let '),
      said('agent_thought_chunk', 'me see.'),
      ...spoken('It ', 'is.'),
      ENDED,
    ],
  ],
  ['words around a call', [...BEGUN, ...spoken('I ', 'look'), ...CALL, ...spoken('It ', 'is a.'), ENDED]],
  ['words around a plan', [...BEGUN, ...spoken('It is '), PLAN, ...spoken(...PIECES), PLAN, ...spoken('.'), ENDED]],
  ['the same piece twice', [...BEGUN, ...spoken('no ', 'no ', 'no.'), ENDED]],
];

describe.each(RECORDINGS)('%s', (_name, lines) => {
  const once = grown([`${lines.join('\n')}\n`]);

  test('ingested after every line', () => {
    const steps = grown(beginnings(lines, BEGUN.length));
    expect({ ...steps, project: null }).toEqual({ ...once, project: null });
    expect(inClear(steps, PIECES.slice(1))).toEqual([]);
    expect(inClear(steps, [PIECES[0]?.slice(2) ?? ''])).toEqual([]);
    expect(fsck(steps.project.store)).toBe('');
  });

  test.each(lines.map((_, index) => index).slice(BEGUN.length))('ingested before line %i and at the end', (cut) => {
    const [begun = '', whole = ''] = [lines.slice(0, cut), lines].map((some) => `${some.join('\n')}\n`);
    expect({ ...grown([begun, whole]), project: null }).toEqual({ ...once, project: null });
  });
});

test('what is cut off has its words, and no beginning of a secret', () => {
  const cut = grown([`${[...BEGUN, ...spoken('It is ', PIECES[0] ?? '')].join('\n')}\n`]);
  expect(cut.messages).toMatchObject([{ role: 'user' }, { parts: [{ text: 'It is [redacted:github-token]' }] }]);
  expect(inClear(cut, [PIECES[0]?.slice(2) ?? ''])).toEqual([]);
});

test('reads the whole text of the user in a loaded session, without the beginning of a secret', () => {
  const once = grown([`${LOADED.join('\n')}\n`]);
  expect(once.messages).toMatchObject([{ parts: [{ text: 'It is [redacted:github-token], say why.' }] }, {}]);
  for (let cut = 2; cut < LOADED.length; cut += 1) {
    const [begun = '', whole = ''] = [LOADED.slice(0, cut), LOADED].map((some) => `${some.join('\n')}\n`);
    const steps = grown([begun, whole]);
    expect([steps.task, steps.messages]).toEqual([once.task, once.messages]);
    expect(inClear(steps, [PIECES[0]?.slice(2) ?? '', ...PIECES.slice(1)])).toEqual([]);
  }
  const everyLine = grown(beginnings(LOADED, 3));
  expect([everyLine.task, everyLine.messages]).toEqual(['It is [redacted:github-token], say why.', once.messages]);
  expect(inClear(everyLine, PIECES.slice(1))).toEqual([]);
  expect(fsck(everyLine.project.store)).toBe('');
});

test('does not take a later prompt for the task if it only begins with the words of the task', () => {
  const [load = '', ...loaded] = LOADED;
  const [said1 = '', said2 = ''] = ['Tell.', ' More.'].map((text) => said('user_message_chunk', text));
  const lines = [load, said1, ...spoken('Told.'), said1, said2, ...spoken('Well.'), loaded.at(-1) ?? ''];
  const every = grown(beginnings(lines, 2));
  expect([every.task, every.messages]).toEqual(['Tell.', grown([`${lines.join('\n')}\n`]).messages]);
});

test('several pieces on one line are each read once', () => {
  const glued = JSON.stringify({ dir: 'agent->client', raw: spoken('two ', 'three ').join('') });
  const lines = [...BEGUN, ...spoken('one '), glued, ...spoken('four.'), ENDED];
  for (const starts of [[4], [5], [4, 5], [6]]) {
    const result = replay(lines, starts, false, acp);
    expect(result.moves.filter((move) => move !== 'turn')).toEqual(['prompt Tell.', 'done one two three four.']);
    expect([...result.messages.values()].at(-1)?.parts.map(({ text }) => text)).toEqual(['one two three four.']);
  }
});

test('a message that is longer than what is held back is one text all the same', () => {
  const long = 'word '.repeat(250_000);
  const result = replay([...BEGUN, ...spoken(long, long, long, 'end.'), ENDED], [], false, acp);
  const said = [...result.messages.values()].at(-1);
  expect(said?.parts.map(({ text }) => String(text).length)).toEqual([3 * long.length + 4]);
  expect(result.events).toContainEqual(expect.objectContaining({ type: 'move', verb: 'done' }));
});

test.each([1, 2, 3])('reads the chunks of a message in a rewritten file as one text, with %i chunks known', (count) => {
  const lines = [...BEGUN, ...spoken('It is ', ...PIECES, ', keep it.'), ENDED];
  const before = replay(lines.slice(0, BEGUN.length + count), [], false, acp);
  const anew = [
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
    ...lines,
  ];
  const after = assemble([...before.events, ...replayRewritten(before, anew, acp)]);
  expect([...after.messages.values()].at(-1)?.parts.map(({ text }) => text)).toEqual([
    `It is ${PIECES.join('')}, keep it.`,
  ]);
  expect(after.moves).toContain(`done It is ${PIECES.join('')}, keep it.`);
  expect(replayRewritten(after, anew, acp)).toEqual([]);
});

describe('what a session beside it says in pieces', () => {
  const aside = (session: string, text: string): string =>
    spoken(text)[0]?.replace('"sessionId":"s"', `"sessionId":"${session}"`) ?? '';
  const [own = '', ...rest] = spoken('It ', 'is done.');
  const lines = [
    ...[
      ...BEGUN,
      own,
      aside('a', 'I have '),
      aside('b', 'no '),
      aside('a', PIECES[0] ?? ''),
      ...rest,
      aside('b', 'no.'),
    ],
    ...[aside('a', PIECES[1] ?? ''), aside('a', PIECES[2] ?? ''), ENDED],
  ];
  const textsOf = (starts: readonly number[]): unknown[] =>
    [...replay(lines, starts, false, acp).messages.values()].map(({ parts }) => parts.map(({ text }) => text));

  test('is a message of its own, wherever the recording is cut', () => {
    const expected = [['Tell.'], ['It is done.'], [`I have ${PIECES.join('')}`], ['no no.']];
    expect(textsOf([])).toEqual(expected);
    for (let cut = 3; cut < lines.length; cut += 1) expect(textsOf([cut])).toEqual(expected);
    expect(textsOf(lines.map((_, index) => index).slice(1))).toEqual(expected);
  });

  test('keeps no piece of a secret in the store', () => {
    const steps = grown(beginnings(lines, 3));
    expect(inClear(steps, [PIECES[0]?.slice(2) ?? '', ...PIECES.slice(1)])).toEqual([]);
    expect(steps.state).toEqual({ kind: 'PendingComplete', summary: 'It is done.' });
  });

  test('is another message behind a call', () => {
    const asides = [
      aside('a', 'one'),
      ...CALL.map((each) => each.replace('"sessionId":"s"', '"sessionId":"a"')),
      aside('a', 'two'),
    ];
    const { messages } = replay([...BEGUN, own, ...asides, ...rest, ENDED], [], false, acp);
    const said = [...messages.values()].filter(({ metadata }) => metadata['is_sidechain']);
    expect(said.map(({ parts }) => parts.flatMap(({ text }) => text ?? []))).toEqual([['one'], [], ['two']]);
  });
});
