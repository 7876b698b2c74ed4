/** The terms of a segment in order, front-coded in blocks, each with the place of its list; found by the first terms of the blocks. */
import { CatalogDamage, checksum, type Sections } from '../bytes/sections.ts';
import { ByteReader, ByteWriter } from '../bytes/varint.ts';

/** Number of terms that are in a block. */
const BLOCK = 128;
const SUM = 4;

/** A term, and the place of its list. */
export interface Entry {
  term: string;
  /** In how many documents it is. */
  documents: number;
  /** The place of its list in the section of the lists. */
  offset: number;
  length: number;
  /** Number of bytes of the list that are of the documents. */
  split: number;
}

/** Encodes terms that come in order. */
export class DictionaryEncoder {
  readonly #blocks = new ByteWriter(65_536);
  readonly #index = new ByteWriter(4096);
  readonly #block = new ByteWriter(8192);
  #inBlock = 0;
  #before: Buffer = Buffer.alloc(0);

  add({ term, documents, offset, length, split }: Entry): void {
    const bytes = Buffer.from(term);
    if (this.#inBlock === 0) {
      this.#index.varint(bytes.length);
      this.#index.bytes(bytes);
      this.#index.varint(this.#blocks.length);
      this.#block.varint(offset);
      this.#before = Buffer.alloc(0);
    }
    let shared = 0;
    while (shared < bytes.length && shared < this.#before.length && bytes[shared] === this.#before[shared]) shared += 1;
    this.#block.varint(shared);
    this.#block.varint(bytes.length - shared);
    this.#block.bytes(bytes.subarray(shared));
    this.#block.varint(documents);
    this.#block.varint(length);
    this.#block.varint(split);
    this.#before = bytes;
    this.#inBlock += 1;
    if (this.#inBlock === BLOCK) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#inBlock === 0) return;
    const block = this.#block.written();
    const sum = Buffer.alloc(SUM);
    sum.writeUInt32LE(checksum(block));
    this.#blocks.bytes(block);
    this.#blocks.bytes(sum);
    this.#block.clear();
    this.#inBlock = 0;
  }

  /** Returns the blocks, and the index of their first terms. */
  end(): { blocks: Buffer; index: Buffer } {
    this.#endBlock();
    return { blocks: this.#blocks.written(), index: this.#index.written() };
  }
}

/** Orders terms as a dictionary has them: by their bytes. */
export const compareTerms = (a: string, b: string): number => {
  if (a === b) return 0;
  // Of UTF-16 code units only halves of pairs are in another order than the bytes of UTF-8.
  return HALVES.test(a) || HALVES.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
};
const HALVES = /[\ud800-\uffff]/;

/** Puts terms into the order of a dictionary. */
export const inOrder = (terms: string[]): string[] =>
  terms.some((term) => HALVES.test(term)) ? terms.sort(compareTerms) : terms.sort();

/** The terms of a segment. */
export class Dictionary {
  readonly #sections: Sections;
  readonly #firsts: string[] = [];
  readonly #offsets: number[] = [];

  /** @throws {CatalogDamage} */
  constructor(sections: Sections) {
    this.#sections = sections;
    const index = sections.whole('term-index');
    for (const reader = new ByteReader(index); reader.at < index.length; ) {
      this.#firsts.push(reader.take(reader.varint()).toString('utf8'));
      this.#offsets.push(reader.varint());
    }
    this.#offsets.push(sections.length('terms'));
  }

  /** Returns the entry of a term; null if it is not there. */
  find(term: string): Entry | null {
    const block = this.#blockOf(term);
    if (block < 0) return null;
    for (const entry of this.#entriesOf(block)) if (entry.term === term) return entry;
    return null;
  }

  /** Yields the entries from a term on, in order. */
  *from(term = ''): Generator<Entry> {
    for (let block = Math.max(0, this.#blockOf(term)); block < this.#firsts.length; block += 1)
      for (const entry of this.#entriesOf(block)) if (compareTerms(entry.term, term) >= 0) yield entry;
  }

  /** The last block whose first term is not behind a term; -1 if there is none. */
  #blockOf(term: string): number {
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTerms(this.#firsts[middle] as string, term) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  *#entriesOf(block: number): Generator<Entry> {
    const [begin, end] = [this.#offsets[block] as number, this.#offsets[block + 1] as number];
    const bytes = this.#sections.part('terms', begin, end - begin);
    const content = bytes.length - SUM;
    if (content < 0 || checksum(bytes.subarray(0, content)) !== bytes.readUInt32LE(content))
      throw new CatalogDamage('a block of terms is damaged');
    const reader = new ByteReader(bytes, 0, content);
    let offset = reader.varint();
    let before: Buffer = Buffer.alloc(0);
    while (reader.at < content) {
      const shared = reader.varint();
      const rest = reader.take(reader.varint());
      before = Buffer.concat([before.subarray(0, shared), rest]);
      const entry = { documents: reader.varint(), offset, length: reader.varint(), split: reader.varint() };
      offset += entry.length;
      yield { term: before.toString('utf8'), ...entry };
    }
  }
}
