/** Small zlib streams (RFC 1950, RFC 1951), read here. */
import { adler32 } from './digest.ts';

// Most objects of a step are a few hundred bytes, and loading the machine's zlib costs a hook more than they do. What is read
// is checked by its object id afterwards.

/** Why a stream could not be read. `short`: its bytes end too early; `large`: it gives more than was allowed. */
export class ZlibStreamError extends Error {
  readonly reason: 'broken' | 'short' | 'large';

  constructor(reason: ZlibStreamError['reason']) {
    super(reason);
    this.reason = reason;
  }
}

const broken = (): ZlibStreamError => new ZlibStreamError('broken');

/** Longest code that one look into a table resolves, in bits: longer ones are rare, and a larger table costs more than it saves. */
const QUICK = 9;

/** A canonical Huffman code: how many codes there are of each length, and the symbols in order. */
interface Code {
  counts: Uint16Array;
  symbols: Uint16Array;
  /** By the next QUICK bits as they lie in the stream: symbol * 16 + length of its code; 0 if that is longer. */
  quick: Uint16Array;
}

function makeCode(lengths: Uint8Array, mayBeLone: boolean): Code {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  counts[0] = 0;
  const offsets = new Uint16Array(16);
  let left = 1;
  for (let length = 1; length < 16; length += 1) {
    left = left * 2 - (counts[length] as number);
    // More codes than the lengths have room for.
    if (left < 0) throw broken();
    if (length < 15) offsets[length + 1] = (offsets[length] as number) + (counts[length] as number);
  }
  // Fewer codes than that: zlib takes none at all, and a lone one.
  const used = (offsets[15] as number) + (counts[15] as number);
  if (left > 0 && used > Number(mayBeLone && counts[1] === 1)) throw broken();
  const symbols = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    symbols[offsets[length] as number] = symbol;
    offsets[length] = (offsets[length] as number) + 1;
  }
  return { counts, symbols, quick: quickTable(counts, symbols) };
}

/** Codes are in the stream highest bit first, and the table is asked lowest bit first: they are reversed. */
function quickTable(counts: Uint16Array, symbols: Uint16Array): Uint16Array {
  const table = new Uint16Array(1 << QUICK);
  let turned = 0;
  let index = 0;
  for (let length = 1; length <= QUICK; length += 1) {
    const half = 1 << (length - 1);
    // A bit more to ask by: a shorter code has both of its values.
    table.copyWithin(half, 0, half);
    for (let left = counts[length] as number; left > 0; left -= 1, index += 1) {
      table[turned] = ((symbols[index] as number) << 4) | length;
      // The next code of this length, turned round: the carry runs from the highest bit down.
      let bit = half;
      while (turned & bit) {
        turned ^= bit;
        bit >>= 1;
      }
      turned |= bit;
    }
  }
  return table;
}

/** Bits of a stream, lowest first. */
class Bits {
  at: number;
  #held = 0;
  #count = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  take(count: number): number {
    while (this.#count < count) {
      if (this.at >= this.#bytes.length) throw new ZlibStreamError('short');
      this.#held |= (this.#bytes[this.at] as number) << this.#count;
      this.at += 1;
      this.#count += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return value;
  }

  /** Lets go of what is left of the byte, and of whole bytes that were read ahead. */
  align(): void {
    this.at -= this.#count >> 3;
    this.#held = 0;
    this.#count = 0;
  }

  symbol(code: Code): number {
    while (this.#count < QUICK && this.at < this.#bytes.length) {
      this.#held |= (this.#bytes[this.at] as number) << this.#count;
      this.at += 1;
      this.#count += 8;
    }
    const entry = code.quick[this.#held & ((1 << QUICK) - 1)] as number;
    const length = entry & 15;
    if (length === 0 || length > this.#count) return this.#longSymbol(code);
    this.#held >>>= length;
    this.#count -= length;
    return entry >> 4;
  }

  #longSymbol(code: Code): number {
    let value = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length < 16; length += 1) {
      value |= this.take(1);
      const count = code.counts[length] as number;
      if (value - count < first) return code.symbols[index + value - first] as number;
      index += count;
      first = (first + count) << 1;
      value <<= 1;
    }
    throw broken();
  }
}

/** RFC 1951, section 3.2.5: the lengths and distances of the symbols. */
const LENGTH_BASES = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
/** Section 3.2.7: the order in which the lengths of the code for lengths come. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

type Codes = [literals: Code, distances: Code];

/** Made once: what Git packs as a delta is mostly a few bytes in these. */
let fixed: Codes | undefined;

function fixedCodes(): Codes {
  if (fixed) return fixed;
  const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
  fixed = [makeCode(lengths, false), makeCode(new Uint8Array(32).fill(5), false)];
  return fixed;
}

function dynamicCodes(bits: Bits): Codes {
  const literals = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  const given = bits.take(4) + 4;
  if (literals > 286 || distances > 30) throw broken();
  const ofLengths = new Uint8Array(19);
  for (let index = 0; index < given; index += 1) ofLengths[LENGTH_ORDER[index] as number] = bits.take(3);
  const code = makeCode(ofLengths, false);
  const lengths = new Uint8Array(literals + distances);
  for (let index = 0; index < lengths.length; ) {
    const symbol = bits.symbol(code);
    if (symbol < 16) {
      lengths[index] = symbol;
      index += 1;
      continue;
    }
    if (symbol === 16 && index === 0) throw broken();
    const value = symbol === 16 ? (lengths[index - 1] as number) : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (index + times > lengths.length) throw broken();
    lengths.fill(value, index, index + times);
    index += times;
  }
  return [makeCode(lengths.subarray(0, literals), true), makeCode(lengths.subarray(literals), true)];
}

/** Output of a stream, up to a limit; grows as it must, so that a small stream cannot ask for much. */
class Output {
  bytes: Buffer;
  length = 0;
  readonly #limit: number;

  constructor(limit: number, room: Buffer | undefined) {
    this.#limit = limit;
    this.bytes = room ?? Buffer.allocUnsafe(Math.min(limit, 4096));
  }

  reserve(count: number): void {
    if (this.length + count > this.#limit) throw new ZlibStreamError('large');
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(this.bytes.length * 2, this.length + count)));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}

/** V8's own: by what a Buffer reads numbers and copies, Node would compile in every process. */
const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

function readStored(source: Buffer, bits: Bits, output: Output): void {
  bits.align();
  if (bits.at + 4 > source.length) throw new ZlibStreamError('short');
  const view = viewOf(source);
  const length = view.getUint16(bits.at, true);
  if (length !== (~view.getUint16(bits.at + 2, true) & 0xffff)) throw broken();
  bits.at += 4;
  if (bits.at + length > source.length) throw new ZlibStreamError('short');
  output.reserve(length);
  output.bytes.set(source.subarray(bits.at, bits.at + length), output.length);
  output.length += length;
  bits.at += length;
}

function readCoded(bits: Bits, output: Output, [literals, distances]: Codes): void {
  for (let symbol = bits.symbol(literals); symbol !== 256; symbol = bits.symbol(literals)) {
    if (symbol < 256) {
      output.reserve(1);
      output.bytes[output.length] = symbol;
      output.length += 1;
      continue;
    }
    const index = symbol - 257;
    const base = LENGTH_BASES[index];
    if (base === undefined) throw broken();
    const length = base + bits.take(LENGTH_BITS[index] as number);
    const far = bits.symbol(distances);
    const distance = (DISTANCE_BASES[far] ?? Number.POSITIVE_INFINITY) + bits.take(DISTANCE_BITS[far] ?? 0);
    if (distance > output.length) throw broken();
    output.reserve(length);
    // Byte by byte: what is copied may reach into what it makes.
    for (let count = 0; count < length; count += 1, output.length += 1) {
      output.bytes[output.length] = output.bytes[output.length - distance] as number;
    }
  }
}

/**
 * Inflates a zlib stream.
 * @param limit most bytes that may come out
 * @param room where they go, if they fit into it
 * @returns the content, and how many bytes of the source the stream took
 * @throws {ZlibStreamError}
 */
export function inflateStream(source: Buffer, limit: number, room?: Buffer): { content: Buffer; used: number } {
  if (source.length < 2) throw new ZlibStreamError('short');
  const header = viewOf(source).getUint16(0);
  // Deflate, a checksum that is right, no preset dictionary.
  if ((header & 0x0f00) !== 0x0800 || header % 31 !== 0 || (header & 0x20) !== 0 || header >> 12 > 7) throw broken();
  const bits = new Bits(source, 2);
  const output = new Output(limit, room);
  for (let last = 0; last === 0; ) {
    last = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) readStored(source, bits, output);
    else if (kind === 1) readCoded(bits, output, fixedCodes());
    else if (kind === 2) readCoded(bits, output, dynamicCodes(bits));
    else throw broken();
  }
  bits.align();
  const content = output.bytes.subarray(0, output.length);
  if (bits.at + 4 > source.length) throw new ZlibStreamError('short');
  if (viewOf(source).getUint32(bits.at) !== adler32(content)) throw broken();
  return { content, used: bits.at + 4 };
}
