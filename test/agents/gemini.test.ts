// Chats of Gemini CLI of our own writing: what they tell.
import { describe, expect, test } from 'vitest';
import { gemini } from '../../src/agents/gemini/index.ts';
import { readCommandResult } from '../../src/agents/gemini/shell.ts';
import { did, read, seen } from './support/conformance.ts';
import { linesKept, type Replay, replay, replayRewritten } from './support/replay.ts';
import { unfoldText } from './support/unfold.ts';

const partOf = (result: Replay, call: string): object | undefined =>
  [...result.messages.values()].flatMap(({ parts }) => parts).find((part) => part['toolCallId'] === call);

test('a limit: versions of messages, what hooks said, tokens once for each message', () => {
  const result = read(gemini, 'limit.jsonl');
  expect(result.about).toEqual({
    agent_session_id: '5e551011-0000-4000-8000-000000000001',
    cwd: '/home/dev/acme',
    cwd_hash: '0f'.repeat(32),
    model: 'gemini-3.8-pro',
    title: 'Raise the limit',
  });
  expect(result.moves).toEqual([
    'prompt Raise the limit to ten.',
    'ask The limit is ten. Should the tests cover it?',
    'turn',
    'prompt Like in this picture.',
    'done They do now.',
    'turn',
  ]);
  expect(did(result)).toEqual([
    'read_1: read /home/dev/acme/src/limit.js',
    'sh_1: run npm test → 1',
    'replace_1: write /home/dev/acme/src/limit.js, 25 characters',
    'sh_2: run npm test → 0',
  ]);
  expect(result.derived.map(({ output }) => output)).toEqual([undefined, '1 failing', undefined, '']);
  // 4600 of the prompts, of which 3100 came from the cache; 30 of the 85 were thoughts.
  expect(result.usage).toEqual({ input: 1500, output: 85, reasoning: 30, cache_read: 3100 });
  expect(result.apiMessages).toBe(4);
  expect(seen(result)).toEqual([
    'user: <session_context>',
    'user: Raise the limit to ten.',
    'assistant: **Looking**',
    'assistant: ',
    'assistant: The limit is ten. Should the tests cover it?',
    'user: Like in this picture.',
    'assistant: They do now.',
  ]);
});

test('what a hook said stays in the line of the prompt, and nowhere else', () => {
  const prompt = read(gemini, 'limit.jsonl').messages.get('u1');
  expect(prompt?.parts).toEqual([{ type: 'text', text: 'Raise the limit to ten.' }]);
  expect(JSON.stringify(prompt?.metadata['lines'])).toContain('earlier: the limit was 5');
  expect(JSON.stringify(prompt?.metadata['lines'])).toContain('one more word');
});

const chat = (...records: object[]): string[] =>
  [{ sessionId: 'g-1', projectHash: 'ab', startTime: '2026-11-20T10:00:00.000Z' }, ...records].map((record) =>
    JSON.stringify({ timestamp: '2026-11-20T10:00:01.000Z', ...record }),
  );

test('takes an element with the name of a hook’s for a hook’s only before the user’s words', () => {
  const asked = 'why does <hook_context>x</hook_context> show up?';
  const context = '<hook_context>told\nbefore</hook_context>';
  const lines = chat({ id: 'u', type: 'user', content: [{ text: `${context}\n\n${asked}` }, { text: context }] });
  const { moves, messages } = replay(lines, [], false, gemini);
  expect(moves).toEqual([`prompt ${asked}`, 'turn']);
  expect(messages.get('u')?.parts).toEqual([{ type: 'text', text: asked }]);
});

test('a message that is written twice has its last text', () => {
  const said = (content: string) => ({ id: 'a', type: 'gemini', content });
  const lines = chat({ id: 'u', type: 'user', content: 'Tell.' }, said('par'), said('partial answer'));
  expect(replay(lines, [], false, gemini).moves).toEqual(['prompt Tell.', 'done partial answer', 'turn']);
});

test('a call has its result and what was shown of it; thoughts are reasoning', () => {
  const result = read(gemini, 'limit.jsonl');
  expect(partOf(result, 'sh_1')).toMatchObject({
    toolName: 'run_shell_command',
    state: 'output-available',
    input: { command: 'npm test' },
    output: expect.stringContaining('Exit Code: 1'),
    result: '1 failing',
    completed_at: 1795165213,
  });
  expect(result.messages.get('g1')?.parts[0]).toEqual({
    type: 'reasoning',
    text: '**Looking**\n\nThe limit stands in one file.',
  });
  expect(result.messages.get('g1')?.metadata).toMatchObject({ model: 'gemini-3.8-flash', parent_id: 'u1' });
});

test('steps: a question and its answer, a refusal, an error, a step back, a call that was late', () => {
  const result = read(gemini, 'steps.jsonl');
  expect(result.about['cwd']).toBe('/home/dev/acme');
  expect(result.moves).toEqual([
    'prompt Mend the door.',
    'ask Which of the two?',
    'prompt The second',
    'done Done: the second door.',
    'turn',
    'prompt And the build folder?',
    'interrupt And the build folder?',
    'turn',
    'prompt Look above, then.',
    'interrupt Look above, then.',
    'turn',
    'prompt Leave it. Thanks.',
    'turn',
  ]);
  expect(result.derived.map(({ kind, content }) => [kind, content])).toEqual([
    ['plan', '- [x] Find it\n- [>] Mend it\n- [ ] Test it'],
  ]);
  expect(result.visible).toEqual(['a1', 'b1', 'b2', 'b3', 'a4', 'b6', 'b7']);
  expect([...result.messages.keys()]).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'a3', 'b5', 'a4', 'b6', 'b7']);
  expect(result.messages.get('a4')?.metadata['parent_id']).toBe('b3');
  expect(partOf(result, 'sh_9')).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('denied') });
  expect(partOf(result, 'ls_1')).toMatchObject({ state: 'output-error', errorText: 'Path not in workspace' });
  expect(partOf(result, 'late_1')).toMatchObject({ state: 'output-available', output: 'none' });
  const raws = result.bodies.flatMap((body) => (body.kind === 'raw' ? [String(body['type'])] : []));
  expect(raws).toEqual(['header', 'info', 'error', '$rewindTo', 'warning', 'novelty']);
});

test('a chat that was summed up: what the model no longer sees is hidden, what was masked is kept whole', () => {
  const result = read(gemini, 'compressed.jsonl');
  expect(result.visible).toEqual(['c2', 'd2', 'snap-1', 'c4', 'd4']);
  const overlays = result.bodies.filter(({ kind }) => kind === 'overlay');
  expect(overlays.map(({ op, ids, reason }) => [op, ids, reason])).toEqual([
    ['hide', ['c1', 'd1'], 'compaction'],
    ['hide', ['c3', 'd3'], 'rollback'],
  ]);
  expect(result.messages.get('snap-1')?.metadata).toMatchObject({ is_compact_summary: true, is_meta: true });
  expect(result.messages.get('c2')?.parts).toEqual([{ type: 'text', text: 'Now the gate.' }]);
  const lists = result.bodies.filter((body) => body.kind === 'raw' && body['type'] === '$set');
  expect(lists.map((body) => JSON.stringify(body['data']).includes('[masked]'))).toEqual([false, false, true]);
  expect(JSON.stringify(lists[0])).toContain('["snap-1","c2","d2"]');
  expect(result.usage).toEqual({ input: 760, output: 34, reasoning: 0, cache_read: 700 });
});

test("a sub-agent's own chat: its messages say so; tokens for tools are input", () => {
  const id = '5e551011-0000-4000-8000-000000000007';
  const result = read(gemini, `5e551011-0000-4000-8000-000000000001/${id}.jsonl`);
  expect(result.about).toMatchObject({ agent_session_id: id, sub_agent_type: 'subagent', cwd: '/home/dev/acme' });
  expect([...result.messages.values()].map(({ metadata }) => metadata['agent_id'])).toEqual([id, id]);
  expect(result.usage).toMatchObject({ input: 53, output: 2 });
  expect(read(gemini, 'limit.jsonl').messages.get('u1')?.metadata).not.toHaveProperty('agent_id');
});

test('damage: the lines are named, glued records both read, results find their calls or stay alone', () => {
  const result = read(gemini, 'damaged.jsonl');
  expect(result.problems.map(({ line }) => line)).toEqual([2, 3, 5]);
  const orphan = partOf(result, 'lost_1');
  expect(orphan).toMatchObject({ toolName: 'unknown', is_orphan: true, output: 'a.md' });
  expect(partOf(result, 'fc_1')).toMatchObject({ toolName: 'glob', input: { pattern: '*' }, output: 'b.md' });
  expect(result.messages.get('y2')?.parts.map(({ type }) => type)).toEqual(['dynamic-tool', 'reasoning']);
  expect(result.moves).toEqual(['prompt One.', 'done Second.', 'turn']);
});

test('an older chat is one document: its fields first, without the time that changes, then a line a message', () => {
  const result = read(gemini, 'hello.json');
  expect(result.about).toMatchObject({ title: 'A greeting', model: 'gemini-3.8-flash' });
  expect(result.moves).toEqual(['prompt Say hello in a file.', 'done It says hello.', 'turn']);
  expect(did(result)).toEqual(['w_1: write /home/dev/acme/hello.txt, 6 characters']);
  expect(result.usage).toEqual({ input: 170, output: 21, reasoning: 7, cache_read: 250 });
  expect(result.bodies.some((body) => JSON.stringify(body).includes('lastUpdated'))).toBe(false);
});

describe('versions', () => {
  const line = (id: string, fields: object, seconds = 0): string =>
    JSON.stringify({
      id,
      timestamp: new Date(1_795_000_000_000 + seconds * 1000).toISOString(),
      type: 'gemini',
      content: '',
      ...fields,
    });
  const command = (output: string) => [
    {
      id: 'c',
      name: 'run_shell_command',
      args: { command: 'x' },
      status: 'success',
      result: [{ functionResponse: { response: { output } } }],
    },
  ];
  const asks = (id: string) => ({ functionCall: { id, name: 'run_shell_command', args: { command: 'x' } } });
  const responds = (id: string, output: string) => ({ functionResponse: { id, response: { output } } });
  const told = (lines: readonly string[], starts: readonly number[] = []): Replay =>
    replay(lines, starts, false, gemini);

  test('records a call once if its result arrives alone first and is masked later', () => {
    const alone = { type: 'user', content: [{ functionResponse: { id: 'c', response: { output: 'Output: 1' } } }] };
    const lines = [
      line('m', { content: [{ functionCall: { id: 'c', name: 'run_shell_command', args: { command: 'x' } } }] }),
      line('r', alone, 1),
      line('m', { toolCalls: command('Output: 1') }),
      line('m', { toolCalls: command('[masked]') }),
    ];
    for (const starts of [[], [1], [2], [3], [1, 2, 3]]) {
      const result = told(lines, starts);
      expect(result.derived).toHaveLength(1);
      expect(partOf(result, 'c')).toMatchObject({ output: '[masked]' });
    }
  });

  test.each<[what: string, later: string[], closed: boolean]>([
    [
      'in a record that has words of the user, too',
      [line('r', { type: 'user', content: [responds('c', 'Output: 1'), { text: 'Be quick.' }] }, 2)],
      false,
    ],
    [
      'behind a later prompt',
      [
        line('p', { type: 'user', content: 'Are you there?' }, 2),
        line('r', { type: 'user', content: [responds('c', 'Output: 1')] }, 3),
      ],
      true,
    ],
    [
      'in a list behind a later prompt',
      [
        line('p', { type: 'user', content: 'Are you there?' }, 2),
        JSON.stringify({
          $set: {
            messages: [
              JSON.parse(line('b', { type: 'user', content: 'Run x.' }, 0)),
              JSON.parse(line('m', { content: [asks('c')] }, 1)),
              JSON.parse(line('r', { type: 'user', content: [responds('c', 'Output: 1')] }, 3)),
              JSON.parse(line('p', { type: 'user', content: 'Are you there?' }, 2)),
            ],
          },
        }),
      ],
      true,
    ],
  ])('matches a result with its call %s, at once and in increments', (_, later, closed) => {
    const lines = [
      line('b', { type: 'user', content: 'Run x.' }, 0),
      line('m', { content: [asks('c')] }, 1),
      ...later,
      line('n', { content: 'Done.' }, 5),
    ];
    for (const starts of [[], [2], [3], [2, 3], [1, 2, 3, 4]]) {
      const result = told(lines, starts);
      expect(partOf(result, 'c')).toMatchObject({ toolName: 'run_shell_command', output: 'Output: 1' });
      expect(result.derived.map(({ kind, command: ran }) => [kind, ran])).toEqual([['command', 'x']]);
      expect([...result.messages.values()].some(({ metadata }) => metadata['is_orphan_result'])).toBe(false);
      expect(linesKept(result)).toBe(lines.length);
      if (starts.length > 0) continue;
      const parts = result.bodies.flatMap((body) => (body.kind === 'part' ? [body['part']] : []));
      expect(parts.length > 0).toBe(closed);
    }
  });

  test('keeps a repeated record without new content under its own type', () => {
    const twice = [line('m', { content: 'Words' }), line('p', { type: 'user', content: 'More' }, 1)];
    const { bodies } = told([...twice, ...twice]);
    expect(bodies.flatMap((body) => (body.kind === 'raw' ? [body['type']] : []))).toEqual(['gemini']);
  });

  test('one of many of the same second is known again', () => {
    const lines = Array.from({ length: 30 }, (_, index) => line(`m${index}`, { content: `Words ${index}` }));
    const result = told([...lines, line('m0', { content: 'Words 0', tokens: { input: 7, output: 1 } })], [30]);
    expect(result.messages.size).toBe(30);
    expect(result.usage['input']).toBe(7);
  });

  test('the latest are known without a look into what is kept', () => {
    const lines = [line('a', {}, 0), line('b', {}, 5), line('b', { toolCalls: command('Output: 1') }, 5)];
    expect(told(lines, [1, 2]).looks).toBe(0);
  });

  test('a long chat is taken back to its first message, and brought again by a list', () => {
    const lines = Array.from({ length: 80 }, (_, index) => line(`m${index}`, { content: `Words ${index}` }, index));
    const back = [...lines, '{"$rewindTo":"m1"}'];
    expect(told(back, [80]).visible).toEqual(['m0']);
    const list = { $set: { messages: ['m0', 'm2'].map((id) => JSON.parse(lines[Number(id.slice(1))] ?? '')) } };
    for (const starts of [[], [80], [81]])
      expect(told([...back, JSON.stringify(list)], starts).visible).toEqual(['m0', 'm2']);
  });

  test('a chat is taken back to a word of the program, which a list does not make a message', () => {
    const info = { type: 'info', content: 'Update available.' };
    const lines = [line('m0', { content: 'One' }), line('i', info, 1), line('m1', { content: 'Two' }, 2)];
    const back = [...lines, '{"$rewindTo":"i"}', line('m2', { content: 'Three' }, 3)];
    const list = { $set: { messages: ['m0', 'i', 'j', 'm1'].map((id) => JSON.parse(line(id, id < 'm' ? info : {}))) } };
    const listed = [...back, JSON.stringify(list), '{"$rewindTo":"j"}'];
    for (const starts of [[], [1], [2], [3], [1, 2, 3, 4]]) {
      expect(told(back, starts).visible).toEqual(['m0', 'm2']);
      const result = told(listed, [...starts, 5]);
      expect(result.visible).toEqual(['m0']);
      expect([...result.messages.keys()]).toEqual(['m0', 'm1', 'm2']);
      expect(result.messages.get('m2')?.metadata['parent_id']).toBe('m0');
      const kept = result.bodies.filter(({ kind }) => kind === 'raw').map(({ data }) => JSON.stringify(data));
      expect(kept.filter((text) => text.includes('Update available.'))).toHaveLength(2);
    }
  });

  test('the session is where it began; of a prompt counts what was typed', () => {
    const said = (folder: string) => [
      { text: `<session_context>\n- **Workspace Directories:**\n  - ${folder}\n</session_context>` },
    ];
    const typed = {
      type: 'user',
      content: [{ text: 'Read @a.js' }, { text: 'the whole of a.js' }],
      displayContent: 'Read @a.js',
    };
    const result = told([
      line('a', { type: 'user', content: said('/one') }),
      line('b', { type: 'user', content: said('/two') }),
      line('c', typed),
    ]);
    expect(result.about['cwd']).toBe('/one');
    expect(result.events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []))).toEqual(['Read @a.js']);
    expect(result.messages.get('c')?.parts).toHaveLength(2);
  });

  test('a header that has an empty list is one of lines', () => {
    const header = '{"sessionId":"s","projectHash":"p","messages":[]}';
    expect(unfoldText(gemini, `${header}\n${line('a', {})}\n`)).toBeNull();
    expect(unfoldText(gemini, `${header}\n`)).toEqual(['{"sessionId":"s","projectHash":"p"}']);
  });
});

describe('lists of what is in view', () => {
  const at = (minutes: number): string => new Date(1_795_000_000_000 + minutes * 60_000).toISOString();
  const user = (id: string, minutes: number, text: string) => ({
    ...{ id, timestamp: at(minutes), type: 'user', content: [{ text }] },
  });
  const command = (output: string) => ({
    ...{ id: 'sh', name: 'run_shell_command', args: { command: 'npm test' }, status: 'success', timestamp: at(2) },
    result: [{ functionResponse: { id: 'sh', name: 'run_shell_command', response: { output } } }],
  });
  const answer = (id: string, minutes: number, content: string, input: number, toolCalls: object[] = []) => ({
    ...{ id, timestamp: at(minutes), type: 'gemini', content, model: `model-${id}`, toolCalls },
    tokens: { input, output: 1, cached: 0, thoughts: 0, tool: 0, total: input + 1 },
  });
  const write = { id: 'w', name: 'write_file', args: { file_path: '/p/a.md', content: 'a' }, status: 'success' };
  const first = [
    user('u1', 1, 'Test it.'),
    answer('g1', 2, '', 15, [command('Output: ok')]),
    // Of an agent that writes the call into the content, and the result into a message of its own.
    { ...answer('g2', 3, '', 20), content: [{ functionCall: { id: 'w', name: 'write_file', args: write.args } }] },
    {
      ...user('r2', 4, ''),
      content: [{ functionResponse: { id: 'w', name: 'write_file', response: { output: 'Written.' } } }],
    },
    answer('g3', 5, 'It passes.', 25),
  ];
  const stopped = { id: 'i', timestamp: at(8), type: 'info', content: 'Request cancelled.' };
  const second = [user('u2', 6, 'Again?'), answer('g4', 7, 'Yes.', 30)];
  const header = { sessionId: 's', projectHash: 'p', startTime: at(0), lastUpdated: at(0), kind: 'main' };
  const list = (messages: object[]): object => ({ $set: { messages, lastUpdated: at(9) } });
  const told = (records: object[], starts: number[] = []) => {
    const lines = [header, ...records].map((record) => JSON.stringify(record));
    const result = replay(lines, starts, false, gemini);
    const { moves, usage, apiMessages, visible, about } = result;
    const messages = [...result.messages.values()].map(({ id, role, parts, metadata }) => {
      const { lines: _lines, prints: _prints, ...rest } = metadata;
      return { id, role, parts, rest };
    });
    return { moves, usage, apiMessages, visible, about, messages, did: did(result) };
  };

  test('reads a message that is only in a list as if it had a line of its own, and once if it has one', () => {
    const all = [...first, ...second, stopped];
    const expected = told(all);
    expect(expected.did).toEqual(['sh: run npm test → 0', 'w: write /p/a.md, 1 characters']);
    expect(expected.moves).toEqual([
      'prompt Test it.',
      'done It passes.',
      'turn',
      'prompt Again?',
      'interrupt Again?',
      'turn',
    ]);
    expect(told([list(all)])).toEqual(expected);
    expect(told([list(first), ...second, stopped])).toEqual(expected);
    expect(told([list(first), list([...first, ...second]), stopped])).toEqual(expected);
    expect(told([...first.slice(0, 2), list(all)])).toEqual(expected);
    for (const starts of [[], [2], [3], [5], [2, 7]]) {
      expect(told([list(first), ...first, ...second, list(all), stopped], starts)).toEqual(expected);
    }
    const { moves, usage, messages, did: done } = expected;
    const document = unfoldText(gemini, JSON.stringify({ ...header, messages: all })) ?? [];
    const older = replay(document, [], false, gemini);
    expect({ moves: older.moves, usage: older.usage, did: did(older) }).toEqual({ moves, usage, did: done });
    expect([...older.messages.keys()]).toEqual(messages.map(({ id }) => id));
  });

  test('a fuller version of a known message counts; one that is cut short does not', () => {
    const begun = [user('u1', 1, 'Test it.'), answer('g1', 2, 'Let me', 5)];
    const whole = [user('u1', 1, 'Test it.'), answer('g1', 2, 'Let me test.', 15, [command('Output: ok')])];
    const masked = [user('u1', 1, '[masked]'), answer('g1', 2, 'Let me test.', 15, [command('[masked]')])];
    const more = [user('u1', 1, 'Test it.'), answer('g1', 2, 'Let me test.', 18, [command('[masked]')])];
    const end = answer('g2', 3, 'It passes.', 20);
    const expected = told([...whole, end]);
    expect(told([...begun, list(whole), end])).toEqual(expected);
    expect(told([...begun, list(whole), list(masked), list(whole), end])).toEqual(expected);
    for (const starts of [[3], [4], [3, 4, 5]]) {
      const parts = told([...begun, list(whole), list(masked), end], starts);
      expect(parts.did).toEqual(expected.did);
      expect(parts.usage).toEqual(expected.usage);
      expect(parts.messages[1]?.parts.at(-1)).toMatchObject({ toolCallId: 'sh', output: 'Output: ok' });
    }
    const used = told([...whole, list(more), end]);
    expect(used.usage).toEqual({ ...expected.usage, input: 38 });
    expect(used.messages[1]?.parts).toEqual(expected.messages[1]?.parts);
  });

  test('a summary and the answer to it are the program’s own, and move nothing', () => {
    const summary = [
      user('s', 9, '<state_snapshot>\n<overall_goal>Test</overall_goal>\n</state_snapshot>'),
      { id: 'ok', timestamp: at(9), type: 'gemini', content: 'Got it.' },
    ];
    const result = told([...first, second[0] as object, list([...summary, second[0] as object]), second[1] as object]);
    expect(result.moves).toEqual(['prompt Test it.', 'done It passes.', 'turn', 'prompt Again?', 'done Yes.', 'turn']);
    expect(result.visible).toEqual(['u2', 's', 'ok', 'g4']);
    expect(result.messages.find(({ id }) => id === 'ok')?.rest).toMatchObject({ is_meta: true });
    expect(result.usage['input']).toBe(90);
  });

  test('counts the higher usage of a message in a list when the file is rewritten', () => {
    const lines = [header, ...first.slice(0, 2), list([user('u1', 1, 'Test it.'), answer('g1', 2, '', 18)])];
    const texts = [...lines, ...second].map((record) => JSON.stringify(record));
    const before = replay(texts.slice(0, lines.length), [], false, gemini);
    expect(before.usage['input']).toBe(18);
    const again = [texts[0], JSON.stringify(list([answer('g1', 2, '', 18)])), ...texts.slice(4)] as string[];
    const news = replayRewritten(before, again, gemini);
    const usage = news.flatMap((event) => (event.type === 'record' && event.body.kind === 'usage' ? [event.body] : []));
    expect(usage.map((body) => body['usage'])).toMatchObject([{ input: 30 }]);
  });
});

test('reads the continuation of a chat without looking at the kept records', () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({
      id: `m${index}`,
      timestamp: new Date(1_795_000_000_000 + index * 5000).toISOString(),
      type: index % 2 === 0 ? 'user' : 'gemini',
      content: `Words ${index}`,
    }),
  );
  const starts = lines.map((_, index) => index).filter((index) => index > 0);
  expect(replay(lines, starts, false, gemini).looks).toBe(0);
});

test.each([
  ['Output: hi\nProcess Group PGID: 1', 0, 'hi'],
  ['Output: (empty)\nProcess Group PGID: 1', 0, ''],
  ['Output: a\nb\nExit Code: 2\nProcess Group PGID: 1', 2, 'a\nb'],
  ['Output: a\nSignal: 9\nProcess Group PGID: 1', null, 'a'],
  ['Output: a\nBackground PIDs: 7\nProcess Group PGID: 1', null, 'a'],
  [
    'Command: x\nDirectory: (root)\nStdout: o\nStderr: e\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 3',
    0,
    'o\ne',
  ],
  ['Command: x\nDirectory: y\nOutput: o\nError: (none)\nExit Code: (none)\nSignal: 15', null, 'o'],
  ['Command: x\nDirectory: y\nOutput: o', null, 'o'],
  ['Command cancelled by user.', null, 'Command cancelled by user.'],
])('a command: %j', (text, exit_code, output) => {
  expect(readCommandResult(text)).toMatchObject({ exit_code, output });
  expect(readCommandResult(`<untrusted_context>\n${text}\n</untrusted_context>`).exit_code).toBe(exit_code);
  const context = '\n\n<hook_context>Be &lt;brief&gt;.</hook_context>';
  expect(readCommandResult(text + context + context)).toEqual(readCommandResult(text));
});

test('keeps further fields of a thought with it', () => {
  const timestamp = '2026-11-20T10:00:02.000Z';
  const thoughts = [{ subject: 'Look', description: 'At it.', timestamp, signature: 'abc' }];
  const lines = chat(
    { id: 'u', type: 'user', content: 'Go.' },
    { id: 'g', type: 'gemini', content: 'Gone.', thoughts },
  );
  const [thought] = replay(lines, [], false, gemini).messages.get('g')?.parts ?? [];
  expect(thought).toEqual({ type: 'reasoning', text: '**Look**\n\nAt it.', signature: 'abc' });
});

test.each([
  ['text/plain', '[file]'],
  ['image/png', '[image]'],
  [undefined, '[image]'],
])('a prompt of a file of the type %s is %s', (mimeType, words) => {
  const lines = chat({ id: 'u', type: 'user', content: [{ fileData: { fileUri: 'files/1', mimeType } }] });
  expect(replay(lines, [], false, gemini).moves).toEqual([`prompt ${words}`, 'turn']);
});
