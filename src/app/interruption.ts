/** Runs long work that Ctrl-C ends in the midst of a loop: nothing of the work runs any more, and its caller says what was done. */
import { runInThisContext } from 'node:vm';

/** The name under which the script finds the work. */
const WORK = Symbol.for('ctx.interruptible-work');

const isInterruption = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';

/**
 * Runs work. Node calls no listener of a signal during a loop, but a script can be broken off by one; no `finally` of the script
 * runs then: the work must be safe to kill at any instruction, and the next command breaks the locks that it leaves. Work that waits
 * for input is not broken off by it.
 * @param say says what was done; afterwards the process ends as the signal ends it
 */
export async function runInterruptible<T>(work: () => T | Promise<T>, say: () => void): Promise<T> {
  const end = (): never => {
    say();
    process.removeListener('SIGINT', end);
    process.kill(process.pid, 'SIGINT');
    // The signal may reach another thread first.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  };
  Reflect.set(globalThis, WORK, work);
  let begun: T | Promise<T>;
  try {
    begun = runInThisContext(`globalThis[Symbol.for(${JSON.stringify(WORK.description)})]()`, { breakOnSigint: true });
  } catch (error) {
    if (isInterruption(error)) end();
    throw error;
  } finally {
    Reflect.deleteProperty(globalThis, WORK);
  }
  // Listeners are called in the pauses of work that waits for threads or other programs.
  process.on('SIGINT', end);
  try {
    return await begun;
  } finally {
    process.removeListener('SIGINT', end);
  }
}
