/** The two clocks: recorded times, which `CTX_NOW` may set, and the machine's own, for ids, waits and lock ages. */
import { readNow } from '../core/time.ts';

/** Gives the time that is recorded: whole Unix seconds. */
export type Clock = () => number;

/** Milliseconds of the clock that never goes back, from a start of its own. `performance` would cost a hook a dozen modules. */
export function monotonicTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Tells how many milliseconds are left of a time that begins now; 0 when it is over. */
export function timeLimit(milliseconds: number): () => number {
  const end = monotonicTime() + milliseconds;
  return () => Math.max(0, end - monotonicTime());
}

/** The machine's own time, in whole Unix seconds: for what waits, expires or grows old. */
export const machineTime: Clock = () => Math.floor(Date.now() / 1000);

/** The clock of a process: fixed where CTX_NOW is set, else the machine's. @throws {CtxError} usage */
export function systemClock(environment: Record<string, string | undefined> = process.env): Clock {
  const fixed = environment.CTX_NOW;
  if (fixed === undefined || fixed === '') return machineTime;
  const now = readNow(fixed);
  return () => now;
}

/** Waits without spinning, the process stopped. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
