/** Decompresses Zstandard (RFC 8878) in chunks, on every Node: frames are parsed here, and each block is decompressed by itself. */
import { Decompress } from 'fzstd';
import { Xxh64 } from './xxhash.ts';

/** An error about a file that is not valid Zstandard. */
export class ZstdError extends Error {}

/** Largest window of a frame, in bytes: all of it is held. `zstd -19` makes 8 MiB. */
const WINDOW_LIMIT = 32 * 1024 * 1024;
/** Largest block: RFC 8878 allows no larger one. */
const BLOCK_LIMIT = 128 * 1024;
const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

/**
 * Yields the decompressed bytes; holds at most a block of them beside the window.
 * @param limit returns the most bytes that may come of a number of compressed ones
 * @throws {ZstdError} if they are damaged, truncated, or too many
 */
export function* decompressZstd(pieces: Iterable<Buffer>, limit: (compressed: number) => number): Generator<Buffer> {
  const input = new Bytes(pieces);
  let size = 0;
  do {
    for (const piece of frame(input)) {
      size += piece.length;
      if (size > limit(input.taken)) throw new ZstdError('it would become far larger than any transcript');
      yield piece;
    }
  } while (!input.isOver());
}

function* frame(input: Bytes): Generator<Buffer> {
  const magic = input.take(4);
  const kind = magic.readUInt32LE();
  if ((kind & 0xfffffff0) >>> 0 === SKIPPABLE) {
    for (let left = input.take(4).readUInt32LE(); left > 0; left -= BLOCK_LIMIT)
      input.take(Math.min(left, BLOCK_LIMIT));
    return;
  }
  if (kind !== MAGIC) throw new ZstdError('it is no Zstandard');
  const header = headerOf(input);
  const made: Buffer[] = [];
  const decompress = new Decompress((piece) => made.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length)));
  const hash = header.hasChecksum ? new Xxh64() : null;
  const push = (bytes: Buffer, isEnd: boolean): Buffer[] => {
    try {
      decompress.push(bytes, isEnd);
    } catch (error) {
      throw new ZstdError(error instanceof Error ? error.message : String(error));
    }
    const pieces = made.splice(0);
    for (const piece of pieces) hash?.update(piece);
    return pieces;
  };
  push(Buffer.concat([magic, header.bytes]), false);
  for (let isLast = false; !isLast; ) {
    const head = input.take(3);
    const blockHeader = head.readUIntLE(0, 3);
    isLast = (blockHeader & 1) === 1;
    const [type, size] = [(blockHeader >> 1) & 3, blockHeader >> 3];
    if (size > BLOCK_LIMIT || type === 3) throw new ZstdError('it has a block that cannot be');
    const block = Buffer.concat([head, input.take(type === 1 ? 1 : size)]);
    // The end of this frame is its checksum, which the decompressor ignores.
    const checksum = isLast && hash ? input.take(4) : null;
    yield* push(checksum ? Buffer.concat([block, checksum]) : block, isLast);
    if (checksum && hash?.digest() !== checksum.readUInt32LE()) throw new ZstdError('its checksum is wrong');
  }
}

/** Parses the header of a frame behind its magic number. */
function headerOf(input: Bytes): { bytes: Buffer; hasChecksum: boolean } {
  const [descriptor] = input.take(1) as unknown as [number];
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] as number;
  const content = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  const rest = input.take((isSingle ? 0 : 1) + dictionary + content);
  if (dictionary > 0) throw new ZstdError('it needs a dictionary');
  const window = isSingle ? contentSize(rest) : windowSize(rest[0] as number);
  if (window > WINDOW_LIMIT) throw new ZstdError('it needs a larger window than any transcript');
  return { bytes: Buffer.concat([Buffer.of(descriptor), rest]), hasChecksum: (descriptor & 4) !== 0 };
}

/** Returns the content size of a frame: its window, if it has no other. */
const contentSize = (bytes: Buffer): number =>
  bytes.length === 8
    ? Number(bytes.readBigUInt64LE())
    : bytes.readUIntLE(0, bytes.length) + (bytes.length === 2 ? 256 : 0);

const windowSize = (descriptor: number): number => 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);

/** A reader that takes a given number of bytes at a time. */
class Bytes {
  /** Number of bytes that were taken. */
  taken = 0;
  readonly #pieces: Iterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** Takes the next bytes. @throws {ZstdError} if there are fewer */
  take(count: number): Buffer {
    while (this.#held.length < count) if (!this.#more()) throw new ZstdError('it is cut off');
    const bytes = Buffer.from(this.#held.subarray(0, count));
    this.#held = this.#held.subarray(count);
    this.taken += count;
    return bytes;
  }

  isOver(): boolean {
    return this.#held.length === 0 && !this.#more();
  }

  #more(): boolean {
    const { done, value } = this.#pieces.next();
    // A chunk is only valid until the next one is requested.
    if (!done) this.#held = Buffer.concat([this.#held, value]);
    return !done;
  }
}
