/** Parses and encodes the header of an entry in a pack: its kind, its inflated size, and the base of a delta. */
import type { ObjectType } from './loose.ts';

const KINDS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const OFFSET_DELTA = 6;
export const REFERENCE_DELTA = 7;

export interface EntryHead {
  /** Git's number of an object type, or of a kind of delta. */
  kind: number;
  /** Bytes that the entry inflates to. */
  size: number;
  /** Length of the header itself, in bytes: the compressed bytes follow. */
  length: number;
  /** Offset or id of the object that a delta is based on. */
  base: number | string | null;
}

/** Offset of the first entry of a pack. */
export const FIRST_ENTRY = 12;

/** Parses the header at the beginning of some bytes; returns the reason if there is none. @param offset of the bytes in the pack */
export function readEntryHead(bytes: Buffer, offset: number): EntryHead | string {
  let length = 0;
  /** A truncated number is NaN. */
  const next = (): number => bytes[length++] ?? Number.NaN;
  let byte = next();
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = next();
    size += (byte & 0x7f) * factor;
  }
  let base: EntryHead['base'] = null;
  if (kind === OFFSET_DELTA) {
    byte = next();
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      byte = next();
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    base = offset - distance;
    if (length <= bytes.length && (distance <= 0 || base < FIRST_ENTRY)) return 'its base lies outside';
  } else if (kind === REFERENCE_DELTA) {
    base = bytes.toString('hex', length, length + 20);
    length += 20;
  }
  return length > bytes.length ? 'it is cut off' : { kind, size, length, base };
}

/**
 * Encodes such a header.
 * @param type of the object; null for a delta
 * @param size of what follows, inflated
 * @param distance of a delta from its base, which is in front of it
 */
export function encodeEntryHead(type: ObjectType | null, size: number, distance = 0): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = ((type === null ? OFFSET_DELTA : KINDS[type]) << 4) | (size & 15);
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  bytes.push(byte);
  return Buffer.from(type === null ? [...bytes, ...distanceBytes(distance)] : bytes);
}

function distanceBytes(distance: number): number[] {
  const bytes = [distance & 0x7f];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor((rest - 1) / 128))
    bytes.unshift(((rest - 1) & 0x7f) | 0x80);
  return bytes;
}
