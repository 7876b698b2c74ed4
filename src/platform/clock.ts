/** The two clocks: the recorded time, which `CTX_NOW` may set, and the machine's own, for ids, waits and ages of locks. */
import { readNow } from '../core/time.ts';

/** Returns the time to record, in whole Unix seconds. */
export type Clock = () => number;

/**
 * Returns milliseconds of the clock that never goes back, counted from an arbitrary start. `performance` would make a hook
 * load a dozen modules.
 */
export function monotonicTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Returns a function that returns how many milliseconds are left of a period that begins now; 0 when the period is over. */
export function timeLimit(milliseconds: number): () => number {
  const end = monotonicTime() + milliseconds;
  return () => Math.max(0, end - monotonicTime());
}

/** Returns the machine's own time in whole Unix seconds: for waits, expiry and ages. */
export const machineTime: Clock = () => Math.floor(Date.now() / 1000);

/** Returns the clock of a process: fixed if CTX_NOW is set, else the machine's. @throws {CtxError} usage */
export function systemClock(environment: Record<string, string | undefined> = process.env): Clock {
  const fixed = environment.CTX_NOW;
  if (fixed === undefined || fixed === '') return machineTime;
  const now = readNow(fixed);
  return () => now;
}

/** Blocks the process for a time, without spinning. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
