// A recording of a connection with several sessions: each of them is read by itself, and told what it said alone.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConnection } from '../../src/agents/acp/sessions.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const line = (dir: string, message: object): string => JSON.stringify({ dir, raw: { jsonrpc: '2.0', ...message } });
const client = (message: object): string => line('client', message);
const agent = (message: object): string => line('agent', message);
const asked = (sessionId: string, id: number, text: string): string =>
  client({ id, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text }] } });
const said = (sessionId: string, text: string): string =>
  agent({
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });
const over = (id: number): string => agent({ id, result: { stopReason: 'end_turn' } });
const begun = (id: number, cwd: string, sessionId: string): [string, string] => [
  client({ id, method: 'session/new', params: { cwd } }),
  agent({ id, result: { sessionId } }),
];
const HELLO = [
  client({ id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
  agent({ id: 0, result: { agentInfo: { version: '1.2' } } }),
];

describe('whose a line is', () => {
  const owned = (...lines: (string | null)[]) => readConnection(lines);

  test('is known from its session, or from the request that it answers; a line about everything belongs to none', () => {
    expect(
      owned(
        ...HELLO,
        ...begun(1, '/one', 's-1'),
        asked('s-1', 2, 'a'),
        ...begun(3, '/two', 's-2'),
        said('s-1', 'b'),
        asked('s-2', 4, 'c'),
        over(2),
        over(4),
      ),
    ).toEqual({
      opened: 2,
      sessions: ['s-1', 's-2'],
      owners: [null, null, 's-1', 's-1', 's-1', 's-2', 's-2', 's-1', 's-2', 's-1', 's-2'],
    });
  });

  test('is that of the last session where it names none, or one that nobody has opened, or cannot be read', () => {
    const read = agent({ id: 9, method: 'fs/read_text_file', params: { path: '/one/a.ts' } });
    const answer = client({ id: 9, result: { content: 'x' } });
    const { sessions, owners } = owned(
      ...[...begun(1, '/one', 's-1'), asked('s-1', 2, 'a'), read, answer, 'torn {', null, said('child', 'b'), '{}'],
    );
    expect(sessions).toEqual(['s-1']);
    expect(owners).toEqual(Array(9).fill('s-1'));
  });

  test('is not known while its session is requested, and if the request is refused', () => {
    const asksFor = client({ id: 5, method: 'session/new', params: { cwd: '/two' } });
    const begins = [...begun(1, '/one', 's-1'), asked('s-1', 2, 'a')];
    expect(owned(...begins, asksFor).owners.at(-1)).toBe('');
    const refused = agent({ id: 5, error: { code: -1, message: 'no' } });
    expect(owned(...begins, asksFor, refused, said('s-1', 'b')).owners.slice(-3)).toEqual(['', '', 's-1']);
  });

  test('is found again however two sessions are mixed', () => {
    const talk = (sessionId: string, first: number) => [
      ...begun(first, `/${sessionId}`, sessionId),
      ...[1, 2, 3].flatMap((n) => [
        asked(sessionId, first + n, `ask ${n}`),
        said(sessionId, `say ${n}`),
        over(first + n),
      ]),
    ];
    const talks = [talk('s-1', 10), talk('s-2', 20)] as const;
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 22, maxLength: 22 }), (turns) => {
        const left = talks.map((lines) => [...lines]);
        const origins: string[] = [];
        const mixed: string[] = [];
        for (const turn of turns) {
          const next = left[turn ? 0 : 1]?.length ? Number(!turn) : Number(turn);
          mixed.push(left[next]?.shift() as string);
          origins.push(`s-${next + 1}`);
        }
        expect(owned(...HELLO, ...mixed).owners).toEqual([null, null, ...origins]);
      }),
      { numRuns: 200 },
    );
  });

  test('a session in which nothing was said is none', () => {
    expect(owned(...begun(1, '/one', 's-1'), ...begun(2, '/two', 's-2'), asked('s-2', 3, 'a')).sessions).toEqual([
      's-2',
    ]);
    const loads = client({ id: 4, method: 'session/load', params: { sessionId: 's-3' } });
    expect(owned(loads, said('s-3', 'b')).sessions).toEqual(['s-3']);
  });
});

describe('ingest of a recording of two sessions', () => {
  let project: Project;
  let file: string;
  beforeEach(() => {
    project = makeProject();
    file = join(temporaryFolder(), 'connection.jsonl');
  });

  const write = (...lines: string[]): void => writeFileSync(file, lines.map((text) => `${text}\n`).join(''));
  const append = (...lines: string[]): void => appendFileSync(file, lines.map((text) => `${text}\n`).join(''));
  const take = (here = true) => ctx.ingestMany(project.repository, [file], { here });
  const FIRST = [...HELLO, ...begun(1, '/home/dev/one', 's-1'), asked('s-1', 2, 'Name a colour.')];
  const BOTH = [
    ...FIRST,
    ...begun(3, '/home/dev/two', 's-2'),
    asked('s-2', 4, 'Name a town.'),
    said('s-1', 'Red.'),
    said('s-2', 'Rome.'),
    over(2),
    over(4),
  ];

  test('each is a session with its own words, in its own folder', () => {
    write(...BOTH);
    const { sessions, problems } = take();
    expect(problems).toEqual([]);
    expect(
      sessions.map(({ agent_session_id, task_description, messages, other_cwd }) => [
        agent_session_id,
        task_description,
        messages,
        other_cwd,
      ]),
    ).toEqual([
      ['s-1', 'Name a colour.', 2, '/home/dev/one'],
      ['s-2', 'Name a town.', 2, '/home/dev/two'],
    ]);
    expect(sessions.map(({ file: at }) => at)).toEqual([file, `${file}#s-2`]);
    expect(take().sessions.map(({ steps_added, read_before }) => [steps_added, read_before])).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  test('each line is counted once: where it is of a session, as its own; else as one of the first', () => {
    const unsaid = [client({ id: 8, method: 'session/new', params: { cwd: '/three' } })];
    write(...BOTH, ...unsaid);
    const { sessions, totals } = take();
    expect(sessions.map(({ lines }) => lines)).toEqual([HELLO.length + 5 + 1, 5]);
    expect(totals.lines).toBe(BOTH.length + unsaid.length);
    append(asked('s-2', 5, 'And a river.'), said('s-2', 'Rhine.'), over(5));
    expect(take().sessions.map(({ lines }) => lines)).toEqual([0, 3]);
  });

  test('each goes into the project that its own folder is of', () => {
    const other = makeProject();
    const moved = BOTH.map((text) =>
      text.replace('/home/dev/one', project.folder).replace('/home/dev/two', other.folder),
    );
    write(...moved);
    expect(take(false).sessions.map(({ other_store }) => other_store)).toEqual([null, other.store]);
    expect(other.git('for-each-ref', 'refs/sessions').trim().split('\n')).toHaveLength(1);
  });

  test('a session that was taken in while it was alone continues', () => {
    write(...FIRST, said('s-1', 'Red.'), over(2));
    const { session_id } = ctx.ingestTranscript(project.repository, file);
    const next = [
      ...begun(3, '/home/dev/two', 's-2'),
      asked('s-2', 4, 'Name a town.'),
      asked('s-1', 5, 'And a shade.'),
    ];
    append(...next, said('s-1', 'Rust.'), said('s-2', 'Rome.'), over(5), over(4));
    const [first, second] = take().sessions;
    expect(first).toMatchObject({ session_id, created: false, read_before: null, messages: 2, steps_added: 1 });
    expect(second).toMatchObject({ agent_session_id: 's-2', created: true, messages: 2 });
  });

  test('one that says nothing yet gets none of the words of the other', () => {
    const ASKED = [client({ id: 1, method: 'session/new', params: { cwd: '/home/dev/one' } })];
    ASKED.push(...begun(3, '/home/dev/two', 's-2'), agent({ id: 1, result: { sessionId: 's-1' } }));
    write(...HELLO, ...ASKED, asked('s-1', 2, 'Name a colour.'));
    expect(take().sessions).toMatchObject([{ agent_session_id: 's-1', task_description: 'Name a colour.' }]);
    append(asked('s-2', 4, 'Name a town.'), said('s-1', 'Red.'), said('s-2', 'Rome.'), over(2), over(4));
    const told = take().sessions.map(({ agent_session_id, task_description, session_state, messages, created }) => {
      return { agent_session_id, task_description, session_state, messages, created };
    });
    const state = (summary: string) => ({ kind: 'PendingComplete', summary });
    const one = { agent_session_id: 's-1', task_description: 'Name a colour.', session_state: state('Red.') };
    const two = { agent_session_id: 's-2', task_description: 'Name a town.', session_state: state('Rome.') };
    expect(told.toSorted((a, b) => (a.agent_session_id < b.agent_session_id ? -1 : 1))).toEqual([
      { ...one, messages: 1, created: false },
      { ...two, messages: 2, created: true },
    ]);
  });

  test('what is said in a session that nobody has opened moves none of them, also when it comes later', () => {
    write(...BOTH, client({ method: 'session/cancel', params: { sessionId: 's-2' } }));
    append(asked('s-2', 6, 'And a river.'), agent({ id: 6, result: { stopReason: 'cancelled' } }));
    const before = take().sessions.map(({ session_state }) => session_state.kind);
    expect(before).toEqual(['PendingComplete', 'Interrupted']);
    append(said('child', 'I am '), said('child', 'alone.'));
    const after = take().sessions;
    expect(after.map(({ session_state }) => session_state.kind)).toEqual(before);
    expect(after.map(({ messages }) => messages)).toEqual([0, 1]);
  });

  test('new lines are read from the cursor of each session', () => {
    write(...BOTH);
    const before = take().sessions;
    append(asked('s-2', 5, 'And a river.'), said('s-2', 'Rhine.'), over(5));
    const after = take().sessions;
    expect(after.map(({ session_id }) => session_id)).toEqual(before.map(({ session_id }) => session_id));
    expect(after.map(({ steps_added, messages, read_before }) => [steps_added, messages, read_before])).toEqual([
      [0, 0, null],
      [1, 2, null],
    ]);
  });

  test('taken in as one transcript it is the first of them', () => {
    write(...BOTH);
    const one = ctx.ingestTranscript(project.repository, file);
    expect(one).toMatchObject({ agent_session_id: 's-1', messages: 2 });
    expect(take().sessions.map(({ created }) => created)).toEqual([false, true]);
  });

  test('a line without its end is waited for', () => {
    write(...BOTH);
    const next = said('s-2', 'Milan.');
    appendFileSync(file, next.slice(0, 30));
    expect(take().problems).toEqual([]);
    appendFileSync(file, `${next.slice(30)}\n`);
    expect(take().sessions.map(({ messages }) => messages)).toEqual([0, 1]);
  });

  test('a recording of one session is one file as before', () => {
    write(...FIRST, said('s-1', 'Red.'), over(2));
    const [found, ...others] = findTranscripts([file], undefined).transcripts;
    expect([found?.file, others]).toEqual([file, []]);
  });
});
