/** The places of one term: its documents, and its places in each. Encoded as differences, with a checksum at the end. */

import { CatalogDamage, checksum } from '../bytes/sections.ts';
import { ByteReader, type ByteWriter } from '../bytes/varint.ts';

/** Receives a document that has the term, how often, and a function that returns the places in the document. */
export type TakeDocument = (document: number, count: number, places: () => number[]) => void;

/** Lists with fewer bytes have a checksum of one byte: most terms are in one document. */
const SHORT = 16;

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

  /** @param places ascending; of documents in ascending order */
  add(document: number, places: ArrayLike<number>, begin = 0, end = places.length): void {
    const gap = document - this.#last - 1;
    const count = end - begin;
    this.#last = document;
    this.documents += 1;
    this.#documents.varint(gap * 2 + (count === 1 ? 1 : 0));
    if (count !== 1) this.#documents.varint(count);
    let last = -1;
    for (let index = begin; index < end; index += 1) {
      const place = places[index] as number;
      // Two pieces of one identifier may be the same term in one place.
      this.#places.varint(place - last);
      last = place;
    }
  }

  /** Returns the bytes of the list, and how many of them are of the documents. */
  end(): { bytes: Buffer; split: number } {
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

/** Decodes the places of a term. @param split how many of the bytes are of the documents @throws {CatalogDamage} */
export function decodePostings(bytes: Buffer, split: number, take: TakeDocument): void {
  const length = contentLength(bytes);
  const documents = new ByteReader(bytes, 0, split);
  const places = new ByteReader(bytes, split, length);
  /** Number of documents' places before the present one that are not read yet. */
  let skipped = 0;
  let document = -1;
  while (documents.at < split) {
    const head = documents.varint();
    document += Math.floor(head / 2) + 1;
    const count = head % 2 === 1 ? 1 : documents.varint();
    let isRead = false;
    take(document, count, () => {
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
