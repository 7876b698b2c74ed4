/** Reading files and streams in pieces, so that none is ever held whole. */
import { closeSync, openSync, readSync } from 'node:fs';
import { pause } from './clock.ts';
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

/** Reads an open file from where it stands, each piece as soon as there is anything, of at most `size` bytes. */
export function* readAvailable(handle: number, size: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  for (;;) {
    const got = readSome(handle, buffer, 0, size, null);
    if (got === 0) return;
    yield buffer.subarray(0, got);
  }
}

function readSome(handle: number, buffer: Buffer, offset: number, length: number, position: number | null): number {
  for (;;) {
    try {
      return readSync(handle, buffer, offset, length, position);
    } catch (error) {
      // A pipe that its writer left non-blocking has nothing yet.
      if (errorCode(error) === 'EOF') return 0;
      if (errorCode(error) !== 'EAGAIN') throw error;
      pause(5);
    }
  }
}
