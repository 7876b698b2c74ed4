/** The places of one term: its documents, and its places in each. Encoded as differences, with a checksum at the end. */

import { CatalogDamage, checksum } from '../bytes/sections.ts';
import { ByteReader, type ByteWriter } from '../bytes/varint.ts';

/** Receives a document that has the term, how often, and a function that returns the places in the document. */
export type TakeDocument = (document: number, count: number, places: () => number[]) => void;

/** Lists with fewer bytes have a checksum of one byte: most terms are in one document. */
const SHORT = 16;
/** The number of a document is followed by how often the term is in it: so many times or more have a number of their own. */
const OFTEN = 4;

/** A list as it is stored. */
export interface List {
  bytes: Buffer;
  /** Number of bytes of the list that are of the documents. */
  split: number;
}

/** Encodes the places of one term, document by document. */
export class PostingsEncoder {
  readonly #documents: ByteWriter;
  readonly #places: ByteWriter;
  #last = -1;
  /** In how many documents the term is. */
  documents = 0;

  constructor(documents: ByteWriter, places: ByteWriter) {
    this.#documents = documents;
    this.#places = places;
    documents.clear();
    places.clear();
  }

  #document(document: number, count: number): void {
    const gap = document - this.#last - 1;
    this.#last = document;
    this.documents += 1;
    this.#documents.varint(gap * OFTEN + Math.min(count, OFTEN) - 1);
    if (count >= OFTEN) this.#documents.varint(count - OFTEN);
  }

  /** @param places ascending; of documents in ascending order */
  add(document: number, places: ArrayLike<number>, begin = 0, end = places.length): void {
    this.#document(document, end - begin);
    let last = -1;
    for (let index = begin; index < end; index += 1) {
      const place = places[index] as number;
      // Two pieces of one identifier may be the same term in one place.
      this.#places.varint(place - last);
      last = place;
    }
  }

  /** Adds a whole list of another segment, whose documents get numbers that are higher by `base`. @throws {CatalogDamage} */
  addList({ bytes, split }: List, base: number): void {
    const length = contentLength(bytes);
    const reader = new ByteReader(bytes, 0, split);
    let last = -1;
    let documents = 0;
    let begin = 0;
    while (reader.at < split) {
      const head = reader.varint();
      last += Math.floor(head / OFTEN) + 1;
      if (head % OFTEN === OFTEN - 1) {
        const more = reader.varint();
        if (documents === 0) this.#document(base + last, OFTEN + more);
      } else if (documents === 0) this.#document(base + last, (head % OFTEN) + 1);
      if (documents === 0) begin = reader.at;
      documents += 1;
    }
    if (documents === 0) return;
    this.documents += documents - 1;
    this.#last = base + last;
    this.#documents.bytes(bytes.subarray(begin, split));
    this.#places.bytes(bytes.subarray(split, length));
  }

  /** Returns the list. */
  end(): List {
    const [documents, places] = [this.#documents.written(), this.#places.written()];
    const content = Buffer.concat([documents, places, Buffer.alloc(sumLength(documents.length + places.length))]);
    const length = documents.length + places.length;
    writeSum(content, length);
    return { bytes: content, split: documents.length };
  }
}

const sumLength = (content: number): number => (content < SHORT ? 1 : 4);

function writeSum(content: Buffer, length: number): void {
  const sum = checksum(content.subarray(0, length));
  if (content.length - length === 1) content[length] = sum & 0xff;
  else content.writeUInt32LE(sum, length);
}

/** Checks the checksum of a list; returns the length of its content. @throws {CatalogDamage} */
function contentLength(bytes: Buffer): number {
  const length = bytes.length - (bytes.length - 1 < SHORT ? 1 : 4);
  if (length < 0) throw new CatalogDamage('a list of places is cut off');
  const sum = checksum(bytes.subarray(0, length));
  const isRight = bytes.length - length === 1 ? bytes[length] === (sum & 0xff) : bytes.readUInt32LE(length) === sum;
  if (!isRight) throw new CatalogDamage('a list of places is damaged');
  return length;
}

/** The documents of a term, ascending, and how often each has it. */
export interface Documents {
  documents: Uint32Array;
  counts: Uint32Array;
  length: number;
}

export const NO_DOCUMENTS: Documents = { documents: new Uint32Array(0), counts: new Uint32Array(0), length: 0 };

/** Decodes the documents of a term: in one loop, which a process that has just begun soon runs fast. @throws {CatalogDamage} */
export function decodeDocuments({ bytes, split }: List): Documents {
  contentLength(bytes);
  if (split > bytes.length) throw new CatalogDamage('a list of places is cut off');
  // Each takes a byte at least.
  const [documents, counts] = [new Uint32Array(split), new Uint32Array(split)];
  let [at, length, document] = [0, 0, -1];
  while (at < split) {
    let byte = bytes[at++] as number;
    let head = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      if (at >= split || scale > 2 ** 49) throw new RangeError('a number is cut off');
      byte = bytes[at++] as number;
      head += (byte & 0x7f) * scale;
    }
    let count = (head % OFTEN) + 1;
    document += Math.floor(head / OFTEN) + 1;
    if (count === OFTEN) {
      const reader = new ByteReader(bytes, at, split);
      count += reader.varint();
      at = reader.at;
    }
    documents[length] = document;
    counts[length] = count;
    length += 1;
  }
  return { documents, counts, length };
}

/** Decodes the places of a term. @throws {CatalogDamage} */
export function decodePostings(list: List, take: TakeDocument): void {
  const places = new ByteReader(list.bytes, list.split, contentLength(list.bytes));
  /** Number of places of documents before the present one that are not read yet. */
  let skipped = 0;
  const { documents, counts, length } = decodeDocuments(list);
  for (let index = 0; index < length; index += 1) {
    const count = counts[index] as number;
    let isRead = false;
    take(documents[index] as number, count, () => {
      for (; skipped > 0; skipped -= 1) places.varint();
      isRead = true;
      const found: number[] = [];
      for (let last = -1; found.length < count; ) {
        last += places.varint();
        found.push(last);
      }
      return found;
    });
    if (!isRead) skipped += count;
  }
}
