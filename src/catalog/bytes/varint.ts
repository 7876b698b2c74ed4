/** Numbers in as few bytes as they need: seven bits a byte, the lowest first, the eighth bit set on all but the last. */

/** A growing buffer. */
export class ByteWriter {
  #bytes: Buffer;
  length = 0;

  constructor(size = 1024) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  #room(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const next = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + more));
    this.#bytes.copy(next, 0, 0, this.length);
    this.#bytes = next;
  }

  /** Appends a number from 0 to 2^53 - 1. */
  varint(value: number): void {
    if (this.length + 8 > this.#bytes.length) this.#room(8);
    if (value < 0x80) {
      this.#bytes[this.length++] = value;
      return;
    }
    let left = value;
    while (left >= 0x80) {
      this.#bytes[this.length] = (left % 0x80) | 0x80;
      this.length += 1;
      left = left < 0x8000_0000 ? left >>> 7 : Math.floor(left / 0x80);
    }
    this.#bytes[this.length] = left;
    this.length += 1;
  }

  bytes(content: Uint8Array): void {
    this.#room(content.length);
    this.#bytes.set(content, this.length);
    this.length += content.length;
  }

  /** Returns what was written; it is overwritten after `clear`. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/** Reads numbers from a buffer. A number that the buffer cuts off is damage. */
export class ByteReader {
  readonly #bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  varint(): number {
    let byte = this.#bytes[this.at++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      if (this.at >= this.end || scale > 2 ** 49) throw new RangeError('a number is cut off');
      byte = this.#bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /**
   * Fills a list with numbers of either sign: even ones are twice the number. In one loop, which a process that has just begun
   * runs many times as fast as a call for each number.
   * @param isNear whether each is the difference from the one before it
   */
  signed(numbers: Float64Array, isNear: boolean): void {
    const [bytes, end, length] = [this.#bytes, this.end, numbers.length];
    let at = this.at;
    let last = 0;
    for (let index = 0; index < length; index += 1) {
      let byte = bytes[at++] as number;
      let head = byte & 0x7f;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        if (at >= end || scale > 2 ** 49) throw new RangeError('a number is cut off');
        byte = bytes[at++] as number;
        head += (byte & 0x7f) * scale;
      }
      const value = head % 2 === 0 ? head / 2 : -(head + 1) / 2;
      numbers[index] = last + value;
      if (isNear) last += value;
    }
    if (at > end) throw new RangeError('a number is cut off');
    this.at = at;
  }

  take(length: number): Buffer {
    if (length > this.end - this.at) throw new RangeError('bytes are cut off');
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
}
