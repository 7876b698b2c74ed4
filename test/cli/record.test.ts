// Runs as a user of the program has them: bytes through a pipe, kills, readers, aborts, sub-agents.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Chunk } from '../../src/core/run/chunk.ts';
import { newReduction, partsOf, reduceChunk } from '../../src/core/run/reduce.ts';
import { storedPart } from '../../src/core/run/stored-part.ts';
import { NOON, PROGRAM, type Repo, type Result, session } from '../support/cli.ts';
import { streamNamed, streamPath } from '../support/ui-streams.ts';

// Each of them starts many programs.
vi.setConfig({ testTimeout: 120_000 });

const LINES = readFileSync(streamPath('v6'), 'utf8').split(/(?<=\n)/);

/** A program of a test, and what it has printed so far. */
class Running {
  readonly child: ChildProcess;
  output = '';
  errors = '';
  readonly ended: Promise<number | null>;
  readonly #waiting = new Set<() => void>();

  constructor(directory: string, words: readonly string[]) {
    this.child = spawn(process.execPath, [PROGRAM, ...words], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', HOME: directory, CTX_NOW: String(NOON) },
    });
    this.child.stdout?.on('data', (bytes: Buffer) => {
      this.output += bytes.toString('utf8');
      for (const look of this.#waiting) look();
    });
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.errors += bytes.toString('utf8');
    });
    this.child.stdin?.on('error', () => undefined);
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    all.push(this);
  }

  /** Resolves when so many lines are printed. */
  async lines(count: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (this.output.split('\n').length > count) resolve();
      };
      this.#waiting.add(look);
      void this.ended.then(() => {
        look();
        reject(new Error(`it ended: ${this.output}${this.errors}`));
      });
      look();
    });
  }
}

const all: Running[] = [];
afterEach(() => {
  for (const { child } of all.splice(0)) child.kill('SIGKILL');
});

/** Runs the program in a process of its own. */
function ctx(repo: Repo, words: readonly string[], input?: string): Result {
  return repo.run(words, { own: true, input });
}

const json = <T>(repo: Repo, words: readonly string[]): T =>
  (JSON.parse(ctx(repo, ['--json', ...words]).stdout) as { result: T }).result;

interface Message {
  id: string;
  parts: object[];
}

const partsMadeOf = (lines: readonly string[]): object => {
  const reduction = newReduction();
  for (const line of lines) reduceChunk(reduction, JSON.parse(line) as Chunk);
  return JSON.parse(JSON.stringify(partsOf(reduction).map(storedPart))) as object;
};

/** An agent that says something for ever; with a depth, it first starts a sub-agent, whose run is recorded into the next session. */
const AGENT = `
const [program, ...sessions] = process.argv.slice(2);
const say = (chunk) => process.stdout.write(JSON.stringify(chunk) + '\\n');
say({ type: 'start', messageId: 'answer-' + sessions.length });
say({ type: 'tool-input-available', toolCallId: 'task-' + sessions.length, toolName: 'task', input: {} });
if (sessions.length > 0) {
  const words = [program, 'record', sessions[0], '--call', 'task-' + sessions.length, '--', process.execPath, __filename, program, ...sessions.slice(1)];
  require('node:child_process').spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
say({ type: 'text-start', id: '0' });
process.on('SIGTERM', () => {});
setInterval(() => say({ type: 'text-delta', id: '0', delta: 'more ' }), 5);
`;

test('bytes pass as they are, NDJSON or server-sent events; only a refusal prints an envelope', () => {
  const repo = session('Limit the retries');
  const stream = LINES.join('');
  expect(ctx(repo, ['--json', 'record'], stream)).toMatchObject({ code: 0, stdout: stream, stderr: '' });
  const events = `: comment\n\n${LINES.map((line) => `data: ${line}\n`).join('')}data: [DONE]\n\n`;
  const other = session('Limit the retries');
  expect(ctx(other, ['record'], events)).toMatchObject({ code: 0, stdout: events });
  for (const each of [repo, other])
    expect(json<Message[]>(each, ['messages'])).toMatchObject([{ id: 'msg_recorded', parts: partsMadeOf(LINES) }]);
  const none = ctx(repo, ['--json', 'record', '01000000'], stream);
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({ ok: false, error: { code: 'not_found' } });
  const named = ctx(other, ['record', '--as', 'own', '--cursor', 'thread_42', '--parent', 'a', '--call', 'b'], stream);
  expect(named.code).toBe(0);
  expect(json<Message[]>(other, ['messages']).at(-1)?.id).toBe('own');
  expect(ctx(other, ['run', 'cursor']).stdout).toBe('thread_42\n');
  const odd = ctx(other, ['record'], 'no chunk\n{"type":"start","messageId":"odd"}\n{"type":"finish"}');
  expect(odd).toMatchObject({ code: 0, stderr: 'warning: not recorded: line 1: it is no JSON\n' });
  expect(ctx(other, ['record', '--', 'no-such-program'])).toMatchObject({ code: 1 });
  expect(ctx(other, ['record', '--', process.execPath, '-e', 'process.exit(7)'])).toMatchObject({ code: 7 });
  expect(json<{ state: string; message: string }>(other, ['run', 'status'])).toMatchObject({
    state: 'error',
    message: 'the command ended with 7',
  });
  expect(ctx(other, ['record'], '{"type":"start"}\n{"type":"error","errorText":"overloaded"}\n').code).toBe(0);
  expect(json(other, ['run', 'status'])).toMatchObject({ state: 'error', message: 'overloaded' });
});

test.each([3, 37, 80])('a recorder that is killed behind chunk %d has all that it has passed on', async (count) => {
  const repo = session('Limit the retries');
  const recorder = new Running(repo.dir, ['record', '--sync']);
  recorder.child.stdin?.write(LINES.slice(0, count).join(''));
  await recorder.lines(count);
  recorder.child.kill('SIGKILL');
  await recorder.ended;
  expect(json<{ state: string }>(repo, ['run', 'status']).state).toBe('idle');
  expect(json<Message[]>(repo, ['messages'])).toMatchObject([
    { id: 'msg_recorded', parts: partsMadeOf(LINES.slice(0, count)) },
  ]);
  ctx(repo, ['observe', 'note', 'later', '--flush']);
  expect(json<Message[]>(repo, ['messages']).map(({ parts }) => parts)).toEqual([partsMadeOf(LINES.slice(0, count))]);
  expect(ctx(repo, ['fsck']).code).toBe(0);
});

test('readers follow a run, one is killed, its terminal closes, a second run is refused, and an abort ends it', async () => {
  const repo = session('Limit the retries');
  const agent = repo.write('agent.cjs', AGENT);
  const recorder = new Running(repo.dir, ['record', '--', process.execPath, agent, PROGRAM]);
  await recorder.lines(20);
  const readers = [1, 2].map(() => new Running(repo.dir, ['replay', '--follow']));
  const watcher = new Running(repo.dir, ['--json', 'run', 'status', '--watch']);
  await Promise.all([...readers.map((reader) => reader.lines(20)), watcher.lines(1)]);
  readers[0]?.child.kill('SIGKILL');
  recorder.child.kill('SIGHUP');
  recorder.child.stdout?.destroy();
  await readers[1]?.lines(200);
  const second = ctx(repo, ['--json', 'record'], LINES.join(''));
  expect(second.code).toBe(4);
  expect(JSON.parse(second.stdout)).toMatchObject({
    error: { code: 'busy', data: { state: 'busy', pid: recorder.child.pid } },
  });
  expect(ctx(repo, ['rewind', '1'])).toMatchObject({ code: 1, stderr: expect.stringContaining('ctx abort') as string });
  expect(ctx(repo, ['abort']).code).toBe(0);
  expect(await recorder.ended).toBe(130);
  expect(await readers[1]?.ended).toBe(0);
  await watcher.lines(2);
  const states = watcher.output
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { result: { state: string } }).result.state);
  expect([states.at(0), states.at(-1)]).toEqual(['busy', 'interrupted']);
  const [answer] = json<Message[]>(repo, ['messages']);
  const chunks = (readers[1]?.output ?? '').trimEnd().split('\n');
  expect(answer?.parts).toEqual(partsMadeOf(chunks));
  expect(answer?.parts).toMatchObject([{ toolCallId: 'task-0', state: 'input-available' }, { state: 'streaming' }]);
  expect(ctx(repo, ['abort']).code).toBe(1);
});

test('an abort ends the runs of sub-agents, three deep', async () => {
  const repo = session('top');
  const top = json<{ session_id: string }>(repo, ['status']).session_id;
  const ids = ['one', 'two', 'three'].map(
    (task) => json<{ session_id: string }>(repo, ['start', '--beside', task]).session_id,
  );
  const agent = repo.write('agent.cjs', AGENT);
  const recorder = new Running(repo.dir, ['record', top, '--', process.execPath, agent, PROGRAM, ...ids]);
  const watcher = new Running(repo.dir, ['--json', 'run', 'status', '--all', '--watch']);
  const busy = (): number => new Set(watcher.output.match(/"session_id":"[^"]+","state":"busy"/g)).size;
  for (let lines = 4; busy() < 4; lines += 1) await watcher.lines(lines);
  expect(recorder.errors).toBe('');
  const { aborted } = json<{ aborted: { by: string }[] }>(repo, ['abort', top]);
  expect(aborted.map(({ by }) => by)).toEqual(['request', 'request', 'request', 'request']);
  expect(await recorder.ended).toBe(130);
  const states = json<{ state: string }[]>(repo, ['run', 'status', '--all']).map(({ state }) => state);
  expect(states).toEqual(['interrupted', 'interrupted', 'interrupted', 'interrupted']);
  for (const id of [top, ...ids])
    expect(json<Message[]>(repo, ['messages', id])[0]?.parts[0]).toMatchObject({ errorText: 'aborted by parent' });
});

test('a run that is found dead is replayed as far as it came, with its torn end left out', async () => {
  const repo = session('Limit the retries');
  const recorder = new Running(repo.dir, ['record']);
  recorder.child.stdin?.write(LINES.slice(0, 12).join(''));
  await recorder.lines(12);
  recorder.child.kill('SIGKILL');
  await recorder.ended;
  const { stdout } = ctx(repo, ['replay']);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Chunk),
  ).toEqual(streamNamed('v6').slice(0, 12));
  expect(ctx(repo, ['replay', '-f', '--from', '5']).code).toBe(2);
  expect(readFileSync(join(repo.dir, '.ctx', 'STAGE'), 'utf8')).toContain('refs/sessions/');
});
