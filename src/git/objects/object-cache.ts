/** A cache of small objects while many are written: the next step reads the trees of the step before. */
import type { GitObject, ObjectType } from './loose.ts';

/**
 * Caches the most recent objects by id, up to a number of bytes; as Latin-1 texts, since a slice of a buffer keeps the whole
 * buffer alive.
 */
export class ObjectCache {
  readonly #held = new Map<string, { type: ObjectType; text: string }>();
  readonly #each: number;
  readonly #total: number;
  #bytes = 0;

  /** @param each the largest object that is cached, in bytes @param total most bytes in the cache */
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
