/** Writes a pack object by object: one file for thousands of objects, and one wait for the disk. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type * as Zlib from 'node:zlib';
import { crc32 as ownCrc32 } from '../../core/crc32.ts';
import { below } from '../../platform/below.ts';
import { builtIn } from '../../platform/built-in.ts';
import { inflate } from '../../platform/compression.ts';
import { createFile, discard, ioError, publishTemporary, syncFile } from '../../platform/files.ts';
import { RunningHash } from '../../platform/hash.ts';
import { readHandle } from '../../platform/pieces.ts';
import { checkFolder } from '../guard.ts';
import { keepPack } from './keep-file.ts';
import { deflate, type GitObject, type ObjectType } from './loose.ts';
import type { ObjectFiles } from './objects.ts';
import { encodeEntryHead } from './pack-entry.ts';
import { encodeIndex, type PackedEntry } from './pack-index-writer.ts';

const HEADER_LENGTH = 12;
/** Bytes that are buffered before they are written, and that are read at once. */
const PIECE = 256 * 1024;

interface Entry extends PackedEntry {
  /** Null for a delta. */
  type: ObjectType | null;
  /** Size of the content. */
  size: number;
  /** Offset of the compressed bytes in the entry, and length of the entry. */
  head: number;
  length: number;
}

export interface PackWriter {
  has: (oid: string) => boolean;
  /** Returns how many objects were added. */
  count: () => number;
  /** Returns an object, or null if it was not added, or added as a delta. */
  read: (oid: string) => GitObject | null;
  add: (oid: string, type: ObjectType, content: Buffer) => void;
  /** Adds an object as an entry of another pack has it. @param base an object that was added before, for a delta @param data compressed */
  addEntry: (oid: string, of: { type: ObjectType | null; size: number; base: string | null; data: Buffer }) => void;
  /**
   * Makes all added objects durable, under the name of a pack. No object can be added afterwards.
   * @returns the `.keep` file that protects the pack from Git (see keep-file.ts), to be removed after a pointer names its
   * objects
   */
  publish: () => string | null;
  /** Removes the unpublished pack. */
  discard: () => void;
}

/** Starts a pack, under a temporary name that Git does not take for a pack. @throws {CtxError} io, unsupported_store */
export function packWriter({ layout, ids, durability }: ObjectFiles): PackWriter {
  checkFolder(layout, layout.pack);
  const temporary = below(layout.pack, `tmp_pack_${ids()}`);
  createFile(temporary, encodePackHeader(0), { fsync: false });
  const handle = openCreated(temporary);
  const entries = new Map<string, Entry>();
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let written = HEADER_LENGTH;
  let open = true;

  const writeBytes = (bytes: Buffer, at: number): void => {
    try {
      writeAt(handle, bytes, at);
    } catch (error) {
      throw ioError('write', temporary, error);
    }
  };

  const write = (): void => {
    writeBytes(Buffer.concat(gathered), written);
    written += gatheredBytes;
    gathered = [];
    gatheredBytes = 0;
  };

  const close = (): void => {
    if (open) closeSync(handle);
    open = false;
  };

  const put = (oid: string, type: ObjectType | null, size: number, head: Buffer, data: Buffer): void => {
    const [offset, length] = [written + gatheredBytes, head.length + data.length];
    const crc = crc32(data, crc32(head));
    entries.set(oid, { oid, type, size, offset, head: head.length, length, crc });
    gathered.push(head, data);
    gatheredBytes += length;
    if (gatheredBytes >= PIECE) write();
  };

  const read = ({ type, size, offset, head, length }: Entry): GitObject | null => {
    if (type === null) return null;
    if (offset + length > written) write();
    const bytes = Buffer.allocUnsafe(length - head);
    try {
      readSync(handle, bytes, 0, bytes.length, offset + head);
    } catch (error) {
      throw ioError('read', temporary, error);
    }
    return { type, content: inflate(bytes, size, size).content };
  };

  /** Completes the header with the number of objects, and returns the checksum of the pack. */
  const finish = (): Buffer => {
    write();
    writeBytes(encodePackHeader(entries.size), 0);
    const hash = new RunningHash('sha1');
    try {
      for (const piece of readHandle(handle, PIECE, 0)) hash.update(piece);
    } catch (error) {
      throw ioError('read', temporary, error);
    }
    const checksum = Buffer.from(hash.digest(), 'hex');
    writeBytes(checksum, written);
    return checksum;
  };

  return {
    has: (oid) => entries.has(oid),
    count: () => entries.size,
    read: (oid) => {
      const entry = entries.get(oid);
      return entry ? read(entry) : null;
    },
    add: (oid, type, content) =>
      put(oid, type, content.length, encodeEntryHead(type, content.length), deflate(content)),
    addEntry: (oid, { type, size, base, data }) => {
      const from = base === null ? undefined : entries.get(base);
      if (type === null && !from) throw new Error(`The base of ${oid} was not added.`);
      const distance = from ? written + gatheredBytes - from.offset : 0;
      put(oid, type, size, encodeEntryHead(type, size, distance), data);
    },
    publish: () => {
      const checksum = finish();
      close();
      if (durability.fsync) syncFile(temporary);
      const target = below(layout.pack, `pack-${checksum.toString('hex')}`);
      const index = below(layout.pack, `tmp_idx_${ids()}`);
      createFile(index, encodeIndex(entries.values(), checksum), durability);
      let kept: string | null = null;
      try {
        kept = keepPack(target, durability);
        // In this order: Git takes it for a pack when it has an index.
        publishTemporary(temporary, `${target}.pack`, durability);
        publishTemporary(index, `${target}.idx`, durability);
      } catch (error) {
        discard(index);
        if (kept !== null) discard(kept);
        throw error;
      }
      return kept;
    },
    discard: () => {
      close();
      discard(temporary);
    },
  };
}

/** Opens the file that was just created, and removes it if that fails. */
function openCreated(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    discard(path);
    throw ioError('write', path, error);
  }
}

/** Encodes the header of a pack (version 2). @param count of its objects */
export function encodePackHeader(count: number): Buffer {
  const bytes = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

/** Writes every byte: a short write is not a success. */
function writeAt(handle: number, bytes: Buffer, start: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at, bytes.length - at, start + at);
}

let machine: typeof ownCrc32 | undefined;

/**
 * Returns the CRC-32 of some bytes (ISO 3309). Node has its own since 20.15.
 * @param before the CRC-32 of the bytes in front of these
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  machine ??= (builtIn('node:zlib') as Partial<typeof Zlib>).crc32 ?? ownCrc32;
  return machine(bytes, before);
}
