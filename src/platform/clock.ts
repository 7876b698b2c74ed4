/** The two clocks: recorded times, which `CTX_NOW` may set, and the machine's own, for ids, waits and lock ages. */
import { readNow } from '../core/time.ts';

/** Gives the time that is recorded: whole Unix seconds. */
export type Clock = () => number;

/** The clock of a process: fixed where CTX_NOW is set, else the machine's. @throws {CtxError} usage */
export function systemClock(environment: Record<string, string | undefined> = process.env): Clock {
  const fixed = environment.CTX_NOW;
  if (fixed === undefined || fixed === '') return () => Math.floor(Date.now() / 1000);
  const now = readNow(fixed);
  return () => now;
}
