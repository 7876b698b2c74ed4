/** Keeps memory small in long runs: on a machine with much memory, V8 delays garbage collection for a long time. */
import { builtIn } from './built-in.ts';

/** Bytes of input between two collections; one takes about 15 ms. */
const INTERVAL = 3 * 1024 * 1024;

/** Bytes since the last one, over all work of this thread: many small files leave as much garbage as a large one. */
let since = 0;
let collect: (() => void) | undefined;
/** True if the heap of this thread is so small that V8 mostly collects often enough by itself. */
let isConfined = false;
/**
 * Resident size of the whole process, in bytes, at which even a thread with a small heap collects: it leaves a tenth of the
 * budget of 200 MB. From 145 MB on it took a seventh more time (measured).
 */
const FULL = 178_000_000;

/**
 * Leaves the garbage of this thread, whose heap is small, to V8 as long as the whole process is small: long texts are
 * outside that heap. V8 marks concurrently and keeps the object shapes that optimised code relies on; a forced collection
 * drops the shapes without objects, and V8 optimises again.
 */
export function leaveGarbage(): void {
  isConfined = true;
}

/** Leaves the garbage of some work to V8, as `leaveGarbage` does of a whole thread. */
export function leavingGarbage<T>(work: () => T): T {
  const before = isConfined;
  isConfined = true;
  try {
    return work();
  } finally {
    isConfined = before;
  }
}

/** Collects garbage from time to time. @param bytes the size of a finished piece of work */
export function tidyAfter(bytes: number): void {
  since += bytes;
  if (since < INTERVAL) return;
  since = 0;
  if (!isConfined || process.memoryUsage.rss() >= FULL) collectGarbage();
}

/** Collects garbage at once, before others need the memory. */
export function collectGarbage(): void {
  since = 0;
  collect ??= exposeCollector();
  collect();
}

/** Returns V8's own collector, which Node hides by default. */
function exposeCollector(): () => void {
  const v8 = builtIn('node:v8') as typeof import('node:v8');
  const vm = builtIn('node:vm') as typeof import('node:vm');
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  // The code cache of the program is valid for the flags that it was made with.
  v8.setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Keeps the young generation small until some work is done: V8 lets it grow to 32 MB, later versions to 130, and keeps it. */
export function withSmallHeap<T>(work: () => T): T {
  const end = confineYoung();
  let isWaitedFor = false;
  try {
    const done = work();
    isWaitedFor = done instanceof Promise;
    return done instanceof Promise ? (done.finally(end) as T) : done;
  } finally {
    if (!isWaitedFor) end();
  }
}

/** Keeps the young generation small while values are generated one after the other. */
export function* eachWithSmallHeap<T>(things: Iterable<T>): Generator<T> {
  const end = confineYoung();
  try {
    yield* things;
  } finally {
    end();
  }
}

/** Stops V8 from growing the young generation; returns a function that allows it again. */
function confineYoung(): () => void {
  const v8 = builtIn('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // The code cache of the program is valid for the flags that it was made with.
  return () => v8.setFlagsFromString('--semi-space-growth-factor=2');
}
