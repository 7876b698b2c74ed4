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

/** Decodes a column of numbers of a fixed width. */
export function readFixed(bytes: Uint8Array, width: 2 | 3 | 4): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / width));
  let at = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    let value = 0;
    for (let shift = 0; shift < width * 8; shift += 8) value |= (bytes[at++] as number) << shift;
    numbers[index] = value;
  }
  return numbers;
}

/** Encodes numbers as differences; neighbours are near each other, in either direction. */
export function deltaColumn(numbers: Numbers): Buffer {
  const writer = new ByteWriter(numbers.length + 16);
  writer.varint(numbers.length);
  let last = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers.at(index);
    writer.varint(value >= last ? (value - last) * 2 : (last - value) * 2 - 1);
    last = value;
  }
  return Buffer.from(writer.written());
}

/** Decodes a column of differences. @throws {RangeError} if it is cut off */
export function readDeltas(bytes: Buffer): Uint32Array {
  const reader = new ByteReader(bytes);
  const numbers = new Uint32Array(Math.min(reader.varint(), bytes.length));
  let last = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const head = reader.varint();
    last += head % 2 === 0 ? head / 2 : -(head + 1) / 2;
    numbers[index] = last;
  }
  return numbers;
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
