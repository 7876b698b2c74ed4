/** Encodes the index of a pack (version 2): the offset of each of its objects, by id. */
import { sha1 } from '../../platform/hash.ts';

const HEADER = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const OID_BYTES = 20;
/** From here on an offset is in a separate table of 64-bit numbers. */
const LARGE = 0x80000000;

/** An object of a pack. */
export interface PackedEntry {
  oid: string;
  /** Offset of its entry in the pack. */
  offset: number;
  /** CRC-32 of its entry. */
  crc: number;
}

/** Encodes an index. @param pack checksum of the pack */
export function encodeIndex(entries: Iterable<PackedEntry>, pack: Buffer): Buffer {
  const sorted = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : 1));
  const fanOut = Buffer.alloc(256 * 4);
  const names = Buffer.alloc(sorted.length * OID_BYTES);
  const sums = Buffer.alloc(sorted.length * 4);
  const offsets = Buffer.alloc(sorted.length * 4);
  const large: Buffer[] = [];
  for (const [position, { oid, crc, offset }] of sorted.entries()) {
    names.write(oid, position * OID_BYTES, 'hex');
    sums.writeUInt32BE(crc, position * 4);
    offsets.writeUInt32BE(offset < LARGE ? offset : LARGE + large.length, position * 4);
    if (offset >= LARGE) large.push(bigEndian(offset));
    fanOut.writeUInt32BE(position + 1, (names[position * OID_BYTES] as number) * 4);
  }
  // A byte without names has the same count as the byte before.
  for (let byte = 1; byte < 256; byte += 1)
    if (fanOut.readUInt32BE(byte * 4) === 0) fanOut.writeUInt32BE(fanOut.readUInt32BE((byte - 1) * 4), byte * 4);
  const body = Buffer.concat([HEADER, fanOut, names, sums, offsets, ...large, pack]);
  return Buffer.concat([body, Buffer.from(sha1(body), 'hex')]);
}

function bigEndian(offset: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(offset));
  return bytes;
}
