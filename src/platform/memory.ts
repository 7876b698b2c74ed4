/** Keeping memory small in long runs: V8 on a machine with much of it lets garbage lie until there is a lot. */
import { builtIn } from './built-in.ts';

/** Bytes of input between two collections; one takes some 15 ms. */
const INTERVAL = 3 * 1024 * 1024;

/** Since the last one; of everything that this thread does, for one that reads many small files leaves as much as with a large one. */
let since = 0;
let collect: (() => void) | undefined;

/** Has garbage collected now and then. @param bytes the size of a piece of work that is done */
export function tidyAfter(bytes: number): void {
  since += bytes;
  if (since >= INTERVAL) collectGarbage();
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

/** Keeps what this process has just made in little room while some work is done: V8 lets it grow to 32 MB, and keeps them. */
export async function inLittleRoom<T>(work: () => Promise<T>): Promise<T> {
  const v8 = builtIn('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    // The code cache of the program counts for the flags that it was made under.
    v8.setFlagsFromString('--semi-space-growth-factor=2');
  }
}
