/** Deflating and inflating: small streams here, others by the machine's zlib, loaded only where it pays. */
import type * as Zlib from 'node:zlib';
import { isStored, storedStream } from '../core/stored-stream.ts';
import { inflateStream, ZlibStreamError } from '../core/zlib-stream.ts';
import { builtIn } from './built-in.ts';
import { errorCode } from './files.ts';

export { ZlibStreamError };

/** Up to this many bytes a content is stored as it is: on disk it fills no more than one block of 4 KiB either way. */
const STORED = 4000;
/** The same where zlib would have to be loaded for it: a third of Node's own start (measured) is too much for a hook, and gc deflates all. */
const STORED_UNLOADED = 16 * 1024;
/** Up to this many compressed bytes inflating here is faster than loading zlib (measured: about 5 KB a millisecond, cold). */
const SMALL = 8192;

/** Sizes of the pieces that zlib gives, in bytes: the least that it takes, and its own default. */
const LEAST_PIECE = 64;
const PIECE = 16 * 1024;
/** How many times as long as its stream most content is at most. */
const RATIO = 6;

/** So much that the content fills one piece, if it can be told: a small content in a large one is held as that. */
const pieceFor = (source: Buffer, expected: number): number =>
  Math.max(LEAST_PIECE, expected > 0 ? expected + 1 : Math.min(PIECE, RATIO * source.length));

let loaded: typeof Zlib | undefined;

function zlib(): typeof Zlib {
  loaded ??= builtIn('node:zlib') as typeof Zlib;
  return loaded;
}

/** A zlib stream of a content; level 1, since a hook waits for it. */
export function deflate(content: Buffer): Buffer {
  const limit = loaded === undefined ? STORED_UNLOADED : STORED;
  return content.length <= limit ? storedStream(content) : zlib().deflateSync(content, { level: 1 });
}

/**
 * Inflates the zlib stream at the beginning of some bytes.
 * @param limit most bytes that may come out
 * @param expected how many will come out, where that is known: they then fill one buffer, and are not held twice
 * @returns the content, and how many bytes the stream took
 * @throws {ZlibStreamError} `short` where the bytes end too early, `large` beyond the limit, `broken` otherwise
 */
export function inflate(source: Buffer, limit: number, expected = 0): { content: Buffer; used: number } {
  if (isStored(source) || (loaded === undefined && source.length <= SMALL)) return inflateStream(source, limit);
  try {
    const options = { maxOutputLength: Math.max(1, limit), chunkSize: pieceFor(source, expected), info: true };
    const result = zlib().inflateSync(source, options) as unknown as { buffer: Buffer; engine: Zlib.Inflate };
    return { content: result.buffer, used: result.engine.bytesWritten };
  } catch (cause) {
    throw streamError(cause);
  }
}

/** What zlib says of the bytes that it was given. Whatever else it throws is of the machine, such as that there is no memory. */
const REASONS: Readonly<Record<string, ZlibStreamError['reason']>> = {
  Z_BUF_ERROR: 'short',
  ERR_BUFFER_TOO_LARGE: 'large',
  Z_DATA_ERROR: 'broken',
  Z_NEED_DICT: 'broken',
};

/** An error of a stream; any other as it is. */
function streamError(cause: unknown): unknown {
  if (cause instanceof ZlibStreamError) return cause;
  const reason = REASONS[errorCode(cause)];
  return reason === undefined ? cause : new ZlibStreamError(reason);
}

/** Runs a read of a stream; gives what `otherwise` does where the stream is at fault. */
function unlessBroken<Read>(read: () => Read, otherwise: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(streamError(error) instanceof ZlibStreamError)) throw error;
    return otherwise();
  }
}

/** Beyond this many bytes the memory counts, and not the time: zlib makes a buffer of its own, which stays until it is collected. */
export const HUGE = 16 * 1024 * 1024;

/** Inflates a stream into the caller's buffer, as far as it goes. @throws {ZlibStreamError} as `inflate` */
export function inflateInto(room: Buffer, source: Buffer): Buffer {
  if (room.length > HUGE) return inflateStream(source, room.length, room).content;
  const { content } = inflate(source, room.length, room.length);
  content.copy(room);
  return room.subarray(0, content.length);
}

/** What the first bytes of a zlib stream inflate to, as far as they go; empty where they are no such stream. */
export function inflateBeginning(source: Buffer): Buffer {
  const finishFlush = zlib().constants.Z_SYNC_FLUSH;
  return unlessBroken(
    () => zlib().inflateSync(source, { finishFlush }),
    () => Buffer.alloc(0),
  );
}

/** What there is of a stream. */
export interface Inflated {
  content: Buffer;
  whole: boolean;
  /** How many bytes the stream took; 0 where it is not whole. */
  used: number;
}

/** Inflates as much of a stream as there is. @throws {ZlibStreamError} where nothing of it can be had */
export function inflatePart(source: Buffer, limit: number): Inflated {
  const finishFlush = zlib().constants.Z_SYNC_FLUSH;
  const beginning = (): Inflated => ({
    content: zlib().inflateSync(source, { finishFlush, maxOutputLength: limit }),
    whole: false,
    used: 0,
  });
  return unlessBroken(
    () => ({ ...inflate(source, limit), whole: true }),
    () =>
      unlessBroken(beginning, () => {
        throw new ZlibStreamError('broken');
      }),
  );
}
