/** The words that a builder has met, each once with its terms: found by their characters, without a copy of them. */
import { Numbers } from '../bytes/columns.ts';
import { analysed } from '../words/tokens.ts';

export class WordTable {
  /** The numbers of the terms. */
  readonly terms = new Map<string, number>();
  /** By word, the place of its first term in `termOf` and `offsets`; one more at the end. */
  readonly begins = new Numbers(65_536);
  readonly termOf = new Numbers(65_536);
  readonly offsets = new Numbers(65_536);
  /** By word, how many places it takes. */
  readonly widths = new Numbers(65_536);
  #slots = new Int32Array(65_536).fill(-1);
  readonly #hashes = new Numbers(65_536);
  #characters = new Uint16Array(524_288);
  readonly #ends = new Numbers(65_536);

  constructor() {
    this.begins.push(0);
  }

  get size(): number {
    return this.widths.length;
  }

  /** Returns the number of the word that is in a text from one place to another. */
  numberOf(text: string, begin: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = begin; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const word = this.#slots[slot] as number;
      if (word < 0) return this.#add(text.slice(begin, end), hash, slot);
      if (this.#hashes.values[word] === hash && this.#is(word, text, begin, end)) return word;
    }
  }

  #is(word: number, text: string, begin: number, end: number): boolean {
    const from = word === 0 ? 0 : (this.#ends.values[word - 1] as number);
    if ((this.#ends.values[word] as number) - from !== end - begin) return false;
    for (let at = begin, own = from; at < end; at += 1, own += 1)
      if (this.#characters[own] !== text.charCodeAt(at)) return false;
    return true;
  }

  #add(text: string, hash: number, slot: number): number {
    const word = this.size;
    this.#slots[slot] = word;
    this.#hashes.push(hash);
    this.#keep(text);
    const { terms, width } = analysed(text);
    for (const { term, offset } of terms) {
      let number = this.terms.get(term);
      if (number === undefined) {
        number = this.terms.size;
        this.terms.set(term, number);
      }
      this.termOf.push(number);
      this.offsets.push(offset);
    }
    this.begins.push(this.termOf.length);
    this.widths.push(width);
    if (this.size * 2 > this.#slots.length) this.#grow();
    return word;
  }

  /** Keeps the characters of a word. */
  #keep(text: string): void {
    const from = this.#ends.length === 0 ? 0 : this.#ends.at(this.#ends.length - 1);
    if (from + text.length > this.#characters.length) {
      const next = new Uint16Array(Math.max(this.#characters.length * 2, from + text.length));
      next.set(this.#characters);
      this.#characters = next;
    }
    for (let at = 0; at < text.length; at += 1) this.#characters[from + at] = text.charCodeAt(at);
    this.#ends.push(from + text.length);
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1);
    const mask = slots.length - 1;
    for (let word = 0; word < this.size; word += 1) {
      let slot = this.#hashes.at(word) & mask;
      while (slots[slot] !== -1) slot = (slot + 1) & mask;
      slots[slot] = word;
    }
    this.#slots = slots;
  }
}
