/** Reads objects of a pack at their offsets: never the whole pack, and deltas are resolved one after the other. */

import { closeSync } from 'node:fs';
import { damaged } from '../../core/errors.ts';
import { HUGE, inflate, inflateBeginning, inflateInto, ZlibStreamError } from '../../platform/compression.ts';
import { RunningHash } from '../../platform/hash.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { openPlain } from '../../platform/plain-files.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import { CHECKSUM } from './checksum.ts';
import {
  applyDelta,
  CHAIN_LIMIT,
  type Cost,
  DeltaCache,
  type Made,
  NO_COST,
  RESULTS_LIMIT,
  SMALL,
  sizeOfResult,
  tooMuch,
} from './delta.ts';
import { FileWindows } from './file-window.ts';
import { frame, type GitObject, type ObjectType, sha1 } from './loose.ts';
import { readEntryHead } from './pack-entry.ts';
import { TAKE_APART } from './pack-faults.ts';
import { openPackIndex, type PackIndex } from './pack-index.ts';

/** Git accepts such a chain, and makes none of large objects if it is configured so. */
const WITHOUT_DELTAS =
  'If Git made this pack, have it made again with: git -c core.bigFileThreshold=1m --git-dir=.ctx repack -a -d -f';

/** The types of objects by their kinds in a pack. */
export const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
/** Bytes of an entry that are read at once: its header, and mostly all of it. */
const BEGINNING = 640;

const TOO_LARGE = 'it is larger than an object may be';
/** Most bytes that one byte of a zlib stream can produce: an entry that claims to be longer is torn. */
const MOST_INFLATED = 1032;

/** One cache for all packs, since each would keep its buffers; and most bytes of small objects in it. */
const cache = new DeltaCache(8 * 1024 * 1024);

/** One open pack with its index. */
export interface Pack {
  index: PackIndex;
  /** Returns an object, or null if this pack does not have it. */
  read: (oid: string) => GitObject | null;
  /**
   * Reads every requested object in the order of the pack, which mostly has a delta after its base. Yields the error of
   * each, or null.
   */
  check: (isWanted: (oid: string) => boolean) => Generator<{ oid: string; error: unknown }>;
  /** Reads the object of an entry whose id is unknown. @param data its inflated bytes, if the caller has them @throws {CtxError} damaged */
  at: (offset: number, data?: Buffer) => GitObject;
  close: () => void;
}

interface Entry {
  offset: number;
  kind: number;
  size: number;
  /** Offset of its compressed bytes. */
  dataAt: number;
  /** The first of them. */
  beginning: Buffer;
  /** Offset or id of the object that a delta is based on. */
  base: number | string | null;
}

/** Closes the files of a pack whose store was collected: one process may open many stores, one after the other. */
const forgotten = new FinalizationRegistry<{ index: PackIndex; handle: number }>(({ index, handle }) => {
  index.close();
  closeSync(handle);
});

interface OpenFile {
  handle: number;
  size: number;
}

class OpenPack implements Pack {
  readonly index: PackIndex;
  readonly #path: string;
  /** Identifies this pack in the cache. */
  readonly #name = Symbol();
  readonly #handle: number;
  readonly #windows: FileWindows;
  readonly #end: number;

  /** @param index closed with the pack, also if the pack cannot be opened @param ending bytes behind the last entry @param open opens its file */
  constructor(path: string, index: PackIndex, ending: number, open: () => OpenFile = () => openPlain(path)) {
    this.#path = path;
    this.index = index;
    let size: number;
    try {
      ({ handle: this.#handle, size } = open());
    } catch (error) {
      this.index.close();
      throw error;
    }
    this.#windows = new FileWindows(this.#handle);
    forgotten.register(this, { index: this.index, handle: this.#handle }, this);
    this.#end = size - ending;
  }

  /** @throws {CtxError} damaged */
  checkHeader(): void {
    if (this.#at(0, 4).toString('latin1') !== 'PACK')
      throw damaged(`pack ${this.#path}`, 'it has no header', { hint: TAKE_APART });
  }

  close(): void {
    forgotten.unregister(this);
    this.index.close();
    closeSync(this.#handle);
  }

  read(oid: string): GitObject | null {
    const offset = this.index.find(oid);
    if (offset === null) return null;
    try {
      const { type, content } = this.#named(oid, offset);
      return { type, content: cache.handOut(content) };
    } catch (error) {
      // A wrong offset leads to no readable entry: the pack may be whole.
      this.index.check();
      throw error;
    }
  }

  at(offset: number, data?: Buffer): GitObject {
    const { type, content } = this.#make(offset, data);
    return { type, content: cache.handOut(content) };
  }

  *check(isWanted: (oid: string) => boolean): Generator<{ oid: string; error: unknown }> {
    for (const { oid, offset } of this.index.inOrder()) {
      if (!isWanted(oid)) continue;
      let error: unknown = null;
      try {
        this.#named(oid, offset);
      } catch (caught) {
        error = caught;
      }
      yield { oid, error };
    }
  }

  /** Reads an object and checks its id. */
  #named(oid: string, offset: number): Made {
    const made = this.#make(offset);
    const { type, content } = made;
    if (idOf(type, content) === oid) return made;
    const hint = TAKE_APART;
    throw damaged(`object ${oid} in ${this.#path}`, 'its content is not what its name says', { hint });
  }

  /** Follows the deltas down to a whole or cached object first, then applies one delta after the other. @param data as in `at` */
  #make(offset: number, data?: Buffer): Made {
    cache.use(this.#name);
    const deltas: Entry[] = [];
    let at = offset;
    let made = cache.find(at);
    let entry = made ? null : this.#entry(at);
    while (entry && entry.base !== null) {
      if (deltas.length === CHAIN_LIMIT) throw this.#broken(offset, 'its deltas do not end');
      const why = cache.whyRefused(at);
      if (why !== undefined) throw this.#refused(offset, why);
      deltas.push(entry);
      // Git keeps no pack whose deltas have bases outside of it.
      const base = typeof entry.base === 'number' ? entry.base : this.index.find(entry.base);
      if (base === null) throw this.#broken(offset, `its base ${entry.base} is not in the pack`);
      at = base;
      made = cache.find(at);
      entry = made ? null : this.#entry(at);
    }
    this.#checkCost(offset, deltas, made ?? NO_COST);
    if (entry) made = this.#whole(entry, deltas.length > 0, entry.offset === offset ? data : undefined);
    for (const delta of deltas.reverse())
      made = this.#applied(delta, made as Made, delta.offset === offset ? data : undefined);
    return made as Made;
  }

  /** Refuses a chain that is too expensive, before any delta is applied. */
  #checkCost(offset: number, deltas: readonly Entry[], before: Cost): void {
    const count = before.deltas + deltas.length;
    if (count > CHAIN_LIMIT) throw this.#broken(offset, 'its deltas do not end');
    // No result is larger than an object may be: only the deltas of a long chain must be asked for their result's size.
    const isLong = count * CONTENT_LIMIT > RESULTS_LIMIT;
    let cost = before;
    let why: string | undefined;
    for (const { offset: at, size, beginning } of deltas.toReversed()) {
      const result = isLong ? sizeOfResult(inflateBeginning(beginning)) : 0;
      cost = { deltas: cost.deltas + 1, held: cost.held + size, results: cost.results + result };
      why ??= tooMuch(cost, size);
      if (why !== undefined) cache.refuse(at, why);
    }
    if (why !== undefined) throw this.#refused(offset, why);
  }

  /** @param isBase whether a delta is based on it */
  #whole(entry: Entry, isBase: boolean, data?: Buffer): Made {
    const type = TYPES[entry.kind];
    if (!type) throw this.#broken(entry.offset, `it is of the unknown kind ${entry.kind}`);
    // An object that is no base needs no reusable buffer, unless its own would be huge.
    const needsRoom = !data && entry.size > SMALL && (isBase || entry.size > HUGE);
    const content = data ?? this.#inflate(entry, needsRoom ? cache.roomFor(entry.size) : undefined);
    const made = { type, content, ...NO_COST };
    if (needsRoom || entry.size <= SMALL) cache.keep(entry.offset, made);
    return made;
  }

  #applied(delta: Entry, base: Made, data = this.#inflate(delta)): Made {
    const roomFor = (size: number): Buffer => cache.roomFor(size, base.content);
    const content = applyDelta(base.content, data, this.#path, roomFor);
    const made = {
      type: base.type,
      content,
      deltas: base.deltas + 1,
      held: base.held + delta.size,
      results: base.results + content.length,
    };
    cache.keep(delta.offset, made);
    return made;
  }

  #entry(offset: number): Entry {
    const bytes = this.#at(offset, Math.min(BEGINNING, this.#end - offset));
    tidyAfter(bytes.length);
    const head = readEntryHead(bytes, offset);
    if (typeof head === 'string') throw this.#broken(offset, head);
    const { kind, size, length, base } = head;
    if (size > CONTENT_LIMIT && size <= MOST_INFLATED * (this.#end - offset)) throw this.#beyond(offset, TOO_LARGE);
    if (size > CONTENT_LIMIT) throw this.#broken(offset, TOO_LARGE);
    return { offset, kind, size, dataAt: offset + length, beginning: bytes.subarray(length), base };
  }

  /** The pack does not say how long the compressed bytes are: the first guess grows if it was too short. */
  #inflate(entry: Entry, room?: Buffer): Buffer {
    for (let guess = entry.size + 128; ; guess *= 4) {
      const length = Math.min(guess, this.#end - entry.dataAt);
      try {
        const isRead = length <= entry.beginning.length;
        const bytes = isRead ? entry.beginning.subarray(0, length) : this.#at(entry.dataAt, length, roomFor(length));
        const data = room ? inflateInto(room, bytes) : inflate(bytes, entry.size, entry.size).content;
        // A history of a hundred megabytes must not need as much memory.
        tidyAfter(entry.size);
        if (data.length !== entry.size) throw this.#broken(entry.dataAt, 'it has not the length that it says');
        return data;
      } catch (cause) {
        if (!(cause instanceof ZlibStreamError)) throw cause;
        if (cause.reason === 'short' && length < this.#end - entry.dataAt) continue;
        throw this.#broken(entry.dataAt, 'its bytes cannot be inflated', cause);
      }
    }
  }

  #at(offset: number, length: number, room?: Buffer): Buffer {
    const bytes = length <= 0 ? null : this.#windows.read(offset, length, room);
    if (bytes === null) throw this.#broken(offset, 'it is cut off');
    return bytes;
  }

  #broken(offset: number, why: string, cause?: unknown): Error {
    return damaged(`pack ${this.#path} at ${offset}`, why, { cause, hint: TAKE_APART });
  }

  #refused(offset: number, why: string): Error {
    cache.refuse(offset, why);
    return this.#beyond(offset, `${why}, which ctx does not follow`, WITHOUT_DELTAS);
  }

  /** Makes the error for an object that may be whole but exceeds a limit of ctx. */
  #beyond(offset: number, why: string, hint = TAKE_APART): Error {
    return damaged(`pack ${this.#path} at ${offset}`, why, { hint, data: { beyond: true } });
  }
}

/** Up to this many bytes, hashing a copy at once takes less time than an incremental hash. */
const COPIED = 64 * 1024;

/** Returns the id of an object; a long content is hashed without being copied. */
export function idOf(type: ObjectType, content: Buffer): string {
  if (content.length <= COPIED) return sha1(frame(type, content));
  return new RunningHash('sha1')
    .update(Buffer.from(`${type} ${content.length}\0`))
    .update(content)
    .digest();
}

/** A reusable buffer for compressed bytes: a new one for each object would stay until it is collected. */
let room: Buffer = Buffer.alloc(0);
const MOST_ROOM = 1024 * 1024;

function roomFor(length: number): Buffer {
  if (length > MOST_ROOM) return Buffer.allocUnsafe(length);
  if (room.length < length) room = Buffer.allocUnsafeSlow(length);
  return room.subarray(0, length);
}

export function openPack(path: string): Pack {
  const pack = new OpenPack(path, openPackIndex(path.replace(/\.pack$/, '.idx')), CHECKSUM);
  try {
    pack.checkHeader();
    return pack;
  } catch (error) {
    pack.close();
    throw error;
  }
}

/** Opens a pack of which any part may be torn, also its end, in order to read what is readable. */
export const openTornPack = (path: string, index: PackIndex): Pack => new OpenPack(path, index, 0);

/** Opens a pack in an open file that has no name. @param name what errors call it */
export const openHeldPack = (handle: number, name: string, size: number, index: PackIndex): Pack =>
  new OpenPack(name, index, CHECKSUM, () => ({ handle, size }));
