/** Git's deltas: each makes an object out of another one; and the bounds of a chain of them. */

import { damaged } from '../../core/errors.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import type { ObjectType } from './loose.ts';

/** Longest chain of deltas that is followed; Git's own limit is 4,095. */
export const CHAIN_LIMIT = 4096;

/** Largest delta. Git makes none larger than half of its object, and ctx writes no object that is half as large as the largest. */
export const DELTA_LIMIT = CONTENT_LIMIT / 4;

/** Most bytes that the deltas of one chain may hold together. */
export const DELTAS_LIMIT = 2 * CONTENT_LIMIT;

/**
 * Most bytes that the deltas of one chain may make together, on the way to its end: each takes some twenty bytes for as much as an
 * object may hold. Enough for the fifty deltas that Git puts into a chain over the largest objects, and for the 250 that
 * `git gc --aggressive` once did over 16 MiB.
 */
export const RESULTS_LIMIT = 64 * CONTENT_LIMIT;

/** What the deltas down to an object that is none take. */
export interface Cost {
  deltas: number;
  /** Bytes that they hold, and that they make. */
  held: number;
  results: number;
}

export const NO_COST: Cost = { deltas: 0, held: 0, results: 0 };

/** Why a chain is not followed that ends in a delta of so many bytes; undefined where it is. A few bytes can ask for hours. */
export function tooMuch({ held, results }: Cost, last: number): string | undefined {
  const more = (limit: number): string => `more than ${(limit / 2 ** 20).toLocaleString('en')} MiB`;
  if (Number.isNaN(results)) return 'a delta on the way to it does not say what it makes';
  if (last > DELTA_LIMIT) return `a delta on the way to it holds ${more(DELTA_LIMIT)}`;
  if (held > DELTAS_LIMIT) return `the deltas on the way to it hold ${more(DELTAS_LIMIT)}`;
  return results > RESULTS_LIMIT ? `the deltas on the way to it make ${more(RESULTS_LIMIT)}` : undefined;
}

/** An object that was made, and what that took. */
export interface Made extends Cost {
  type: ObjectType;
  content: Buffer;
}

/** Larger contents lie in the room of a bench. */
export const SMALL = 1024 * 1024;

/** A new room: larger by so much than what is asked for that few are left behind by contents that grow. */
function capacityFor(size: number): number {
  if (size <= SMALL) return size;
  let capacity = SMALL;
  while (capacity < size) capacity *= 4;
  return capacity;
}

/**
 * Where the objects of a chain are made out of each other. Large ones lie in two rooms by turns: a fresh one for each costs six times as
 * much as what is copied into it (measured), and stays until it is collected. What was made is remembered: small ones up to a
 * limit, those that were asked for last, and large ones until their room is taken.
 */
export class Bench {
  readonly #limit: number;
  #owner: symbol | undefined;
  readonly #small = new Map<number, Made>();
  #bytes = 0;
  readonly #refused = new Map<number, string>();
  /** At most two. */
  #large: { offset: number; made: Made }[] = [];

  /** @param limit bytes of small objects that are remembered */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins with a pack. What was made of another one is forgotten; its rooms stay. */
  use(owner: symbol): void {
    if (owner === this.#owner) return;
    this.#owner = owner;
    this.#small.clear();
    this.#refused.clear();
    this.#bytes = 0;
    this.#large = this.#large.map(({ made }) => ({ offset: Number.NaN, made }));
  }

  /** Remembers that an entry is not followed, and why: each that is made out of it would have to find that out again. */
  refuse(offset: number, why: string): void {
    this.#refused.set(offset, why);
  }

  whyRefused(offset: number): string | undefined {
    return this.#refused.get(offset);
  }

  /** What was made for an entry, if it is still there. */
  find(offset: number): Made | undefined {
    const small = this.#small.get(offset);
    if (!small) return this.#large.find((one) => one.offset === offset)?.made;
    // What was asked for last goes last.
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

  /** A content for whoever asked for it: it takes its room along, unless that is far larger. */
  handOut(content: Buffer): Buffer {
    if (content.length <= SMALL) return content;
    if (content.buffer.byteLength > 4 * content.length) return Buffer.from(content);
    this.#large = this.#large.filter(({ made }) => made.content !== content);
    return content;
  }

  /** Room for a content, in the place of a large one that is not the base it is made out of. */
  roomFor(size: number, base?: Buffer): Buffer {
    if (size <= SMALL) return Buffer.allocUnsafe(size);
    const other = this.#large.length < 2 ? -1 : this.#large.findIndex(({ made }) => made.content !== base);
    const room = other < 0 ? undefined : this.#large.splice(other, 1)[0]?.made.content.buffer;
    // A content of this size is no part of Node's pool for small buffers: its memory is its own.
    return Buffer.from(room && room.byteLength >= size ? room : new ArrayBuffer(capacityFor(size)), 0, size);
  }
}

/** What a delta says: the size of its base, that of its result, and where its instructions begin. */
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

/** The size of what a delta makes, told by its first bytes; NaN where they do not tell it. */
export const sizeOfResult = (beginning: Buffer): number => readHead(beginning)?.to ?? Number.NaN;

/** Up to this many bytes are copied one by one: a call costs more than they do, and a delta may be made of such copies alone. */
const FEW = 16;

/**
 * Applies one of Git's deltas.
 * @param roomFor gives a buffer for the result
 * @throws {CtxError} damaged, where it leads outside of its base or its result
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
