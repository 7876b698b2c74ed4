/** Incremental XXH64, the checksum at the end of a Zstandard frame. In 32-bit integers, since BigInt takes ten times as long. */

/** A number of 64 bits in two halves. */
type Wide = readonly [high: number, low: number];

const PRIME_1: Wide = [0x9e3779b1, 0x85ebca87];
const PRIME_2: Wide = [0xc2b2ae3d, 0x27d4eb4f];
const PRIME_3: Wide = [0x165667b1, 0x9e3779f9];
const PRIME_4: Wide = [0x85ebca77, 0xc2b2ae63];
const PRIME_5: Wide = [0x27d4eb2f, 0x165667c5];

/** Bytes that the four lanes take together. */
const STRIPE = 32;

const add = ([ah, al]: Wide, [bh, bl]: Wide): Wide => {
  const low = (al >>> 0) + (bl >>> 0);
  return [(ah + bh + (low > 0xffffffff ? 1 : 0)) | 0, low | 0];
};

const xor = ([ah, al]: Wide, [bh, bl]: Wide): Wide => [ah ^ bh, al ^ bl];

function multiply([ah, al]: Wide, [bh, bl]: Wide): Wide {
  const [a0, a1, b0, b1] = [al & 0xffff, al >>> 16, bl & 0xffff, bl >>> 16];
  const [low, left, right] = [Math.imul(a0, b0), Math.imul(a0, b1), Math.imul(a1, b0)];
  const middle = (low >>> 16) + (left & 0xffff) + (right & 0xffff);
  const carried = (left >>> 16) + (right >>> 16) + (middle >>> 16);
  return [(Math.imul(a1, b1) + carried + Math.imul(ah, bl) + Math.imul(al, bh)) | 0, (middle << 16) | (low & 0xffff)];
}

const rotate = ([high, low]: Wide, by: number): Wide =>
  by < 32
    ? [(high << by) | (low >>> (32 - by)), (low << by) | (high >>> (32 - by))]
    : by === 32
      ? [low, high]
      : rotate([low, high], by - 32);

const shift = ([high, low]: Wide, by: number): Wide =>
  by < 32 ? [high >>> by, (low >>> by) | (high << (32 - by))] : [0, by === 32 ? high : high >>> (by - 32)];

const round = (lane: Wide, input: Wide): Wide => multiply(rotate(add(lane, multiply(input, PRIME_2)), 31), PRIME_1);

const merge = (hash: Wide, lane: Wide): Wide => add(multiply(xor(hash, round([0, 0], lane)), PRIME_1), PRIME_4);

const wideAt = (bytes: Buffer, at: number): Wide => [bytes.readInt32LE(at + 4), bytes.readInt32LE(at)];

export class Xxh64 {
  #lanes: [Wide, Wide, Wide, Wide] = [add(PRIME_1, PRIME_2), PRIME_2, [0, 0], multiply(PRIME_1, [-1, -1])];
  #rest: Buffer = Buffer.alloc(0);
  #length = 0;

  update(piece: Buffer): void {
    this.#length += piece.length;
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = bytes.length - (bytes.length % STRIPE);
    let [first, second, third, fourth] = this.#lanes;
    for (let at = 0; at < end; at += STRIPE) {
      first = round(first, wideAt(bytes, at));
      second = round(second, wideAt(bytes, at + 8));
      third = round(third, wideAt(bytes, at + 16));
      fourth = round(fourth, wideAt(bytes, at + 24));
    }
    this.#lanes = [first, second, third, fourth];
    this.#rest = Buffer.from(bytes.subarray(end));
  }

  /** Returns the lower half of the hash, which is all that a frame contains. */
  digest(): number {
    let hash = add(this.#merged(), [Math.floor(this.#length / 2 ** 32), this.#length | 0]);
    const rest = this.#rest;
    let at = 0;
    for (; at + 8 <= rest.length; at += 8)
      hash = add(multiply(rotate(xor(hash, round([0, 0], wideAt(rest, at))), 27), PRIME_1), PRIME_4);
    if (at + 4 <= rest.length) {
      hash = xor(hash, multiply([0, rest.readInt32LE(at)], PRIME_1));
      hash = add(multiply(rotate(hash, 23), PRIME_2), PRIME_3);
      at += 4;
    }
    for (; at < rest.length; at += 1)
      hash = multiply(rotate(xor(hash, multiply([0, rest[at] as number], PRIME_5)), 11), PRIME_1);
    hash = multiply(xor(hash, shift(hash, 33)), PRIME_2);
    hash = multiply(xor(hash, shift(hash, 29)), PRIME_3);
    return xor(hash, shift(hash, 32))[1] >>> 0;
  }

  #merged(): Wide {
    const [first, second, third, fourth] = this.#lanes;
    if (this.#length < STRIPE) return add(third, PRIME_5);
    const sum = add(add(rotate(first, 1), rotate(second, 7)), add(rotate(third, 12), rotate(fourth, 18)));
    return this.#lanes.reduce(merge, sum);
  }
}
