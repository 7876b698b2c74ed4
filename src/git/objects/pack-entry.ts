/** Parses the header of an entry in a pack: its kind, its inflated size, and the base of a delta. */

export const OFFSET_DELTA = 6;
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
