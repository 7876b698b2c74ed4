/** A scanner over the bytes of a JSON document that returns the positions of its values and holds none of them. */

/** A range of bytes; `to` is after the last one. */
export interface Span {
  from: number;
  to: number;
}

/** The range of the next value; `to` is null if the value does not end. */
export interface Found {
  from: number;
  to: number | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Longest number or name of a value, such as `false`, in bytes. */
const LONGEST_WORD = 64;

/** Returns a table of all bytes with whether each is one of these characters. */
const among = (signs: RegExp): boolean[] =>
  Array.from({ length: 256 }, (_, byte) => signs.test(String.fromCharCode(byte)));
// By bytes, not by characters: no byte above 0x7f is one of them.
const WHITE = among(/[\t-\r ]/);
const BETWEEN = among(/[\t-\r ,:]/);
const OF_WORD = among(/[\w.+-]/);
const AFTER_WORD = among(/[\t-\r ,\]}]/);

/** A scanner of a JSON document. */
export class Scanner {
  readonly #pieces: Iterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  #index = 0;
  /** The position of the piece. */
  #base = 0;

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
    for (const byte of BYTE_ORDER_MARK) if (this.#byte() === byte) this.#index += 1;
  }

  /** The current position. */
  get at(): number {
    return this.#base + this.#index;
  }

  /** Closes the source of the pieces. */
  close(): void {
    this.#pieces.return?.();
  }

  /** The first character of the next value or bracket; empty at the end. */
  get next(): string {
    this.#skip(BETWEEN);
    const byte = this.#byte();
    return byte < 0 ? '' : String.fromCharCode(byte);
  }

  /** Skips white space. */
  skipWhite(): void {
    this.#skip(WHITE);
  }

  /** Skips this character, and returns whether it was the next one. */
  takes(sign: string): boolean {
    if (this.next !== sign) return false;
    this.#index += 1;
    return true;
  }

  /** Skips the next value, and returns its range. */
  value(): Found {
    this.#skip(BETWEEN);
    const from = this.at;
    const first = this.#byte();
    const ends = first === OBJECT || first === LIST ? this.#nested() : first === QUOTE ? this.#quoted() : this.#word();
    return { from, to: ends ? this.at : null };
  }

  /** Returns the next byte; -1 at the end. */
  #byte(): number {
    while (this.#index === this.#piece.length) {
      const next = this.#pieces.next();
      if (next.done === true) return -1;
      this.#base += this.#piece.length;
      this.#piece = next.value;
      this.#index = 0;
    }
    return this.#piece[this.#index] ?? -1;
  }

  #skip(signs: readonly boolean[]): void {
    for (let byte = this.#byte(); signs[byte] === true; byte = this.#byte()) this.#index += 1;
  }

  #quoted(): boolean {
    this.#index += 1;
    for (let byte = this.#byte(); byte >= 0; byte = this.#byte()) {
      this.#index += 1;
      if (byte === QUOTE) return true;
      if (byte === BACKSLASH && this.#byte() >= 0) this.#index += 1;
    }
    return false;
  }

  #nested(): boolean {
    let depth = 0;
    for (let byte = this.#byte(); byte >= 0; byte = this.#byte()) {
      if (byte === QUOTE) {
        if (!this.#quoted()) return false;
        continue;
      }
      this.#index += 1;
      if (byte === OBJECT || byte === LIST) depth += 1;
      else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
      if (depth === 0) return true;
    }
    return false;
  }

  /** Skips a number, `true`, `false` or `null`; it is known to be complete only if something follows it. */
  #word(): boolean {
    const from = this.at;
    for (let byte = this.#byte(); OF_WORD[byte] === true && this.at - from <= LONGEST_WORD; byte = this.#byte()) {
      this.#index += 1;
    }
    const length = this.at - from;
    return length > 0 && length <= LONGEST_WORD && AFTER_WORD[this.#byte()] === true;
  }
}
