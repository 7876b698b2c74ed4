// Runs are recorded in process: what is in the store after each chunk, after a kill, an abort, a second run, and an end.
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../../src/app/fsck.ts';
import { undoOperations } from '../../../src/app/undo/undo.ts';
import type { Chunk } from '../../../src/core/run/chunk.ts';
import { newReduction, partsOf, reduceChunk } from '../../../src/core/run/reduce.ts';
import { storedPart } from '../../../src/core/run/stored-part.ts';
import * as ctx from '../../../src/index.ts';
import { thisProcess } from '../../../src/platform/holder.ts';
import { errorOf, fsck, makeProject, type Project } from '../../support/store.ts';
import { messageOf, streamNamed } from '../../support/ui-streams.ts';

/** A session with one message of the user. */
function asked(): Project & { id: string } {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Limit the retries');
  ctx.appendMessage(project.repository, {
    id: 'question',
    role: 'user',
    parts: [{ type: 'text', text: 'Limit them.' }],
  });
  return { ...project, id };
}

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const messages = ({ repository }: Pick<Project, 'repository'>) => [...ctx.readConversation(repository)];
const last = (project: Pick<Project, 'repository'>) => messages(project).at(-1);

/** The parts that ctx stores of the message of some chunks. */
function partsMadeOf(chunks: readonly Chunk[]) {
  const reduction = newReduction();
  for (const chunk of chunks) reduceChunk(reduction, chunk);
  return plain(partsOf(reduction).map(storedPart));
}

/** Lets the process of a run die: its lock is that of a process which is gone, and its log ends where it was. */
function kill({ store, id }: { store: string; id: string }): void {
  const holder = { ...thisProcess('dead'), pid: 2 ** 22 + 7, started: '1' };
  writeFileSync(join(store, 'runs', id, 'lock'), `${JSON.stringify(holder)}\n`);
}

const logOf = ({ store, id }: { store: string; id: string }): string => join(store, 'runs', id, 'chunks.ndjson');

function expectSound({ repository, store }: Project): void {
  expect(fsck(store)).toBe('');
  expect(checkStore(repository, { full: true })).toMatchObject({ healthy: true });
}

test('a message exists from its first chunk on, and has each chunk as soon as that is written', async () => {
  const project = asked();
  const recording = await ctx.record(project.repository);
  expect(ctx.statusOfRun(project.repository)).toMatchObject({ state: 'starting', pid: process.pid });
  const chunks = streamNamed('v6');
  for (const [index, chunk] of chunks.entries()) {
    recording.write(chunk);
    expect(last(project)).toMatchObject({ id: 'msg_recorded', role: 'assistant' });
    if (index % 5 === 0) expect(last(project)?.parts).toEqual(partsMadeOf(chunks.slice(0, index + 1)));
    if (index === 0) expect(ctx.statusOfRun(project.repository)).toMatchObject({ state: 'busy', attempt: null });
  }
  expect(statSync(logOf(project)).mode & 0o777).toBe(0o600);
  expect(recording.end()).toEqual({
    session_id: project.id,
    message_id: 'msg_recorded',
    state: 'ready',
    chunks: chunks.length,
  });
  expect(recording.end().state).toBe('ready');
  expect(last(project)?.parts).toEqual(partsMadeOf(chunks));
  expect(last(project)?.metadata).toMatchObject({
    model: 'played',
    parent_id: 'question',
    usage: { input: 450, output: 204, reasoning: 36, cache_read: 3000, cache_write: 150 },
    step_usage: { input: 150, output: 68 },
    message_metadata: { nested: { a: 1, b: 2 } },
    stream_end: { kind: 'finish', reason: 'tool-calls' },
  });
  expect(ctx.statusOfRun(project.repository)).toMatchObject({ state: 'ready', pid: null });
  expect((await ctx.contextWindow(project.repository)).reported).toBe(1280);
  expect(ctx.usageOf(project.repository).total).toMatchObject({ input: 450, cache_read: 3000 });
  expectSound(project);
});

test('after a kill at any chunk the message is what the reducer makes of the chunks before', async () => {
  const project = asked();
  const chunks = streamNamed('long');
  const recording = await ctx.record(project.repository);
  recording.write(...chunks);
  const lines = readFileSync(logOf(project), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(chunks.length + 2);
  kill(project);
  for (let cut = 0; cut <= chunks.length; cut += 1) {
    const torn = lines[cut + 2]?.slice(0, 9) ?? '';
    writeFileSync(logOf(project), `${lines.slice(0, cut + 2).join('\n')}\n${torn}`);
    expect(last(project)?.parts).toEqual(partsMadeOf(chunks.slice(0, cut)));
    if (cut % 50 === 0) expect(ctx.statusOfRun(project.repository).state).toBe('idle');
  }
});

test('the first change after a kill makes the prefix a step, once, and undo takes only the change itself back', async () => {
  const project = asked();
  const chunks = streamNamed('v7').slice(0, 40);
  (await ctx.record(project.repository)).write(...chunks);
  kill(project);
  const log = readFileSync(logOf(project));
  ctx.observeNote(project.repository, 'after the kill');
  ctx.flushStep(project.repository);
  expect(() => readFileSync(logOf(project))).toThrow('ENOENT');
  expect(last(project)?.parts).toEqual(partsMadeOf(chunks));
  expect(last(project)?.metadata?.['stream_end']).toBe(null);
  // The removal of the log was cut off: it is in the chain already.
  writeFileSync(logOf(project), log);
  const { step } = ctx.activeSession(project.repository) as ctx.ActiveStatus;
  ctx.flushStep(project.repository);
  expect(() => readFileSync(logOf(project))).toThrow('ENOENT');
  expect(ctx.activeSession(project.repository)).toMatchObject({ step });
  expectSound(project);
});

test('a second run of a session is refused with the process of the first, and since when', async () => {
  const project = asked();
  const recording = await ctx.record(project.repository);
  const other = project.open();
  const refused = await ctx.record(other).catch((error: unknown) => error as ctx.CtxError);
  expect(refused).toMatchObject({
    code: 'busy',
    message: expect.stringContaining(`process ${process.pid}`) as string,
    data: { state: 'starting', pid: process.pid, started_at: project.clock.now * 1000 },
  });
  recording.write({ type: 'start', messageId: 'a' });
  recording.retrying(2, 'rate limited, retry in 12s');
  expect(ctx.statusOfRun(other)).toMatchObject({
    state: 'retrying',
    attempt: 2,
    message: 'rate limited, retry in 12s',
  });
  await expect(ctx.record(other)).rejects.toMatchObject({ code: 'busy', data: { state: 'retrying' } });
  for (const call of [
    () => ctx.branchSession(other, 'question'),
    () => ctx.rewind(other, '1'),
    () => ctx.unrewind(other),
    () => undoOperations(other),
  ])
    expect(errorOf(call)).toMatchObject({ code: 'no_such_move', hint: expect.stringContaining('ctx abort') as string });
  expect(errorOf(() => ctx.forget(other, { text: 'Limit them.' } as never))).toMatchObject({ code: 'no_such_move' });
  recording.write({ type: 'error', errorText: 'no credit left' });
  expect(recording.end().state).toBe('error');
  // A failure clears with the next run.
  const next = await ctx.record(other);
  expect(ctx.statusOfRun(other).state).toBe('starting');
  next.end();
  expect(ctx.statusOfRun(other).state).toBe('interrupted');
});

test('a run whose process is gone is idle, also if another process has its number', async () => {
  const project = asked();
  (await ctx.record(project.repository)).write({ type: 'start', messageId: 'a' });
  const lock = join(project.store, 'runs', project.id, 'lock');
  const holder = JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>;
  expect(ctx.statusOfRun(project.repository).state).toBe('busy');
  writeFileSync(lock, JSON.stringify({ ...holder, started: '1' }));
  expect(ctx.statusOfRun(project.repository)).toMatchObject({ state: 'idle', pid: null, started_at: null });
  writeFileSync(lock, JSON.stringify({ ...holder, boot: '00000000-0000-4000-8000-000000000000' }));
  expect(ctx.statusOfRuns(project.repository)).toMatchObject([{ state: 'idle' }]);
  rmSync(lock);
  const next = await ctx.record(project.repository);
  next.write({ type: 'start', messageId: 'b' }, { type: 'finish' });
  expect(next.end().state).toBe('ready');
  const status = join(project.store, 'runs', project.id, 'status.json');
  writeFileSync(status, readFileSync(status, 'utf8').replace(/"boot":"[^"]*"/, '"boot":"before"'));
  expect(ctx.statusOfRun(project.repository).state).toBe('idle');
});

test('INV-6: after the process of a run dies, all is idle, the history whole, the cursor there, and the next run goes from the last turn', async () => {
  const project = asked();
  const first = await ctx.record(project.repository, { cursor: 'thread_1' });
  first.write(
    { type: 'start', messageId: 'a1' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Three.' },
  );
  first.write({ type: 'text-end', id: '0' }, { type: 'finish' });
  first.cursor('thread_1.response_1');
  first.end();
  ctx.appendMessage(project.repository, {
    id: 'next',
    role: 'user',
    parts: [{ type: 'text', text: 'And the jitter?' }],
  });
  const second = await ctx.record(project.repository);
  second.write(
    { type: 'start', messageId: 'a2' },
    { type: 'tool-input-available', toolCallId: 'call', toolName: 'read', input: { path: 'x'.repeat(9000) } },
  );
  kill(project);
  const restarted = { ...project, repository: project.open() };
  expect(ctx.statusOfRuns(restarted.repository).map(({ state }) => state)).toEqual(['idle']);
  expect(messages(restarted).map(({ id }) => id)).toEqual(['question', 'a1', 'next', 'a2']);
  expect(ctx.runCursor(restarted.repository)).toEqual({
    session_id: project.id,
    cursor: 'thread_1.response_1',
    from: 'record',
    message_id: 'a1',
  });
  const third = await ctx.record(restarted.repository);
  expect(last(restarted)?.parts).toMatchObject([
    {
      toolCallId: 'call',
      state: 'output-error',
      errorText: 'aborted by host restart',
      input: { path: 'x'.repeat(9000) },
    },
  ]);
  third.write({ type: 'start', messageId: 'a3' }, { type: 'finish' });
  expect(third.end().state).toBe('ready');
  expect(messages(restarted).map(({ id, metadata }) => [id, metadata?.['parent_id']])).toEqual([
    ['question', null],
    ['a1', 'question'],
    ['next', 'a1'],
    ['a2', 'next'],
    ['a3', 'a2'],
  ]);
  expectSound(restarted);
});

test('an abort leaves the message as it is, reaches the model by its signal, and takes the runs of sub-agents with it', async () => {
  const project = asked();
  const { repository } = project;
  const child = ctx.startSession(repository, 'look it up', { beside: true } as never).session_id;
  const parent = await ctx.record(repository, { session: project.id });
  parent.write(
    { type: 'start', messageId: 'a' },
    { type: 'tool-input-available', toolCallId: 'task-1', toolName: 'task', input: {} },
    { type: 'tool-input-available', toolCallId: 'shell-1', toolName: 'shell', input: {} },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'half a sen' },
  );
  const sub = await ctx.record(project.open(), { session: child, parent: project.id, call: 'task-1' });
  sub.write({ type: 'start', messageId: 's' }, { type: 'tool-input-start', toolCallId: 'sub-1', toolName: 'read' });
  const stopped = new Promise<void>((done) => sub.signal.addEventListener('abort', () => done()));
  parent.signal.addEventListener('abort', () => void parent.end());
  sub.signal.addEventListener('abort', () => void sub.end());
  const { aborted } = await ctx.abortRun(project.open(), project.id);
  await stopped;
  expect(aborted.map(({ session_id, by }) => [session_id, by])).toEqual([
    [project.id, 'request'],
    [child, 'request'],
  ]);
  const [, answer] = ctx.readConversation(repository, project.id);
  expect(answer?.parts).toMatchObject([
    { toolCallId: 'task-1', state: 'output-error', errorText: 'aborted by parent' },
    { toolCallId: 'shell-1', state: 'input-available' },
    { text: 'half a sen', state: 'streaming' },
  ]);
  const [found] = ctx.readConversation(repository, child);
  expect(found?.parts).toMatchObject([{ toolCallId: 'sub-1', state: 'output-error', errorText: 'aborted by parent' }]);
  expect(ctx.statusOfRun(repository, project.id).state).toBe('interrupted');
  await expect(ctx.abortRun(repository, child)).rejects.toMatchObject({ code: 'no_such_move' });
});

test('a reader has every chunk from the first on, then as they come; one that hangs or leaves costs the run nothing', async () => {
  const project = asked();
  const chunks = streamNamed('v6');
  const recording = await ctx.record(project.repository);
  recording.write(...chunks.slice(0, 30));
  const read = async (follow: boolean): Promise<Chunk[]> => {
    const found: Chunk[] = [];
    for await (const chunk of ctx.replayRun(project.open(), undefined, { follow })) found.push(chunk);
    return found;
  };
  expect(await read(false)).toEqual(chunks.slice(0, 30));
  const hanging = ctx.replayRun(project.open(), undefined, { follow: true });
  await hanging.next();
  const followers = [read(true), read(true)];
  for (const chunk of chunks.slice(30)) {
    recording.write(chunk);
    await new Promise(setImmediate);
  }
  recording.end();
  for (const found of await Promise.all(followers)) expect(found).toEqual(chunks);
  let rest = 1;
  for await (const _ of hanging) rest += 1;
  expect(rest).toBe(chunks.length);
  // After the end: the message itself, as chunks that make the same one.
  const replayed = await read(false);
  expect(await messageOf(replayed)).toEqual(await messageOf(chunks));
});

test('secrets that come in pieces are neither in the log nor in the message', async () => {
  const project = asked();
  const recording = await ctx.record(project.repository);
  const key = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`;
  recording.write({ type: 'start', messageId: 'a' }, { type: 'text-start', id: '0' });
  for (const delta of `The key is ${key}, and that is all.`.match(/.{1,3}/g) ?? []) {
    recording.write({ type: 'text-delta', id: '0', delta });
    expect(
      readFileSync(logOf(project), 'utf8').replaceAll(/","delta":"|"\}\n\{"type":"text-delta","id":"0/g, ''),
    ).not.toMatch(/ghp_|aB3/);
  }
  recording.write({ type: 'tool-input-available', toolCallId: 'c', toolName: 'read', input: { path: '.env' } });
  recording.write({
    type: 'tool-output-available',
    toolCallId: 'c',
    output: 'COLOUR=blue\nDEPLOY_PASSWORD=quite-S3cret-99\n',
  });
  expect(readFileSync(logOf(project), 'utf8')).not.toContain('quite-S3cret');
  recording.end();
  const [text] = last(project)?.parts ?? [];
  expect(text).toMatchObject({
    text: expect.stringMatching(/^The key is g?h?p?\[redacted:github-token:\w+\], and that is all\.$/) as string,
  });
  expect(ctx.activeSession(project.repository)?.redacted ?? {}).toMatchObject({ 'github-token': 1 });
});

test('the last answer is continued by its own id, another message by none', async () => {
  const project = asked();
  const first = await ctx.record(project.repository);
  first.write({ type: 'start', messageId: 'a' }, { type: 'start-step' });
  first.write({ type: 'tool-input-available', toolCallId: 'c', toolName: 'deploy', input: { to: 'production' } });
  first.write({ type: 'tool-approval-request', toolCallId: 'c', approvalId: 'ask' }, { type: 'finish' });
  first.end();
  await expect(ctx.record(project.repository, { as: 'question' })).rejects.toMatchObject({ code: 'invalid_input' });
  const second = await ctx.record(project.repository);
  // A call that waits for the user is no orphan.
  expect(last(project)?.parts.at(-1)).toMatchObject({ state: 'input-available', ui: { state: 'approval-requested' } });
  second.write({ type: 'start', messageId: 'a' }, { type: 'tool-output-available', toolCallId: 'c', output: 'done' });
  second.write(
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Deployed.' },
    { type: 'text-end', id: '0' },
    { type: 'finish' },
  );
  second.end();
  expect(messages(project).map(({ id }) => id)).toEqual(['question', 'a']);
  expect(last(project)?.parts).toMatchObject([
    { type: 'data-step-start' },
    { toolCallId: 'c', state: 'output-available', output: 'done' },
    { type: 'data-step-start' },
    { text: 'Deployed.', state: 'done' },
  ]);
  expectSound(project);
});

test('undo takes a run back', async () => {
  const project = asked();
  ctx.flushStep(project.repository);
  const recording = await ctx.record(project.repository);
  recording.write(...streamNamed('v5'));
  recording.end();
  expect(messages(project)).toHaveLength(2);
  undoOperations(project.repository);
  expect(messages(project)).toHaveLength(1);
  undoOperations(project.repository);
  expect(messages(project)).toHaveLength(2);
  expectSound(project);
});

test('a stream that was cut off, or said nothing, is interrupted; an empty message is kept with its error', async () => {
  const project = asked();
  expect((await ctx.record(project.repository)).end()).toMatchObject({ state: 'interrupted', message_id: null });
  const recording = await ctx.record(project.repository);
  recording.write({ type: 'start', messageId: 'a' }, { type: 'error', errorText: 'overloaded' });
  expect(recording.end().state).toBe('error');
  expect(last(project)).toMatchObject({
    id: 'a',
    parts: [],
    metadata: { stream_end: { kind: 'error', reason: 'overloaded' } },
  });
  expect(() => recording.write({ type: 'start' })).toThrow('The run has ended');
  appendFileSync(join(project.store, 'runs', 'README'), 'not a session');
  expect(ctx.statusOfRuns(project.repository)).toHaveLength(1);
});

test('a context that is full is compacted before the run, with one sentence', async () => {
  const project = makeProject({ models: { played: { context: 3000, output: 100 } }, context: { reserve_tokens: 100 } });
  ctx.startSession(project.repository, 'A long talk');
  for (let turn = 0; turn < 6; turn += 1) {
    ctx.appendMessage(project.repository, {
      role: 'user',
      parts: [{ type: 'text', text: `Question ${turn}. ${'word '.repeat(300)}` }],
    });
    ctx.appendMessage(project.repository, {
      role: 'assistant',
      parts: [{ type: 'text', text: `Answer ${turn}. ${'word '.repeat(300)}` }],
      metadata: { model: 'played' },
    });
  }
  const said: string[] = [];
  const recording = await ctx.record(project.repository, { onNotice: (notice) => said.push(notice) });
  recording.end();
  expect(said[0]).toMatch(/^Summarised \d+ earlier turns, so that the next one fits\.$/);
  expect((await ctx.contextWindow(project.repository)).percent).toBeLessThan(100);
});
