// Packs that nobody would make: their entries as raw bytes, and the index that finds them.
import { deflateSync } from 'node:zlib';
import { sha1 } from '../../src/platform/hash.ts';

/** An entry, head and compressed bytes, and the id under which the index has it; both may lie. */
export interface PackEntry {
  oid: string;
  bytes: Buffer;
}

/** A pack and its index. */
export function packOf(entries: readonly PackEntry[]): { pack: Buffer; index: Buffer } {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([header, ...entries.map(({ bytes }) => bytes)]);
  const checksum = Buffer.from(sha1(body), 'hex');
  let at = header.length;
  const places = entries.map(({ oid, bytes }): [string, number] => {
    at += bytes.length;
    return [oid, at - bytes.length];
  });
  places.sort(([one], [other]) => (one < other ? -1 : 1));
  const fanOut = Array.from(
    { length: 256 },
    (_, byte) => places.filter(([oid]) => Number.parseInt(oid.slice(0, 2), 16) <= byte).length,
  );
  const numbers = (list: readonly number[]): Buffer => Buffer.from(Uint32Array.from(list).buffer).swap32();
  const oids = places.map(([oid]) => Buffer.from(oid, 'hex'));
  const index = Buffer.concat([
    numbers([0xff744f63, 2, ...fanOut]),
    ...oids,
    numbers(places.map(() => 0)),
    numbers(places.map(([, offset]) => offset)),
    checksum,
  ]);
  return {
    pack: Buffer.concat([body, checksum]),
    index: Buffer.concat([index, Buffer.from(sha1(index), 'hex')]),
  };
}

/** The head of an entry. */
export function entryHead(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

/** A blob as it is. */
export const wholeEntry = (oid: string, content: Buffer): PackEntry => ({
  oid,
  bytes: Buffer.concat([entryHead(3, content.length), deflateSync(content)]),
});

/** A delta of another object. @param size what it says of its length */
export const deltaEntry = (oid: string, base: string, delta: Buffer, size = delta.length): PackEntry => ({
  oid,
  bytes: Buffer.concat([entryHead(7, size), Buffer.from(base, 'hex'), deflateSync(delta)]),
});

const varint = (number: number): number[] =>
  number < 128 ? [number] : [(number & 0x7f) | 0x80, ...varint(Math.floor(number / 128))];

/** Returns the head of a delta: the size of its base, and that of its result. */
export const deltaHead = (from: number, to: number): Buffer => Buffer.from([...varint(from), ...varint(to)]);

/** Instructions to copy a part of the base. */
export function copying(start: number, count: number): Buffer {
  const most = 0xffffff;
  const parts = Array.from({ length: Math.ceil(count / most) }, (_, index) => {
    const part = Buffer.alloc(8, 0xff);
    part.writeUInt32LE(start + index * most, 1);
    part.writeUIntLE(Math.min(most, count - index * most), 5, 3);
    return part;
  });
  return Buffer.concat(parts);
}

/** An instruction to insert up to 127 bytes. */
export const inserting = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
