/** Reads a pack that came from outside, apart from the store: a file without a name, whose objects are found without an index of its writer. */
import { fstatSync, readSync } from 'node:fs';
import { damaged } from '../../core/errors.ts';
import { inflate, ZlibStreamError } from '../../platform/compression.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import { CHECKSUM, isWhole, NOT_ITS_CHECKSUM } from './checksum.ts';
import { contentAs, type GitObject, missing, type ObjectType } from './loose.ts';
import { idOf, openHeldPack, type Pack } from './pack.ts';
import { type EntryHead, FIRST_ENTRY, REFERENCE_DELTA, readEntryHead } from './pack-entry.ts';
import type { PackIndex } from './pack-index.ts';

/** Most objects of a pack: some 200 bytes about each are held. */
const MOST_OBJECTS = 1_000_000;
/** Most bytes that the objects of a pack may have together: so many, and so many for each byte of the pack. */
const MOST_BYTES = 4 * 1024 * 1024 * 1024;
const MOST_FOR_BYTE = 2000;
/** Longest header of an entry. */
const HEAD = 64;
/** Bytes that are read at once. */
const PIECE = 1024 * 1024;

/** The objects of such a pack. */
export interface ReceivedPack {
  /** Number of objects in the pack. */
  readonly count: number;
  has: (oid: string) => boolean;
  /** Yields its entries, each after its base. */
  entries: () => Generator<ReceivedEntry>;
  /** @throws {CtxError} damaged, if there is no such object */
  read: (oid: string) => GitObject;
  readAs: (oid: string, type: ObjectType) => Buffer;
  /** Closes the file, which is gone then. */
  close: () => void;
}

/** An entry as it is in the pack. */
export interface ReceivedEntry {
  oid: string;
  /** Identifies it among the entries. */
  offset: number;
  head: EntryHead;
  /** Its compressed bytes. */
  data: Buffer;
}

/**
 * Indexes a pack by the objects themselves. Nothing of it is trusted: every object is made once, and bounded in size, as all of them are
 * together.
 * @param handle of the file, which holds the pack and nothing else; closed with the pack, and if it is refused
 * @throws {CtxError} damaged
 */
export function receivePack(handle: number): ReceivedPack {
  const { size } = fstatSync(handle);
  const places = new Map<string, number>();
  const pack = openHeldPack(handle, 'of the bundle', size, growingIndex(places));
  try {
    const count = countIn(handle, size);
    indexObjects(handle, pack, { size, count, places });
    return receivedPack(pack, places, handle, size);
  } catch (error) {
    pack.close();
    throw error;
  }
}

/** Makes every object once, and keeps its offset under its id. @throws {CtxError} damaged */
function indexObjects(
  handle: number,
  pack: Pack,
  { size, count, places }: { size: number; count: number; places: Map<string, number> },
): void {
  const most = Math.max(MOST_BYTES, MOST_FOR_BYTE * size);
  let made = 0;
  for (const { offset, data } of entriesOf(handle, size - CHECKSUM, count)) {
    const { type, content } = pack.at(offset, data);
    made += content.length;
    if (made > most) throw torn('its objects are far larger than the file lets expect');
    places.set(idOf(type, content), offset);
  }
  if (places.size < count) throw torn(`it holds ${places.size} objects, and says ${count}`);
}

function receivedPack(pack: Pack, places: ReadonlyMap<string, number>, handle: number, size: number): ReceivedPack {
  const read = (oid: string): GitObject => {
    const offset = places.get(oid);
    if (offset === undefined) throw missing(oid, 'It is not in the bundle.');
    // Its id was computed from it: nobody else can write to a file without a name.
    return pack.at(offset);
  };
  return {
    count: places.size,
    has: (oid) => places.has(oid),
    entries: () => entriesAt(rangeReader(handle), places, size - CHECKSUM),
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    close: () => pack.close(),
  };
}

/** Yields entries whose offsets are known. @param places in the order of the pack @param end offset behind the last one */
function* entriesAt(bytesAt: RangeReader, places: ReadonlyMap<string, number>, end: number): Generator<ReceivedEntry> {
  const offsets = places.values();
  offsets.next();
  for (const [oid, offset] of places) {
    const bytes = bytesAt(offset, (offsets.next().value ?? end) - offset);
    const head = readEntryHead(bytes, offset);
    if (typeof head === 'string') throw torn(`${head}, at ${offset}`);
    yield { oid, offset, head, data: bytes.subarray(head.length) };
  }
}

const torn = (why: string): Error => damaged('the pack of the bundle', why);

/** Checks what a pack says of itself; returns the number of its objects. */
function countIn(handle: number, size: number): number {
  const head = Buffer.alloc(FIRST_ENTRY);
  if (size < FIRST_ENTRY + CHECKSUM || readSync(handle, head, 0, FIRST_ENTRY, 0) < FIRST_ENTRY)
    throw torn('it is cut off');
  if (head.toString('latin1', 0, 4) !== 'PACK' || head.readUInt32BE(4) !== 2) throw torn('it has no header');
  const count = head.readUInt32BE(8);
  if (count > MOST_OBJECTS)
    throw torn(
      `it has ${count.toLocaleString('en')} objects, and ctx reads up to ${MOST_OBJECTS.toLocaleString('en')}`,
    );
  if (!isWhole(handle)) throw torn(NOT_ITS_CHECKSUM);
  return count;
}

/** An entry: its object, or a delta. */
interface Entry {
  offset: number;
  data: Buffer;
}

/** Yields each entry: where one begins only the end of the one before it says. @param end offset behind the last one */
function* entriesOf(handle: number, end: number, count: number): Generator<Entry> {
  const bytesAt = rangeReader(handle);
  let at = FIRST_ENTRY;
  for (let left = count; left > 0; left -= 1) {
    const bytes = bytesAt(at, Math.min(HEAD, end - at));
    const head = readEntryHead(bytes, at);
    if (typeof head === 'string') throw torn(`${head}, at ${at}`);
    if (head.size > CONTENT_LIMIT) throw torn(`an object at ${at} is larger than an object may be`);
    if (head.kind === REFERENCE_DELTA) throw torn(`an object at ${at} needs one that is named, which ctx never writes`);
    const { content, used } = inflated(bytesAt, at + head.length, end, head);
    yield { offset: at, data: content };
    tidyAfter(head.size);
    at += head.length + used;
  }
  if (at !== end) throw torn('more bytes are in it than its objects have');
}

/** Inflates an entry; returns how many bytes that took, too. @throws {CtxError} damaged */
function inflated(
  bytesAt: RangeReader,
  from: number,
  end: number,
  { size }: EntryHead,
): { content: Buffer; used: number } {
  const most = Math.min(end - from, size + Math.ceil(size / 64) + 4096);
  // A guess that is too short costs an error; up to a block, one that is too long costs nothing.
  for (let guess = Math.min(most, Math.max(PIECE / 4, Math.ceil(size / 2))); ; guess = Math.min(most, guess * 4)) {
    try {
      const made = inflate(bytesAt(from, guess), size, size);
      if (made.content.length !== size) throw torn(`an object at ${from} has not the length that it says`);
      return made;
    } catch (error) {
      if (!(error instanceof ZlibStreamError)) throw error;
      if (error.reason !== 'short' || guess >= most) throw torn(`an object at ${from} cannot be inflated`);
    }
  }
}

/** Returns the bytes of a range of a file, which ends with the file. */
export type RangeReader = (offset: number, length: number) => Buffer;

/** Returns a reader of ranges of a file, which reads large blocks. */
export function rangeReader(handle: number): RangeReader {
  let piece: Buffer = Buffer.alloc(0);
  let from = 0;
  return (offset, length) => {
    if (offset < from || offset + length > from + piece.length) {
      const room = Buffer.allocUnsafe(Math.max(length, PIECE));
      piece = room.subarray(0, readSync(handle, room, 0, room.length, offset));
      from = offset;
    }
    return piece.subarray(offset - from, offset - from + Math.max(0, length));
  };
}

/** Returns an index that grows with its pack. @param places offsets by id, which the caller adds to */
export const growingIndex = (places: ReadonlyMap<string, number>): PackIndex => ({
  pack: '',
  find: (oid) => places.get(oid) ?? null,
  withPrefix: () => [],
  check: () => undefined,
  *entries() {},
  *inOrder() {},
  close: () => undefined,
});
