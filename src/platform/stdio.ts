/** The standard streams: whole writes, even into a pipe whose reader is slow, and input in pieces. */
import { fstatSync, statSync, writeSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { pause } from './clock.ts';
import { errorCode, ioError } from './files.ts';
import { readAvailable, readHandle } from './pieces.ts';

/** Whoever takes it for a failure does a thing twice. */
const UNTOLD =
  'The command itself is done: only its answer could not be printed. Look before you run it again: ctx stage status';
const NAMES = { 1: 'standard output', 2: 'standard error' } as const;

/** Writes a text to standard output (1) or standard error (2) to its last byte; false where its reader has gone. */
export function writeStream(handle: 1 | 2, text: string): boolean {
  const content = Buffer.from(text);
  for (let at = 0; at < content.length; ) {
    try {
      at += writeSync(handle, content, at);
    } catch (error) {
      if (errorCode(error) === 'EPIPE') return false;
      if (errorCode(error) !== 'EAGAIN')
        throw new CtxError('io', `Cannot write to ${NAMES[handle]}: ${errorCode(error)}`, {
          hint: UNTOLD,
          cause: error,
        });
      pause(2);
    }
  }
  return true;
}

/** Standard input in pieces of at most `size` bytes; a piece is only valid until the next one is asked for. */
export function readInput(size: number): Generator<Buffer> {
  return reading(readHandle(0, size, null));
}

/**
 * Standard input as it comes, for whoever need not wait for its end; a piece is only valid until the next one is asked for.
 * @param limit milliseconds to wait at most, as far as the system lets
 */
export function readInputAsItComes(size: number, limit?: number): Generator<Buffer> {
  return reading(readAvailable(0, size, limit));
}

/** Words what goes wrong with standard input: it may be a folder, or a file that is open for writing alone. */
function* reading(pieces: Generator<Buffer>): Generator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    throw ioError('read', 'standard input', error);
  }
}

/** One line of standard input, without its end; empty where it has ended. */
export function readInputLine(): string {
  const bytes: number[] = [];
  // Byte by byte: what follows the line is somebody else's.
  for (const [byte = 0] of readHandle(0, 1, null)) {
    if (byte === 0x0a) break;
    bytes.push(byte);
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Whether a standard stream is a terminal. A pipe or a file is told without loading what Node keeps terminals in. */
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
