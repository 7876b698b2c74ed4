/** Objects in a pack, read at their offset: never the whole pack, deltas resolved one after the other. */
import { closeSync, readSync } from 'node:fs';
import { damaged } from '../core/errors.ts';
import { inflate, ZlibStreamError } from '../platform/compression.ts';
import { openPlain } from '../platform/plain-files.ts';
import { CONTENT_LIMIT, frame, type GitObject, type ObjectType, sha1 } from './loose.ts';
import { openPackIndex, type PackIndex } from './pack-index.ts';

const restorePack = (path: string): string => `Restore it from a backup or a clone of the store: ${path}`;

const TYPES: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;

/** How much is read at once of an entry, in bytes: its head, and mostly all of it. */
const BEGINNING = 640;

/** Longest chain of deltas that is followed; Git's own limit is 4,095. */
const CHAIN_LIMIT = 4096;

/** One pack with its index, open. */
export interface Pack {
  index: PackIndex;
  /** The object, or null where this pack does not hold it. */
  read: (oid: string) => GitObject | null;
  close: () => void;
}

interface Entry {
  kind: number;
  size: number;
  /** Where its compressed bytes begin. */
  dataAt: number;
  /** The first of them. */
  beginning: Buffer;
  /** Offset or id of the object that a delta changes. */
  base: number | string | null;
}

/** Closes the files of a pack whose store nobody holds any more: one process may open many stores, one after the other. */
const forgotten = new FinalizationRegistry<{ index: PackIndex; handle: number }>(({ index, handle }) => {
  index.close();
  closeSync(handle);
});

class OpenPack implements Pack {
  readonly index: PackIndex;
  readonly #path: string;
  readonly #handle: number;
  readonly #end: number;

  constructor(path: string) {
    this.#path = path;
    this.index = openPackIndex(path.replace(/\.pack$/, '.idx'));
    let size: number;
    try {
      ({ handle: this.#handle, size } = openPlain(path));
    } catch (error) {
      this.index.close();
      throw error;
    }
    forgotten.register(this, { index: this.index, handle: this.#handle }, this);
    // The pack ends in its own SHA-1.
    this.#end = size - 20;
    try {
      if (this.#at(0, 4).toString('latin1') !== 'PACK')
        throw damaged(`pack ${path}`, 'it has no header', { hint: restorePack(path) });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    forgotten.unregister(this);
    this.index.close();
    closeSync(this.#handle);
  }

  read(oid: string): GitObject | null {
    const offset = this.index.find(oid);
    if (offset === null) return null;
    const object = this.#resolve(offset);
    if (sha1(frame(object.type, object.content)) !== oid)
      throw damaged(`object ${oid} in ${this.#path}`, 'its content is not what its name says', {
        hint: restorePack(this.#path),
      });
    return object;
  }

  /** Follows the deltas down to a whole object first, and inflates one after the other then: no more than one is held. */
  #resolve(offset: number): GitObject {
    const deltas: Entry[] = [];
    let entry = this.#entry(offset);
    while (entry.base !== null) {
      if (deltas.length === CHAIN_LIMIT) throw this.#broken(offset, 'its deltas do not end');
      deltas.push(entry);
      // Git keeps no pack whose deltas lead out of it.
      const at = typeof entry.base === 'number' ? entry.base : this.index.find(entry.base);
      if (at === null) throw this.#broken(offset, `its base ${entry.base} is not in the pack`);
      entry = this.#entry(at);
    }
    const type = TYPES[entry.kind];
    if (!type) throw this.#broken(offset, `it is of the unknown kind ${entry.kind}`);
    let content = this.#inflate(entry);
    for (const delta of deltas.reverse()) content = applyDelta(content, this.#inflate(delta), this.#path);
    return { type, content };
  }

  #entry(offset: number): Entry {
    const head = this.#at(offset, Math.min(BEGINNING, this.#end - offset));
    let position = 0;
    const next = (): number => {
      const byte = head[position];
      if (byte === undefined) throw this.#broken(offset, 'it is cut off');
      position += 1;
      return byte;
    };
    let byte = next();
    const kind = (byte >> 4) & 7;
    let size = byte & 15;
    for (let factor = 16; byte & 0x80; factor *= 128) {
      byte = next();
      size += (byte & 0x7f) * factor;
    }
    let base: Entry['base'] = null;
    if (kind === OFFSET_DELTA) {
      byte = next();
      let distance = byte & 0x7f;
      while (byte & 0x80) {
        byte = next();
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      base = offset - distance;
      if (distance <= 0 || base < 12) throw this.#broken(offset, 'its base lies outside');
    } else if (kind === REFERENCE_DELTA) {
      if (position + 20 > head.length) throw this.#broken(offset, 'it is cut off');
      base = head.toString('hex', position, position + 20);
      position += 20;
    }
    if (size > CONTENT_LIMIT) throw this.#broken(offset, 'it is larger than an object may be');
    return { kind, size, dataAt: offset + position, beginning: head.subarray(position), base };
  }

  /** The pack does not say how long the compressed bytes are: a guess first, then more. */
  #inflate(entry: Entry): Buffer {
    for (let guess = entry.size + 128; ; guess *= 4) {
      const length = Math.min(guess, this.#end - entry.dataAt);
      try {
        const isRead = length <= entry.beginning.length;
        const bytes = isRead ? entry.beginning.subarray(0, length) : this.#at(entry.dataAt, length);
        const data = inflate(bytes, entry.size, entry.size).content;
        if (data.length !== entry.size) throw this.#broken(entry.dataAt, 'it has not the length that it says');
        return data;
      } catch (cause) {
        const cutOff = cause instanceof ZlibStreamError && cause.reason === 'short';
        if (cutOff && length < this.#end - entry.dataAt) continue;
        throw this.#broken(entry.dataAt, 'its bytes cannot be inflated', cause);
      }
    }
  }

  #at(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, length));
    if (length <= 0 || readSync(this.#handle, bytes, 0, length, offset) !== length)
      throw this.#broken(offset, 'it is cut off');
    return bytes;
  }

  #broken(offset: number, why: string, cause?: unknown): Error {
    return damaged(`pack ${this.#path} at ${offset}`, why, { cause, hint: restorePack(this.#path) });
  }
}

/** Applies one of Git's deltas. @throws {CtxError} damaged, where it leads outside of its base or its result */
export function applyDelta(base: Buffer, delta: Buffer, where: string): Buffer {
  const broken = (): Error => damaged(`delta in ${where}`, 'it does not fit its base');
  let at = 0;
  const next = (): number => {
    const byte = delta[at];
    if (byte === undefined) throw broken();
    at += 1;
    return byte;
  };
  const length = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = next();
      value += (byte & 0x7f) * factor;
      if (!(byte & 0x80)) return value;
    }
  };
  const number = (bits: number, count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) if (bits & (1 << index)) value += next() * 256 ** index;
    return value;
  };
  if (length() !== base.length) throw broken();
  const size = length();
  if (size > CONTENT_LIMIT) throw broken();
  const result = Buffer.allocUnsafe(size);
  let filled = 0;
  while (at < delta.length) {
    const code = next();
    if (code === 0) throw broken();
    const source = code & 0x80 ? base : delta;
    const start = code & 0x80 ? number(code & 15, 4) : at;
    const count = code & 0x80 ? number((code >> 4) & 7, 3) || 0x10000 : code;
    if (start + count > source.length || filled + count > size) throw broken();
    source.copy(result, filled, start, start + count);
    filled += count;
    if (!(code & 0x80)) at += count;
  }
  if (filled !== size) throw broken();
  return result;
}

export const openPack = (path: string): Pack => new OpenPack(path);
