// Collecting garbage between pieces of work: where V8 would let it lie, and not where it has little room anyway.
import v8 from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A fresh copy of the module: nothing was collected yet. */
let memory: typeof import('../../src/platform/memory.ts');
/** Options for V8: its collector is asked for at the first collection. */
const told: string[] = [];
beforeEach(async () => {
  vi.resetModules();
  memory = await import('../../src/platform/memory.ts');
  const set = v8.setFlagsFromString.bind(v8);
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => {
    told.push(flag);
    set(flag);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  told.length = 0;
});

const PIECE = 1024 * 1024;

test('garbage is collected once enough work is done, of pieces of any size', () => {
  for (let piece = 0; piece < 2; piece += 1) memory.tidyAfter(PIECE);
  expect(told).toEqual([]);
  memory.tidyAfter(PIECE);
  expect(told).toEqual(['--expose-gc', '--no-expose-gc']);
});

test.each([
  [177_999_999, []],
  [178_000_000, ['--expose-gc', '--no-expose-gc']],
])('a thread that leaves its garbage to V8 collects it where the process holds much: %i bytes', (bytes, flags) => {
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(bytes);
  memory.leaveGarbage();
  for (let piece = 0; piece < 20; piece += 1) memory.tidyAfter(PIECE);
  expect(told).toEqual(flags);
});

test('garbage is collected at once where others need the room', () => {
  memory.leaveGarbage();
  memory.collectGarbage();
  expect(told).toEqual(['--expose-gc', '--no-expose-gc']);
});

const LITTLE = ['--semi-space-growth-factor=1', '--semi-space-growth-factor=2'];

test('work is done in little room, which ends with it', () => {
  expect(memory.withSmallHeap(() => [...told])).toEqual(LITTLE.slice(0, 1));
  expect(told).toEqual(LITTLE);
});

test('the memory settings are restored after asynchronous work', async () => {
  let done: (value: number) => void = () => undefined;
  const waited = new Promise<number>((resolve) => {
    done = resolve;
  });
  const work = memory.withSmallHeap(() => waited);
  await null;
  expect(told).toEqual(LITTLE.slice(0, 1));
  done(7);
  expect(await work).toBe(7);
  expect(told).toEqual(LITTLE);
});

test.each<[string, () => unknown]>([
  ['at once', () => memory.withSmallHeap(() => fails())],
  ['later', () => memory.withSmallHeap(async () => fails())],
])('the memory settings are restored if the work fails %s', async (_, work) => {
  await expect((async () => work())()).rejects.toThrow('It failed.');
  expect(told).toEqual(LITTLE);
});

function fails(): never {
  throw new Error('It failed.');
}

test('the memory settings are restored after the last value that is made or asked for', () => {
  for (const most of [9, 1]) {
    told.length = 0;
    const seen: string[][] = [];
    for (const _thing of memory.eachWithSmallHeap(['a', 'b'])) {
      seen.push([...told]);
      if (seen.length === most) break;
    }
    expect({ seen, told }).toEqual({ seen: ['a', 'b'].slice(0, most).map(() => LITTLE.slice(0, 1)), told: LITTLE });
  }
});
