/** Keeping memory small in long runs: V8 on a machine with much of it lets garbage lie until there is a lot. */
import { builtIn } from './built-in.ts';

/** Bytes of input between two collections; one takes some 15 ms. */
const INTERVAL = 3 * 1024 * 1024;

/** Gives a function that takes the size of each piece of work, and has garbage collected now and then. */
export function garbageCollector(): (bytes: number) => void {
  let since = 0;
  let collect: (() => void) | undefined;
  return (bytes) => {
    since += bytes;
    if (since < INTERVAL) return;
    since = 0;
    collect ??= exposeCollector();
    collect();
  };
}

/** Has garbage collected at once: before others need the room. */
export const collectGarbage = (): void => exposeCollector()();

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
