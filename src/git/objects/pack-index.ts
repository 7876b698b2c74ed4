/** Reads a pack's index (version 1 or 2) at its offsets through the fan-out table, without loading it. */
import { closeSync } from 'node:fs';
import { type CtxError, damaged } from '../../core/errors.ts';
import { ioError } from '../../platform/files.ts';
import { openPlain } from '../../platform/plain-files.ts';
import { CHECKSUM, isWhole, NOT_ITS_CHECKSUM } from './checksum.ts';
import { FileWindows } from './file-window.ts';

/** The hint: an index can be rebuilt from a whole pack. */
const REMAKE =
  'ctx fsck --repair makes it again from its pack, and keeps the wrong one in lost/. If the pack is torn too, it sets both aside, and rewrites all that can be read of it.';

export const damagedIndex = (path: string, why: string): CtxError =>
  damaged(`pack index ${path}`, why, { hint: REMAKE });

/** Version 1 has no header. */
const HEADER_LENGTH = 8;
const FAN_OUT_LENGTH = 256 * 4;
/** Largest part of the names that is read at once, in bytes. */
const BUCKET_LIMIT = 64 * 1024;
const MAGIC = 0xff744f63;
/** Number of names that are read at once when all are requested. */
const AT_ONCE = 1024;

/** The open index of one pack. */
export interface PackIndex {
  /** Returns the byte offset of an object in the pack, or null if the pack does not have it. */
  find: (oid: string) => number | null;
  /** Returns the object ids that begin with a prefix of at least two hexadecimal digits, at most `limit` of them. */
  withPrefix: (prefix: string, limit: number) => string[];
  /** Checksum of the index's pack, in hexadecimal. */
  readonly pack: string;
  /** Checks the index. @throws {CtxError} damaged, if its checksum is wrong: objects that it does not find may exist */
  check: () => void;
  /** Yields every object with its byte offset in the pack, by id. @throws {CtxError} damaged, as `check` does */
  entries: () => Generator<{ oid: string; offset: number }>;
  /** Yields every object in the order of the pack. */
  inOrder: () => Generator<{ oid: string; offset: number }>;
  close: () => void;
}

/** Opens an index. @throws {CtxError} damaged, if the file is no index of version 1 or 2, or is truncated */
export function openPackIndex(path: string): PackIndex {
  const { handle, size } = opened(path);
  let whole: boolean | undefined;
  const check = (): void => {
    whole ??= isWhole(handle);
    if (!whole) throw damagedIndex(path, NOT_ITS_CHECKSUM);
  };
  const broken = (why: string): CtxError => {
    // A torn index is reported by the same message wherever that shows.
    check();
    return damagedIndex(path, why);
  };
  const windows = new FileWindows(handle);
  const read = (at: number, length: number, room?: Buffer): Buffer => {
    const bytes = windows.read(at, length, room);
    if (bytes === null) throw broken('it is cut off');
    return bytes;
  };
  try {
    const head = read(0, HEADER_LENGTH + FAN_OUT_LENGTH);
    // Version 1 begins with the number of names whose first byte is zero: no pack has so many.
    const isFirst = head.readUInt32BE(0) !== MAGIC;
    if (!isFirst && head.readUInt32BE(4) !== 2) throw broken('it is not an index of version 1 or 2');
    return makeIndex({ handle, size, head: isFirst ? head.subarray(0, FAN_OUT_LENGTH) : head, read, check, broken });
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** Opens the file; the error names the index, while the caller names its pack. */
function opened(path: string): ReturnType<typeof openPlain> {
  try {
    return openPlain(path);
  } catch (error) {
    throw ioError('read', path, error);
  }
}

/** Returns whether the name at a place is below another; most differ in the first bytes, before a call of Node pays off. */
function isBefore(names: Buffer, at: number, wanted: Buffer): boolean {
  for (let byte = 0; byte < wanted.length; byte += 1) {
    const difference = (names[at + byte] as number) - (wanted[byte] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** An index whose file is open. */
interface OpenIndex {
  handle: number;
  /** Size of the file, in bytes. */
  size: number;
  /** Its header, if its version has one, and fan-out table. */
  head: Buffer;
  read: (at: number, length: number, room?: Buffer) => Buffer;
  check: () => void;
  /** Makes the error for a fault of the index. */
  broken: (why: string) => CtxError;
}

function makeIndex({ handle, size, head, read, check, broken }: OpenIndex): PackIndex {
  const isFirst = head.length === FAN_OUT_LENGTH;
  const tableAt = head.length - FAN_OUT_LENGTH;
  const fanOut = (byte: number): number => (byte < 0 ? 0 : head.readUInt32BE(tableAt + byte * 4));
  const total = fanOut(255);
  // Version 1 has each name behind its offset; version 2 all names, then checksums of the entries, then all offsets.
  const namesAt = head.length + (isFirst ? 4 : 0);
  const nameStep = isFirst ? 24 : 20;
  const offsetsAt = isFirst ? head.length : namesAt + total * 24;
  const offsetStep = isFirst ? 24 : 4;
  const largeAt = head.length + total * (isFirst ? 24 : 28);
  const end = largeAt + 2 * CHECKSUM;
  // If the header of version 2 is torn, the rest is not a valid version 1.
  if (isFirst && end < size) throw broken('it is not an index of version 1 or 2');
  if (end > size) throw broken('it is cut off');
  const nameAt = (position: number): string => read(namesAt + position * nameStep, 20).toString('hex');
  /** Reads so many consecutive names at once. */
  const namesFrom = (position: number, count: number): Buffer =>
    read(namesAt + position * nameStep, (count - 1) * nameStep + 20);
  /** A reusable buffer for the names of a bucket. */
  let room: Buffer = Buffer.alloc(0);
  const bucketAt = (position: number, count: number): Buffer => {
    const length = (count - 1) * nameStep + 20;
    if (room.length < length) room = Buffer.allocUnsafeSlow(length);
    return read(namesAt + position * nameStep, length, room.subarray(0, length));
  };
  const nameIn = (names: Buffer, at: number): string => names.toString('hex', at * nameStep, at * nameStep + 20);
  /** Returns the first position whose name is not below `text`, and that name. */
  const lowerBound = (text: string): { position: number; name: string | null } => {
    const byte = Number.parseInt(text.slice(0, 2), 16);
    let low = fanOut(byte - 1);
    let high = fanOut(byte);
    if (low > high || high > total) throw broken('its fan-out table is out of order');
    // A bucket of usual size is read at once: one read takes less time than the nine of a binary search.
    const first = low;
    const isSmall = high > low && (high - low) * nameStep <= BUCKET_LIMIT;
    const names = isSmall ? bucketAt(low, high - low) : null;
    const wanted = Buffer.from(text.padEnd(40, '0'), 'hex');
    const isBelow = (position: number): boolean =>
      names
        ? isBefore(names, (position - first) * nameStep, wanted)
        : isBefore(read(namesAt + position * nameStep, 20), 0, wanted);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(middle)) low = middle + 1;
      else high = middle;
    }
    if (low >= fanOut(byte)) return { position: low, name: null };
    return { position: low, name: names ? nameIn(names, low - first) : nameAt(low) };
  };
  const offsetOf = (position: number): number => {
    const offset = read(offsetsAt + position * offsetStep, 4).readUInt32BE(0);
    // In version 2 the highest bit marks an offset in the table of 64-bit offsets.
    if (offset < 0x80000000 || isFirst) return offset;
    return Number(read(largeAt + (offset - 0x80000000) * 8, 8).readBigUInt64BE(0));
  };
  return {
    check,
    pack: read(size - 2 * CHECKSUM, CHECKSUM).toString('hex'),
    find: (oid) => {
      const { position, name } = lowerBound(oid);
      return name === oid ? offsetOf(position) : null;
    },
    withPrefix: (prefix, limit) => {
      const found: string[] = [];
      for (let { position } = lowerBound(prefix); position < total && found.length < limit; position += 1) {
        const oid = nameAt(position);
        if (!oid.startsWith(prefix)) break;
        found.push(oid);
      }
      return found;
    },
    *entries() {
      check();
      for (let from = 0; from < total; from += AT_ONCE) {
        const count = Math.min(AT_ONCE, total - from);
        const names = namesFrom(from, count);
        for (let at = 0; at < count; at += 1) yield { oid: nameIn(names, at), offset: offsetOf(from + at) };
      }
    },
    *inOrder() {
      check();
      const offsets = Float64Array.from({ length: total }, (_, position) => offsetOf(position));
      const order = Uint32Array.from(offsets.keys());
      order.sort((one, other) => (offsets[one] as number) - (offsets[other] as number));
      for (const position of order) yield { oid: nameAt(position), offset: offsets[position] as number };
    },
    close: () => closeSync(handle),
  };
}
