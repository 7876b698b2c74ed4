/** Keeping memory small in long runs: V8 on a machine with much of it lets garbage lie until there is a lot. */
import { builtIn } from './built-in.ts';

/** Bytes of input between two collections; one takes some 15 ms. */
const INTERVAL = 3 * 1024 * 1024;

/** Since the last one; of everything that this thread does, for one that reads many small files leaves as much as with a large one. */
let since = 0;
let collect: (() => void) | undefined;
/** Whether V8 has so little room here that it mostly collects often enough by itself. */
let isConfined = false;
/**
 * What all of the process may hold before a thread that leaves its garbage to V8 has it collected after all, in bytes: as much as
 * leaves a tenth of the 200 MB of the design's budget. From 145 on it took a seventh more time (measured).
 */
const FULL = 178_000_000;

/**
 * Leaves the garbage of this thread to V8, for one whose whole heap is small, as long as all of the process holds little: long
 * texts lie outside of that heap. V8 marks beside the work, and keeps the shapes of objects that optimised code counts on; where
 * it is told to collect at once it lets go of those that no object has just then, and optimises anew.
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

/** Has garbage collected now and then, where V8 would let it lie. @param bytes the size of a piece of work that is done */
export function tidyAfter(bytes: number): void {
  since += bytes;
  if (since < INTERVAL) return;
  since = 0;
  if (!isConfined || process.memoryUsage.rss() >= FULL) collectGarbage();
}

/** Has garbage collected at once: before others need the room. */
export function collectGarbage(): void {
  since = 0;
  collect ??= exposeCollector();
  collect();
}

/** V8's own collector, which Node hides unless it is asked for. */
function exposeCollector(): () => void {
  const v8 = builtIn('node:v8') as typeof import('node:v8');
  const vm = builtIn('node:vm') as typeof import('node:vm');
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  // The code cache of the program counts for the flags that it was made under.
  v8.setFlagsFromString('--no-expose-gc');
  return collect;
}

/**
 * Keeps what this process has just made in little room until some work is done: V8 lets it grow to 32 MB, later ones to 130, and
 * keeps them.
 */
export function inLittleRoom<T>(work: () => T): T {
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

/** The same while things are made one after the other, as they are asked for. */
export function* eachInLittleRoom<T>(things: Iterable<T>): Generator<T> {
  const end = confineYoung();
  try {
    yield* things;
  } finally {
    end();
  }
}

/** Tells V8 to let no room grow for what was just made; gives what takes that back. */
function confineYoung(): () => void {
  const v8 = builtIn('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // The code cache of the program counts for the flags that it was made under.
  return () => v8.setFlagsFromString('--semi-space-growth-factor=2');
}
