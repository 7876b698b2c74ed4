/** Makes ids: UUIDv7 (RFC 9562), ordered by creation across processes and within one. */
import { monotonicTime } from './clock.ts';

/** Returns a new id at each call. */
export type IdSource = () => string;

const origin = Date.now() - monotonicTime();

/**
 * Returns milliseconds since 1970 with their fraction: the wall clock at the start of the process plus the monotonic clock
 * since.
 */
const machineTime = (): number => origin + monotonicTime();

/** Returns an id that is ordered after another one, whatever the clock is now. @param id a UUIDv7 */
export const idAfter = (id: string): string => idBeside(id, 1n);

/** Returns an id that is ordered before another one. @param id a UUIDv7 */
export const idBefore = (id: string): string => idBeside(id, -1n);

function idBeside(id: string, steps: bigint): string {
  const time = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}`) + steps;
  const hex = time.toString(16).padStart(15, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}-${uuidSource()().slice(19)}`;
}

/**
 * Returns a number below 2^48. Ids must be unique, and need not be hard to guess: V8 seeds its generator from the system's
 * in each process.
 */
const randomTail = (): number => Math.floor(Math.random() * 2 ** 48);

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/**
 * Makes a source of UUIDv7: 48 bits of milliseconds, 12 bits of their fraction (RFC 9562, method 3), then a 14-bit counter
 * within the process and 48 random bits. If the clock stops or goes back, the counter continues.
 */
export function uuidSource(now: () => number = machineTime, tail: () => number = randomTail): IdSource {
  let lastTime = 0;
  let counter = 0;
  return () => {
    const exact = now();
    const time = Math.max(lastTime, Math.floor(exact) * 4096 + Math.floor((exact % 1) * 4096));
    counter = time === lastTime ? counter + 1 : 0;
    // A full counter borrows from the clock, which keeps the order.
    if (counter > 0x3fff) {
      counter = 0;
      lastTime = time + 1;
    } else lastTime = time;
    const milliseconds = hex(Math.floor(lastTime / 4096), 12);
    const fraction = hex(0x7000 | (lastTime % 4096), 4);
    return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-${fraction}-${hex(0x8000 | counter, 4)}-${hex(tail(), 12)}`;
  };
}
