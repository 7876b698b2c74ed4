// Threads that answer orders: each order is answered, or it is told that nobody will, and the end waits for those at work.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import type * as WorkerThreads from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { parallelism, programBeside, startThreads } from '../../src/platform/threads.ts';
import { temporaryFolder } from '../support/store.ts';

/** Doubles numbers; ends at once where that is its order, and fails where it is none. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (order) => {
    if (order === 'end') process.exit(0);
    if (typeof order !== 'number') throw new Error('no number');
    parentPort.postMessage(order * 2);
  });
`;

function program(text = PROGRAM): string {
  const path = join(temporaryFolder(), 'program.cjs');
  writeFileSync(path, text);
  return path;
}

test('orders are answered by those that wait; more than there are threads are not taken', async () => {
  const threads = startThreads<number, number>(program(), 2);
  expect(threads.idle).toBe(2);
  const answers = [1, 2, 3].map((order) => threads.order(order));
  expect(threads.idle).toBe(0);
  expect(await Promise.all(answers)).toEqual([2, 4, null]);
  expect(threads.idle).toBe(2);
  expect(await threads.order(5)).toBe(10);
  await threads.end();
  expect(threads.idle).toBe(0);
});

test.each(['end', 'fail'])(
  'a thread that is gone behind the order %s answers null, and takes no more',
  async (order) => {
    const threads = startThreads<number | string, number>(program(), 2);
    expect(await threads.order(order)).toBeNull();
    expect(threads.idle).toBe(1);
    expect(await threads.order(4)).toBe(8);
    await threads.end();
  },
);

afterEach(() => void vi.restoreAllMocks());

test.each([
  [
    '11.3.244.8-node.38',
    ['--interrupt-budget=270336', '--no-turbo-inlining', '--interrupt-budget=67584', '--turbo-inlining'],
  ],
  ['12.4.254.21-node.57', ['--no-turbo-inlining', '--turbo-inlining']],
  ['13.6.233.17-node.53', ['--no-turbo-inlining', '--turbo-inlining']],
])('V8 %s gets no flag that it does not have', async (version, flags) => {
  const told: string[] = [];
  vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, v8: version });
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void told.push(flag));
  await startThreads<number, number>(program(), 1).end();
  expect(told).toEqual(flags);
});

test('where a thread cannot be started, V8 compiles as before', () => {
  const told: string[] = [];
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void told.push(flag));
  expect(() => startThreads<number, number>('no absolute path', 1)).toThrow();
  expect(told.filter((flag) => flag.includes('inlining'))).toEqual(['--no-turbo-inlining', '--turbo-inlining']);
});

test('a thread has a small heap, so that V8 lets little garbage lie in it', async () => {
  const tells = `
    const { parentPort, resourceLimits } = require('node:worker_threads');
    parentPort.on('message', () => parentPort.postMessage(resourceLimits));
  `;
  const threads = startThreads<null, WorkerThreads.ResourceLimits>(program(tells), 1);
  expect(await threads.order(null)).toMatchObject({ maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 });
  await threads.end();
});

test('a program that is not there answers null', async () => {
  const threads = startThreads<number, number>(join(temporaryFolder(), 'gone.cjs'), 1);
  expect(await threads.order(1)).toBeNull();
  await threads.end();
});

test('the end comes behind what is being done', async () => {
  const threads = startThreads<number, number>(program(), 1);
  const told: string[] = [];
  const answer = threads.order(21).then((value) => told.push(`answer ${value}`));
  await threads.end();
  told.push('end');
  await answer;
  expect(told).toEqual(['answer 42', 'end']);
});

test('there is work for one thread at least, and no program of the build beside the sources', () => {
  expect(parallelism()).toBeGreaterThan(0);
  expect(programBeside('threads.ts')).toMatch(/threads\.ts$/);
  expect(programBeside('ingest-thread.cjs')).toBeNull();
});
