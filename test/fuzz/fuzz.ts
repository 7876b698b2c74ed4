// Runs the fuzz tests, the same every time or more and elsewhere when asked; and how bytes are damaged.
import { expect, vi } from 'vitest';
import { CtxError, type ErrorCode } from '../../src/core/errors.ts';
import { tellCases } from '../support/cases.ts';
import { fc } from '../support/property.ts';

const factor = Number(process.env['CTX_FUZZ_RUNS'] ?? 1);
const seed = process.env['CTX_FUZZ_SEED'];
/** Leads to the one case that a failed run has named, which is then all that is tried. */
const path = process.env['CTX_FUZZ_PATH'];

vi.setConfig({ testTimeout: 240_000 * Math.max(1, factor) });

/** Returns the number of runs of a property, and their seed. */
export function runs(count: number): fc.Parameters<unknown> {
  const numRuns = Math.max(1, Math.round(count * factor));
  tellCases(numRuns);
  const from = seed === undefined ? (fc.readConfigureGlobal().seed as number) : Number(seed);
  return { numRuns, seed: from, ...(path === undefined ? {} : { path, endOnFailure: true }) };
}

/** One thing done to bytes; `at` is taken modulo their length. */
export interface Harm {
  how: 'flip' | 'set' | 'cut' | 'drop' | 'repeat' | 'insert' | 'swap';
  at: number;
  byte: number;
  length: number;
}

const harm: fc.Arbitrary<Harm> = fc.record({
  how: fc.constantFrom('flip', 'flip', 'set', 'set', 'cut', 'drop', 'repeat', 'insert', 'swap'),
  at: fc.nat(0xffffff),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x7b, 0x7d, 0xff)),
  length: fc.integer({ min: 1, max: 40 }),
});
/** One to a few things done to bytes. */
export const harms = fc.array(harm, { minLength: 1, maxLength: 3 });

function harmed(bytes: Buffer, { how, at: place, byte, length }: Harm): Buffer {
  const at = bytes.length === 0 ? 0 : place % bytes.length;
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
  if (how === 'cut') return Buffer.from(before);
  if (how === 'drop') return Buffer.concat([before, after]);
  if (how === 'repeat') return Buffer.concat([before, part, part, after]);
  if (how === 'insert') return Buffer.concat([before, Buffer.of(byte), part, after]);
  if (how === 'swap') return Buffer.concat([before, after, part]);
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at] = how === 'set' ? byte : (copy[at] as number) ^ (1 << (byte & 7));
  return copy;
}

/** Bytes with everything done to them, one after the other. */
export const spoilt = (bytes: Buffer, list: readonly Harm[]): Buffer => list.reduce(harmed, bytes);

/** Returns the result of a call, or the error of ctx that it throws, which must be of these codes. Anything else is a failure. */
export function valueOr<T>(codes: readonly ErrorCode[], call: () => T): { value: T } | { error: CtxError } {
  try {
    return { value: call() };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    if (!codes.includes(error.code)) expect.fail(`${error.code}: ${error.message}`);
    return { error };
  }
}

/** Fails where a call takes longer than this many milliseconds. */
export function within<T>(milliseconds: number, call: () => T): T {
  const started = performance.now();
  const result = call();
  expect(performance.now() - started).toBeLessThan(milliseconds);
  return result;
}
