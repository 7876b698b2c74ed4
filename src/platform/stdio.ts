/** The standard streams: complete writes, even to a pipe with a slow reader, and input in chunks. */
import { fstatSync, statSync, write, writeSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { pause } from './clock.ts';
import { errorCode, ioError } from './files.ts';
import { readAvailable, readHandle } from './pieces.ts';

/** A user who takes this for a failure of the command would run it twice. */
const PRINT_FAILED =
  'The command itself is done: only its answer could not be printed. Look before you run it again: ctx status';
const NAMES = { 1: 'standard output', 2: 'standard error' } as const;

/** Writes a text, or bytes, to standard output (1) or standard error (2) to the last byte; returns false if the reader has closed it. */
export function writeStream(handle: 1 | 2, text: string | Buffer): boolean {
  const content = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < content.length; ) {
    try {
      at += writeSync(handle, content, at);
    } catch (error) {
      if (errorCode(error) === 'EPIPE') return false;
      if (errorCode(error) !== 'EAGAIN')
        throw new CtxError('io', `Cannot write to ${NAMES[handle]}: ${errorCode(error)}`, {
          hint: PRINT_FAILED,
          cause: error,
        });
      pause(2);
    }
  }
  return true;
}

/**
 * Writes to standard output without blocking the process, whose other work continues while the reader is slow.
 * @returns whether there still is a reader
 */
export async function writeOutput(content: Buffer | string): Promise<boolean> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += await new Promise<number>((resolve, reject) => {
        write(1, bytes, at, bytes.length - at, null, (error, written) => (error ? reject(error) : resolve(written)));
      });
    } catch (error) {
      if (errorCode(error) === 'EPIPE') return false;
      if (errorCode(error) !== 'EAGAIN') throw ioError('write to', 'standard output', error);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  return true;
}

/** Reads standard input in chunks of at most `size` bytes; a chunk is only valid until the next one is requested. */
export function readInput(size: number): Generator<Buffer> {
  return reading(readHandle(0, size, null));
}

/**
 * Reads standard input as it arrives, for a caller that need not wait for its end; a chunk is only valid until the next one
 * is requested.
 * @param limit milliseconds to wait at most, as far as the system allows it
 */
export function readInputAsItComes(size: number, limit?: number): Generator<Buffer> {
  return reading(readAvailable(0, size, limit));
}

/** Converts errors of standard input: it may be a folder, or a file that is open only for writing. */
function* reading(pieces: Generator<Buffer>): Generator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    throw ioError('read', 'standard input', error);
  }
}

/** Reads one line of standard input, without its end; empty at the end of input. */
export function readInputLine(): string {
  const bytes: number[] = [];
  // Byte by byte: the input after the line is for another reader.
  for (const [byte = 0] of readHandle(0, 1, null)) {
    if (byte === 0x0a) break;
    bytes.push(byte);
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Returns whether a standard stream is a terminal. Recognises a pipe or a file without loading Node's `tty`. */
export function isTerminal(handle: 0 | 1 | 2): boolean {
  const known = terminals[handle] ?? looksLikeTerminal(handle);
  terminals[handle] = known;
  return known;
}

const terminals: (boolean | undefined)[] = [];

function looksLikeTerminal(handle: 0 | 1 | 2): boolean {
  try {
    const stat = fstatSync(handle);
    if (!stat.isCharacterDevice()) return process.platform === 'win32' && streamOf(handle).isTTY === true;
    if (stat.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev) return false;
  } catch {
    // The stream is closed.
    return false;
  }
  return streamOf(handle).isTTY === true;
}

const streamOf = (handle: 0 | 1 | 2): { isTTY?: boolean } =>
  handle === 0 ? process.stdin : handle === 1 ? process.stdout : process.stderr;
