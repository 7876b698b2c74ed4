/** Finds the objects of a torn pack whose index is torn too: entry after entry, and after a torn one the next valid one. */

import { closeSync } from 'node:fs';
import { decodeCommit } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import { decodeTree } from '../../core/tree.ts';
import { CONTENT_LIMIT } from '../../git/layout.ts';
import { frame, type GitObject } from '../../git/objects/loose.ts';
import { openTornPack, type Pack } from '../../git/objects/pack.ts';
import { type EntryHead, FIRST_ENTRY, readEntryHead } from '../../git/objects/pack-entry.ts';
import { growingIndex, type RangeReader, rangeReader } from '../../git/objects/received-pack.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { inflate, inflateBeginning, ZlibStreamError } from '../../platform/compression.ts';
import { sha1 } from '../../platform/hash.ts';
import { openPlain, readBeginning } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';

/** Most bytes that invalid entries may claim to inflate to in total: a stranger's pack could have a million of them. */
const MOST_IN_VAIN = 1024 * 1024 * 1024;
/** Number of passes over unresolved entries: a delta may precede its base. */
const ROUNDS = 16;
/** Longest header of an entry, and the bytes of its content that show whether it can be inflated. */
const HEAD = 64;
const SAMPLE = 512;

/** Yields each readable object of a pack. Without an index the ids are computed from the objects. */
export function* scanPack(path: string): Generator<{ oid: string; object: GitObject }> {
  const places = new Map<string, number>();
  const pack = openTornPack(path, growingIndex(places));
  try {
    let left = [...entriesOf(path)];
    for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
      const failed: number[] = [];
      for (const offset of left) {
        const object = soundAt(pack, offset);
        if (object === null) {
          failed.push(offset);
          continue;
        }
        const oid = sha1(frame(object.type, object.content));
        places.set(oid, offset);
        yield { oid, object };
      }
      if (failed.length === left.length) return;
      left = failed;
    }
  } finally {
    pack.close();
  }
}

/** Returns the number of objects in the header of a pack; null if the header is invalid. */
export function countOf(path: string): number | null {
  const head = readBeginning(path, FIRST_ENTRY);
  const isHead = head.length === FIRST_ENTRY && head.toString('latin1', 0, 4) === 'PACK';
  return isHead ? head.readUInt32BE(8) : null;
}

/** Yields the offsets of the entries that can be inflated. */
function* entriesOf(path: string): Generator<number> {
  const { handle, size } = openPlain(path);
  try {
    const bytesAt = rangeReader(handle);
    let inVain = 0;
    for (let at = FIRST_ENTRY; at < size && inVain < MOST_IN_VAIN; ) {
      const head = readEntryHead(bytesAt(at, HEAD), at);
      const isEntry =
        typeof head !== 'string' && head.size <= CONTENT_LIMIT && isLike(head, bytesAt(at + head.length, SAMPLE));
      const length = isEntry ? lengthOf(bytesAt, at, size, head) : 0;
      if (length > 0) yield at;
      else if (isEntry) inVain += head.size + mostOf(head);
      at += length || 1;
    }
  } finally {
    closeSync(handle);
  }
}

/** Returns whether some bytes look like the beginning of a zlib stream: two bytes exclude nearly all others. */
function isLike({ size }: EntryHead, bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  const isZlib = (first & 15) === 8 && (first * 256 + second) % 31 === 0;
  return isZlib && (size === 0 || inflateBeginning(bytes).length > 0);
}

/** Returns the longest plausible stream of an entry; one of empty blocks never ends. */
const mostOf = ({ size }: EntryHead): number => size + Math.ceil(size / 64) + 4096;

/** Returns the length of an entry; 0 if it is none. */
function lengthOf(bytesAt: RangeReader, at: number, end: number, head: EntryHead): number {
  const { size, length } = head;
  const from = at + length;
  const most = Math.min(mostOf(head), end - from);
  for (const guess of [size + HEAD, most]) {
    const count = Math.min(guess, most);
    try {
      const { content, used } = inflate(bytesAt(from, count), size);
      return content.length === size ? length + used : 0;
    } catch (error) {
      if (!(error instanceof ZlibStreamError)) throw error;
      if (error.reason !== 'short') return 0;
    }
  }
  return 0;
}

/** Reads the object of an entry; returns null if it cannot be read, or not yet. */
function soundAt(pack: Pack, offset: number): GitObject | null {
  try {
    const object = pack.at(offset);
    return isSound(object) ? object : null;
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/** Returns whether an object is valid for its type: the kind in an entry's header may be torn, and nothing else protects it. */
function isSound({ type, content }: GitObject): boolean {
  if (type === 'commit') return !isDamaged(() => decodeCommit(content, ''));
  if (type === 'tree') return !isDamaged(() => decodeTree(content, ''));
  return type === 'blob' || content.toString('latin1', 0, 7) === 'object ';
}
