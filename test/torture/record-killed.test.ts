// A run that ends behind chunks of a stream of 500, by a kill or an abort: the message is what the AI SDK's own reducer makes of the chunks
// up to there. Every twentieth chunk, and the first of each type; behind each of the 500 with CTX_FUZZ_RUNS set, which takes minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Chunk } from '../../src/core/run/chunk.ts';
import { chunksOf } from '../../src/core/run/replay.ts';
import { openRepository } from '../../src/history/store/repository.ts';
import * as ctx from '../../src/index.ts';
import { NOON, PROGRAM, session } from '../support/cli.ts';
import { makeProject } from '../support/store.ts';
import { messageOf, streamNamed, streamPath } from '../support/ui-streams.ts';

const LINES = readFileSync(streamPath('long'), 'utf8').split(/(?<=\n)/);
const CHUNKS = streamNamed('long');

/** The numbers of chunks behind which the run ends. */
const COUNTS = CHUNKS.flatMap(({ type }, index) => {
  const isFirst = CHUNKS.findIndex((other) => other.type === type) === index;
  return isFirst || index % 20 === 19 || 'CTX_FUZZ_RUNS' in process.env ? [index + 1] : [];
});

/** Checks that the last message of a session is what the AI SDK makes of some chunks. */
async function expectPrefix(repository: ctx.Repository, count: number): Promise<void> {
  const wanted = await messageOf(CHUNKS.slice(0, count));
  const last = [...ctx.readConversation(repository)].at(-1);
  const made = last && (await messageOf([...chunksOf(last as never)]));
  expect(made?.parts ?? [], `after ${count} chunks`).toEqual(wanted?.parts ?? []);
}

/** Records the beginning of the stream with the program, and kills it once all of that has passed. @returns what it said of it */
async function killedBehind(dir: string, count: number): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'record'], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, CTX_NOW: String(NOON) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let [seen, said] = [0, ''];
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString('utf8');
  });
  child.stdin.write(LINES.slice(0, count).join(''));
  for await (const bytes of child.stdout) {
    seen += (bytes as Buffer).toString('utf8').split('\n').length - 1;
    if (seen === count) break;
  }
  child.kill('SIGKILL');
  await ended;
  return said;
}

test('killed behind a chunk, the message is what the AI SDK makes of the chunks before', {
  timeout: 3_600_000,
}, async () => {
  expect(LINES).toHaveLength(500);
  const { dir } = session('Limit the retries');
  for (const count of COUNTS) {
    const copy = mkdtempSync(join(tmpdir(), 'killed-'));
    cpSync(dir, copy, { recursive: true });
    expect(await killedBehind(copy, count)).toBe('');
    const repository = openRepository({ directory: copy });
    expect(ctx.statusOfRun(repository).state).toBe('idle');
    await expectPrefix(repository, count);
    const replayed: Chunk[] = [];
    for await (const chunk of ctx.replayRun(repository)) replayed.push(chunk);
    expect(replayed).toEqual(CHUNKS.slice(0, count));
    rmSync(copy, { recursive: true });
  }
});

test('aborted behind a chunk, two readers have all chunks up to there, and so has the message', {
  timeout: 3_600_000,
}, async () => {
  for (const count of COUNTS) {
    const project = makeProject();
    ctx.startSession(project.repository, 'Limit the retries');
    const recording = await ctx.record(project.repository);
    const read = async (): Promise<Chunk[]> => {
      const found: Chunk[] = [];
      for await (const chunk of ctx.replayRun(project.open(), undefined, { follow: true })) found.push(chunk);
      return found;
    };
    recording.write(...CHUNKS.slice(0, count - 1));
    const readers = [read(), read()];
    await new Promise(setImmediate);
    recording.write(CHUNKS[count - 1]);
    const aborted = once(recording.signal, 'abort').then(() => recording.end());
    await ctx.abortRun(project.open());
    await aborted;
    for (const found of await Promise.all(readers))
      expect(found, `a reader, ${count} chunks`).toEqual(CHUNKS.slice(0, count));
    await expectPrefix(project.repository, count);
    expect(ctx.statusOfRun(project.repository).state).toBe('interrupted');
    rmSync(project.folder, { recursive: true });
  }
});
