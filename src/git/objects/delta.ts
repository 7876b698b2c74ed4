/** Applies Git's deltas, each of which makes an object out of another one, and bounds the cost of a chain of deltas. */

import { damaged } from '../../core/errors.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import type { ObjectType } from './loose.ts';

/** Longest chain of deltas that is followed; Git's own limit is 4,095. */
export const CHAIN_LIMIT = 4096;

/** Largest delta. Git makes none larger than half of its object, and ctx writes no object that is half as large as the largest. */
export const DELTA_LIMIT = CONTENT_LIMIT / 4;

/** Most bytes that the deltas of one chain may have together. */
export const DELTAS_LIMIT = 2 * CONTENT_LIMIT;

/**
 * Most bytes that the deltas of one chain may produce together: a delta of some twenty bytes can produce the largest object.
 * Enough for the fifty deltas that Git puts into a chain over the largest objects, and for the 250 that `git gc
 * --aggressive` once made over 16 MiB.
 */
export const RESULTS_LIMIT = 64 * CONTENT_LIMIT;

/** The cost of the deltas down to an object that is not a delta. */
export interface Cost {
  deltas: number;
  /** Bytes of the deltas, and bytes that they produce. */
  held: number;
  results: number;
}

export const NO_COST: Cost = { deltas: 0, held: 0, results: 0 };

/** Returns why a chain that ends in a delta of so many bytes is not followed; undefined if it is. A few bytes can require hours. */
export function tooMuch({ held, results }: Cost, last: number): string | undefined {
  const more = (limit: number): string => `more than ${(limit / 2 ** 20).toLocaleString('en')} MiB`;
  if (Number.isNaN(results)) return 'a delta on the way to it does not say what it makes';
  if (last > DELTA_LIMIT) return `a delta on the way to it holds ${more(DELTA_LIMIT)}`;
  if (held > DELTAS_LIMIT) return `the deltas on the way to it hold ${more(DELTAS_LIMIT)}`;
  return results > RESULTS_LIMIT ? `the deltas on the way to it make ${more(RESULTS_LIMIT)}` : undefined;
}

/** An object that was made, and its cost. */
export interface Made extends Cost {
  type: ObjectType;
  content: Buffer;
}

/** Larger contents are in a reusable buffer of the cache. */
export const SMALL = 1024 * 1024;

/** Returns the capacity of a new buffer: so much larger than requested that few buffers are left behind by growing contents. */
function capacityFor(size: number): number {
  if (size <= SMALL) return size;
  let capacity = SMALL;
  while (capacity < size) capacity *= 4;
  return capacity;
}

/**
 * Caches the objects of delta chains and owns the buffers in which they are made. Large ones use two buffers in turn: a
 * fresh buffer for each takes six times as long as copying into it (measured), and stays until it is collected. Small
 * objects are cached up to a limit, the least recently used are dropped first; large ones are cached until their buffer is
 * reused.
 */
export class DeltaCache {
  readonly #limit: number;
  #owner: symbol | undefined;
  readonly #small = new Map<number, Made>();
  #bytes = 0;
  readonly #refused = new Map<number, string>();
  /** At most two. */
  #large: { offset: number; made: Made }[] = [];

  /** @param limit most bytes of cached small objects */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Switches to a pack. Objects of another pack are dropped; the buffers stay. */
  use(owner: symbol): void {
    if (owner === this.#owner) return;
    this.#owner = owner;
    this.#small.clear();
    this.#refused.clear();
    this.#bytes = 0;
    this.#large = this.#large.map(({ made }) => ({ offset: Number.NaN, made }));
  }

  /** Records that an entry is not followed, and why: each entry that is based on it would have to find that out again. */
  refuse(offset: number, why: string): void {
    this.#refused.set(offset, why);
  }

  whyRefused(offset: number): string | undefined {
    return this.#refused.get(offset);
  }

  /** Returns the object of an entry if it is cached. */
  find(offset: number): Made | undefined {
    const small = this.#small.get(offset);
    if (!small) return this.#large.find((one) => one.offset === offset)?.made;
    // Moves it to the end, since the first ones are dropped first.
    this.#small.delete(offset);
    this.#small.set(offset, small);
    return small;
  }

  keep(offset: number, made: Made): void {
    if (made.content.length > SMALL) {
      this.#large.push({ offset, made });
      return;
    }
    this.#small.set(offset, made);
    this.#bytes += made.content.length;
    for (const [oldest, { content }] of this.#small) {
      if (this.#bytes <= this.#limit) return;
      this.#small.delete(oldest);
      this.#bytes -= content.length;
    }
  }

  /** Returns a content for the caller, with its buffer unless the buffer is far larger. */
  handOut(content: Buffer): Buffer {
    if (content.length <= SMALL) return content;
    if (content.buffer.byteLength > 4 * content.length) return Buffer.from(content);
    this.#large = this.#large.filter(({ made }) => made.content !== content);
    return content;
  }

  /** Returns a buffer for a content; reuses that of a large object that is not the base. */
  roomFor(size: number, base?: Buffer): Buffer {
    if (size <= SMALL) return Buffer.allocUnsafe(size);
    const other = this.#large.length < 2 ? -1 : this.#large.findIndex(({ made }) => made.content !== base);
    const room = other < 0 ? undefined : this.#large.splice(other, 1)[0]?.made.content.buffer;
    // A content of this size is not in Node's pool of small buffers: its memory is its own.
    return Buffer.from(room && room.byteLength >= size ? room : new ArrayBuffer(capacityFor(size)), 0, size);
  }
}

/** Parses the header of a delta: the sizes of its base and its result, and the start of its instructions. */
function readHead(delta: Buffer): { from: number; to: number; at: number } | null {
  let at = 0;
  const length = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta[at];
      if (byte === undefined) return Number.NaN;
      at += 1;
      value += (byte & 0x7f) * factor;
      if (!(byte & 0x80)) return value;
    }
  };
  const from = length();
  const to = length();
  return Number.isNaN(to) || Number.isNaN(from) ? null : { from, to, at };
}

/** Returns the size of a delta's result from its first bytes; NaN if they are too few. */
export const sizeOfResult = (beginning: Buffer): number => readHead(beginning)?.to ?? Number.NaN;

/** Up to this many bytes are copied one by one: a call takes longer, and a delta may consist of such copies alone. */
const FEW = 16;

/**
 * Applies one of Git's deltas.
 * @param roomFor returns a buffer for the result
 * @throws {CtxError} damaged, if it reads outside its base or writes outside its result
 */
export function applyDelta(
  base: Buffer,
  delta: Buffer,
  where: string,
  roomFor: (size: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const broken = (): Error => damaged(`delta in ${where}`, 'it does not fit its base');
  const head = readHead(delta);
  if (!head || head.from !== base.length || head.to > CONTENT_LIMIT) throw broken();
  let at = head.at;
  const number = (bits: number, count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) {
      if (!(bits & (1 << index))) continue;
      const byte = delta[at];
      if (byte === undefined) throw broken();
      value += byte * 256 ** index;
      at += 1;
    }
    return value;
  };
  const result = roomFor(head.to);
  let filled = 0;
  while (at < delta.length) {
    const code = delta[at] as number;
    at += 1;
    if (code === 0) throw broken();
    const source = code & 0x80 ? base : delta;
    const start = code & 0x80 ? number(code & 15, 4) : at;
    const count = code & 0x80 ? number((code >> 4) & 7, 3) || 0x10000 : code;
    if (start + count > source.length || filled + count > result.length) throw broken();
    if (count > FEW) source.copy(result, filled, start, start + count);
    else for (let index = 0; index < count; index += 1) result[filled + index] = source[start + index] as number;
    filled += count;
    if (!(code & 0x80)) at += count;
  }
  if (filled !== result.length) throw broken();
  return result;
}
