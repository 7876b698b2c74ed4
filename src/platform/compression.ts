/** Deflates and inflates: small streams in JavaScript, others by Node's zlib, which is loaded only if that pays off. */
import type * as Zlib from 'node:zlib';
import { isStored, storedStream } from '../core/stored-stream.ts';
import { inflateStream, ZlibStreamError } from '../core/zlib-stream.ts';
import { builtIn } from './built-in.ts';
import { errorCode } from './files.ts';

export { ZlibStreamError };

/** Largest content, in bytes, that is stored without compression: on disk it fills one block of 4 KiB either way. */
const STORED = 4000;
/**
 * The same limit before zlib is loaded: loading it takes a third of Node's own start (measured), too much for a hook, and gc
 * deflates everything later.
 */
const STORED_UNLOADED = 16 * 1024;
/**
 * Up to this many compressed bytes, inflating in JavaScript is faster than loading zlib (measured: about 5 KB a millisecond,
 * cold).
 */
const SMALL = 8192;

/** Sizes of the chunks that zlib returns, in bytes: the smallest that it accepts, and its default. */
const LEAST_PIECE = 64;
const PIECE = 16 * 1024;
/** Most content is at most this many times as long as its stream. */
const RATIO = 6;

/**
 * Returns a chunk size that holds the whole content if its size is known: zlib keeps a small content in a buffer of the
 * chunk's size.
 */
const pieceFor = (source: Buffer, expected: number): number =>
  Math.max(LEAST_PIECE, expected > 0 ? expected + 1 : Math.min(PIECE, RATIO * source.length));

let loaded: typeof Zlib | undefined;

function zlib(): typeof Zlib {
  loaded ??= builtIn('node:zlib') as typeof Zlib;
  return loaded;
}

/** Loads zlib for a process that inflates much: from then on it inflates small streams too. */
export const expectMuch = (): void => void zlib();

/** Returns a zlib stream of a content; level 1, since a hook waits for it. */
export function deflate(content: Buffer): Buffer {
  const limit = loaded === undefined ? STORED_UNLOADED : STORED;
  return content.length <= limit ? storedStream(content) : zlib().deflateSync(content, { level: 1 });
}

/** Returns a zlib stream of a content with the fewest bytes, for a file that is kept or sent. */
export const deflateFully = (content: Buffer): Buffer => zlib().deflateSync(content, { level: 9 });

/**
 * Inflates the zlib stream at the beginning of some bytes.
 * @param limit most bytes that may come out
 * @param expected size of the content if it is known: then one buffer is filled, and the content is not held twice
 * @returns the content, and how many bytes the stream takes
 * @throws {ZlibStreamError} `short` if the bytes end too early, `large` beyond the limit, `broken` otherwise
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

/** zlib's error codes for bad input. Its other errors are about the machine, such as a lack of memory. */
const REASONS: Readonly<Record<string, ZlibStreamError['reason']>> = {
  Z_BUF_ERROR: 'short',
  ERR_BUFFER_TOO_LARGE: 'large',
  Z_DATA_ERROR: 'broken',
  Z_NEED_DICT: 'broken',
};

/** Converts an error of zlib about its input to a ZlibStreamError; returns any other error unchanged. */
function streamError(cause: unknown): unknown {
  if (cause instanceof ZlibStreamError) return cause;
  const reason = REASONS[errorCode(cause)];
  return reason === undefined ? cause : new ZlibStreamError(reason);
}

/** Runs a read of a stream; returns the result of `otherwise` if the stream is bad. */
function unlessBroken<Read>(read: () => Read, otherwise: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(streamError(error) instanceof ZlibStreamError)) throw error;
    return otherwise();
  }
}

/** Beyond this many bytes memory matters more than time: zlib allocates a buffer of its own, which stays until it is collected. */
export const HUGE = 16 * 1024 * 1024;

/** Inflates a stream into the caller's buffer, as far as the buffer reaches. @throws {ZlibStreamError} as `inflate` */
export function inflateInto(room: Buffer, source: Buffer): Buffer {
  if (room.length > HUGE) return inflateStream(source, room.length, room).content;
  const { content } = inflate(source, room.length, room.length);
  content.copy(room);
  return room.subarray(0, content.length);
}

/** Inflates as much as possible of the first bytes of a zlib stream; returns an empty buffer if they are no zlib stream. */
export function inflateBeginning(source: Buffer): Buffer {
  const finishFlush = zlib().constants.Z_SYNC_FLUSH;
  return unlessBroken(
    () => zlib().inflateSync(source, { finishFlush }),
    () => Buffer.alloc(0),
  );
}

/** The readable part of a stream. */
export interface Inflated {
  content: Buffer;
  whole: boolean;
  /** Number of bytes that the stream takes; 0 if it is not whole. */
  used: number;
}

/** Inflates as much of a stream as there is. @throws {ZlibStreamError} if nothing of it can be read */
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
