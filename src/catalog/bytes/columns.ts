/** Columns of numbers: of a fixed width, or each as the difference from the one before it. */
import { ByteReader, ByteWriter } from './varint.ts';

/** A growing list of numbers. */
export class Numbers {
  values: Uint32Array;
  length = 0;

  constructor(size = 1024) {
    this.values = new Uint32Array(size);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const next = new Uint32Array(this.length * 2);
      next.set(this.values);
      this.values = next;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] as number;
  }
}

/** Encodes numbers in so many bytes each, the lowest first; a number that is too large loses its highest bytes. */
export function fixedColumn(numbers: Numbers, width: 1 | 2 | 3 | 4): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * width);
  let at = 0;
  for (let index = 0; index < numbers.length; index += 1)
    for (let left = numbers.at(index), byte = 0; byte < width; byte += 1, left >>>= 8) bytes[at++] = left;
  return bytes;
}

/** Reads a number of three bytes by its place in a column. */
export function numberOfThree(bytes: Uint8Array, index: number): number {
  const at = index * 3;
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Encodes numbers in four bytes each, to be read without being decoded. */
export const wordsColumn = (numbers: Numbers): Buffer => fixedColumn(numbers, 4);

/** Returns the numbers of such a column: the bytes themselves, if the machine has numbers in the same order. */
export function wordsIn(bytes: Buffer): Uint32Array {
  const length = bytes.length >>> 2;
  if (IS_LITTLE_ENDIAN && bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, length);
  return Uint32Array.from({ length }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** Encodes numbers of any size in eight bytes each. */
export const numbersOf = (numbers: Float64Array): Buffer => {
  const bytes = Buffer.allocUnsafe(numbers.length * 8);
  for (let index = 0; index < numbers.length; index += 1) bytes.writeDoubleLE(numbers[index] as number, index * 8);
  return bytes;
};

/** Returns the numbers of such a column. */
export function numbersIn(bytes: Buffer): Float64Array {
  const length = bytes.length >>> 3;
  if (IS_LITTLE_ENDIAN && bytes.byteOffset % 8 === 0) return new Float64Array(bytes.buffer, bytes.byteOffset, length);
  return Float64Array.from({ length }, (_, index) => bytes.readDoubleLE(index * 8));
}

/** Numbers of a column of differences that are decoded together. */
const BLOCK = 256;
const SHIFT = 8;
/** The numbers of the block that is being decoded. */
const BLOCK_NUMBERS = new Float64Array(BLOCK);

/** Encodes numbers as differences, in blocks that can be decoded alone; neighbours are near each other, in either direction. */
export function deltaColumn(numbers: Numbers): Buffer {
  const [writer, ends] = [new ByteWriter(numbers.length + 16), new Numbers()];
  let last = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    if (index % BLOCK === 0) {
      ends.push(writer.length);
      last = 0;
    }
    const value = numbers.at(index);
    writer.varint(value >= last ? (value - last) * 2 : (last - value) * 2 - 1);
    last = value;
  }
  const head = Buffer.alloc(4);
  head.writeUInt32LE(numbers.length);
  return Buffer.concat([head, fixedColumn(ends, 4), writer.written()]);
}

/** A column of differences. A block of it is decoded when one of its numbers is asked for. */
export class DeltaColumn {
  readonly length: number;
  readonly #numbers: Uint32Array;
  readonly #bytes: Buffer;
  readonly #isKnown: Uint8Array;

  /** @throws {RangeError} if it is cut off */
  constructor(bytes: Buffer) {
    this.length = bytes.readUInt32LE(0);
    const blocks = Math.ceil(this.length / BLOCK);
    if (this.length + blocks * 4 + 4 > bytes.length) throw new RangeError('a column is cut off');
    this.#bytes = bytes;
    this.#numbers = new Uint32Array(this.length);
    this.#isKnown = new Uint8Array(blocks);
  }

  at(index: number): number {
    if (this.#isKnown[index >>> SHIFT] === 0) this.#decode(index >>> SHIFT);
    return this.#numbers[index] as number;
  }

  /** Returns all numbers. */
  all(): Uint32Array {
    for (let block = 0; block < this.#isKnown.length; block += 1) if (this.#isKnown[block] === 0) this.#decode(block);
    return this.#numbers;
  }

  #decode(block: number): void {
    const lists = 4 + this.#isKnown.length * 4;
    const reader = new ByteReader(this.#bytes, lists + this.#bytes.readUInt32LE(4 + block * 4));
    const [numbers, end] = [this.#numbers, Math.min(this.length, (block + 1) * BLOCK)];
    reader.signed(BLOCK_NUMBERS.subarray(0, end - block * BLOCK), true);
    for (let index = block * BLOCK; index < end; index += 1) numbers[index] = BLOCK_NUMBERS[index % BLOCK] as number;
    this.#isKnown[block] = 1;
  }
}

/** The lengths that a byte can say: exact up to 64, then in steps of a sixteenth of a power of two. */
const LENGTHS = Uint32Array.from({ length: 256 }, (_, code) =>
  code <= 64 ? code : Math.ceil(64 * 2 ** ((code - 64) / 16)),
);

/** Returns the byte for a length: of the lengths that a byte can say, the largest that is not above it. */
export function lengthCode(length: number): number {
  if (length <= 64) return length;
  let code = Math.min(255, 64 + Math.floor(Math.log2(length / 64) * 16));
  while (code < 255 && (LENGTHS[code + 1] as number) <= length) code += 1;
  while ((LENGTHS[code] as number) > length) code -= 1;
  return code;
}

/** Returns the length that a byte says. */
export const lengthOf = (code: number): number => LENGTHS[code] as number;
