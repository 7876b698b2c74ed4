/** What is known of the texts that were looked at last, as far as there is room. */

/** To look at a shorter text costs no more than to remember it; a longer one is remembered elsewhere. In UTF-16 code units. */
const SHORTEST = 64;
const LONGEST = 32_768;
/** Most that is remembered, likewise. */
const MOST_UNITS = 262_144;

export class Lately<T> {
  /** Two halves: when the newer one is full, the older one goes. */
  #newer = new Map<string, T>();
  #older = new Map<string, T>();
  #units = 0;

  get(text: string): T | undefined {
    if (text.length < SHORTEST || text.length > LONGEST) return undefined;
    return this.#newer.get(text) ?? this.#older.get(text);
  }

  put(text: string, known: T): void {
    if (text.length < SHORTEST || text.length > LONGEST || this.#newer.has(text)) return;
    if (this.#units + text.length > MOST_UNITS / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#units = 0;
    }
    this.#newer.set(text, known);
    this.#units += text.length;
  }
}
