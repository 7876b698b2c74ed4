/** Small objects that stay at hand while much is written: the next step reads the trees of the one before. */
import type { GitObject, ObjectType } from './loose.ts';

/**
 * Objects by id, those that were put in last, up to a number of bytes; as texts of a byte a character, for a small buffer keeps
 * a large one.
 */
export class HeldObjects {
  readonly #held = new Map<string, { type: ObjectType; text: string }>();
  readonly #each: number;
  readonly #total: number;
  #bytes = 0;

  /** @param each the largest that is held, in bytes @param total how many bytes are held in all */
  constructor(each: number, total: number) {
    this.#each = each;
    this.#total = total;
  }

  has(oid: string): boolean {
    return this.#held.has(oid);
  }

  get(oid: string): GitObject | undefined {
    const held = this.#held.get(oid);
    return held && { type: held.type, content: Buffer.from(held.text, 'latin1') };
  }

  put(oid: string, { type, content }: GitObject): void {
    if (content.length > this.#each || this.#held.has(oid)) return;
    this.#held.set(oid, { type, text: content.toString('latin1') });
    this.#bytes += content.length;
    for (const [oldest, { text }] of this.#held) {
      if (this.#bytes <= this.#total) return;
      this.#held.delete(oldest);
      this.#bytes -= text.length;
    }
  }
}
