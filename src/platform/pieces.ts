/** Reading files and streams in pieces, so that none is ever held whole. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { pause, timeLimit } from './clock.ts';
import { errorCode, ioError } from './files.ts';

/** Reads a file in pieces of at most `size` bytes; the piece is only valid until the next one is asked for. */
export function* readPieces(path: string, size: number, start = 0): Generator<Buffer> {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    throw ioError('read', path, error);
  }
  try {
    yield* readHandle(handle, size, start);
  } catch (error) {
    throw ioError('read', path, error);
  } finally {
    closeSync(handle);
  }
}

/** Reads an open file from `start` on (null: from where it stands, as for standard input) in pieces of full `size`, the last one less. */
export function* readHandle(handle: number, size: number, start: number | null): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  for (let at = start, filled = 0; ; ) {
    const got = readSome(handle, buffer, filled, size - filled, at);
    filled += got;
    if (at !== null) at += got;
    if (filled > 0 && (got === 0 || filled === size)) {
      yield buffer.subarray(0, filled);
      filled = 0;
    }
    if (got === 0) return;
  }
}

/**
 * Reads an open file from where it stands, each piece as soon as there is anything, of at most `size` bytes.
 * @param limit milliseconds after which it ends, where this system can read without waiting: pipes of Linux alone
 */
export function* readAvailable(handle: number, size: number, limit?: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  const patient = limit === undefined ? null : withoutWaiting(handle);
  const timeLeft = patient === null ? undefined : timeLimit(limit ?? 0);
  try {
    for (;;) {
      const got = readSome(patient ?? handle, buffer, 0, size, null, timeLeft);
      if (got === 0) return;
      yield buffer.subarray(0, got);
    }
  } finally {
    if (patient !== null) closeSync(patient);
  }
}

/** Opens a pipe once more, so that reading it never waits for its writer; null where that cannot be done. */
function withoutWaiting(handle: number): number | null {
  try {
    if (process.platform !== 'linux' || !fstatSync(handle).isFIFO()) return null;
    return openSync(`/proc/self/fd/${handle}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function readSome(
  handle: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number | null,
  timeLeft?: () => number,
): number {
  for (;;) {
    try {
      return readSync(handle, buffer, offset, length, position);
    } catch (error) {
      // A pipe that its writer left non-blocking has nothing yet.
      if (errorCode(error) === 'EOF') return 0;
      if (errorCode(error) !== 'EAGAIN') throw error;
      if (timeLeft?.() === 0) return 0;
      pause(5);
    }
  }
}
