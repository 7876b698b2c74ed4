/** Reads files and streams in chunks, so that none is ever held whole. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { damaged } from '../core/errors.ts';
import { pause, timeLimit } from './clock.ts';
import { errorCode, exists, FILE_LIMIT, ioError, isAbsent } from './files.ts';
import { openPlain } from './plain-files.ts';

/** Reads a file in chunks of at most `size` bytes; a chunk is only valid until the next one is requested. */
export const readPieces = (path: string | Buffer, size: number, start = 0): Generator<Buffer> =>
  readOpened(path, () => openSync(path, 'r'), size, start);

/** Reads a regular file in chunks, through no link and without waiting at a pipe. @throws {CtxError} io, damaged */
export const readPlainPieces = (path: string, size: number, start = 0): Generator<Buffer> =>
  readOpened(path, () => openPlain(path).handle, size, start);

/**
 * Reads a regular file in chunks; nothing if there is none.
 * @throws {CtxError} io; damaged, if it is no regular file, or larger than FILE_LIMIT
 */
export function* readPiecesIfThere(path: string, size: number): Generator<Buffer> {
  // lstat first avoids the cost of an exception: most stores have no such file.
  if (!exists(path)) return;
  let opened: ReturnType<typeof openPlain>;
  try {
    opened = openPlain(path);
  } catch (error) {
    if (isAbsent(error)) return;
    throw ioError('read', path, error);
  }
  const { handle } = opened;
  const limited = (): number => {
    if (opened.size <= FILE_LIMIT) return handle;
    closeSync(handle);
    throw damaged(path, 'it is far too large');
  };
  yield* readOpened(path, limited, size, 0);
}

function* readOpened(path: string | Buffer, open: () => number, size: number, start: number): Generator<Buffer> {
  let handle: number;
  try {
    handle = open();
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

/**
 * Reads an open file from `start` (null: from its current position, as for standard input) in chunks of full `size`; the
 * last one may be shorter.
 */
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
 * Reads an open file from its current position, each chunk of at most `size` bytes as soon as there is any.
 * @param limit milliseconds of silence after which it ends if its writer has not closed it; it ends after MOST_SILENCES such
 * limits in any case: pipes and sockets can be read without waiting
 */
export function* readAvailable(handle: number, size: number, limit?: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  const stat = limit === undefined ? null : fstatSync(handle);
  const again = stat?.isFIFO() ? openAgain(handle) : null;
  const isPatient = again !== null || (stat !== null && (stat.isFIFO() || stat.isSocket()) && stopWaiting(handle));
  const inAll = isPatient ? timeLimit(MOST_SILENCES * (limit ?? 0)) : undefined;
  try {
    for (;;) {
      const silence = timeLimit(limit ?? 0);
      const timeLeft = inAll && ((): number => Math.min(silence(), inAll()));
      const got = inAll?.() === 0 ? 0 : readSome(again ?? handle, buffer, 0, size, null, timeLeft);
      if (got === 0) return;
      yield buffer.subarray(0, got);
    }
  } finally {
    if (again !== null) closeSync(again);
  }
}

/** After this many times the limit, a reader takes what has come. */
const MOST_SILENCES = 20;

/** Reopens a pipe of Linux in non-blocking mode; returns null if that cannot be done. */
function openAgain(handle: number): number | null {
  try {
    if (process.platform !== 'linux') return null;
    return openSync(`/proc/self/fd/${handle}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

/** The handles by which libuv reads pipes and sockets. Kept, since a collected one would close its file descriptor. */
const opened: unknown[] = [];

/**
 * Makes reads of a pipe or a socket non-blocking; returns false if that cannot be done. Programs of Node, as most agents
 * are, pass a socket. A socket cannot be reopened, and `process.stdin` would do the same, but costs a hook a tenth of Node's
 * own start.
 */
function stopWaiting(handle: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    const { Pipe, constants: kinds } = (process as unknown as { binding: (name: string) => PipeWrap }).binding(
      'pipe_wrap',
    );
    const pipe = new Pipe(kinds.SOCKET);
    opened.push(pipe);
    return !pipe.open(handle);
  } catch {
    // This Node has no such binding. Using `process.stdin` is enough.
    return handle === 0 && process.stdin.readable;
  }
}

/** The part of Node's internal `pipe_wrap` that is used. */
interface PipeWrap {
  readonly Pipe: new (kind: number) => { open: (handle: number) => number | undefined };
  readonly constants: { readonly SOCKET: number };
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
