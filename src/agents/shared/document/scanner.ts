/** Goes through the bytes of a JSON document and tells where its values lie; none of them is held. */

/** Where something lies, in bytes; `to` is behind its last one. */
export interface Span {
  from: number;
  to: number;
}

/** A value that is next: where it begins, and where it ends; null where it does not end. */
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

/** For each byte whether it is one of these. */
const among = (signs: RegExp): boolean[] =>
  Array.from({ length: 256 }, (_, byte) => signs.test(String.fromCharCode(byte)));
// By bytes, not by characters: no byte above 0x7f is one of them.
const WHITE = among(/[\t-\r ]/);
const BETWEEN = among(/[\t-\r ,:]/);
const OF_WORD = among(/[\w.+-]/);
const AFTER_WORD = among(/[\t-\r ,\]}]/);

export class Scanner {
  readonly #pieces: Iterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  #index = 0;
  /** Where the piece begins. */
  #base = 0;

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
    for (const byte of BYTE_ORDER_MARK) if (this.#byte() === byte) this.#index += 1;
  }

  /** Where it stands. */
  get at(): number {
    return this.#base + this.#index;
  }

  /** Lets go of what the pieces are read from. */
  close(): void {
    this.#pieces.return?.();
  }

  /** The sign of the value or the bracket that is next; empty at the end. */
  get next(): string {
    this.#skip(BETWEEN);
    const byte = this.#byte();
    return byte < 0 ? '' : String.fromCharCode(byte);
  }

  /** Goes on to what is no white space. */
  skipWhite(): void {
    this.#skip(WHITE);
  }

  /** Takes this sign, if it is next. */
  takes(sign: string): boolean {
    if (this.next !== sign) return false;
    this.#index += 1;
    return true;
  }

  /** Goes through the value that is next. */
  value(): Found {
    this.#skip(BETWEEN);
    const from = this.at;
    const first = this.#byte();
    const ends = first === OBJECT || first === LIST ? this.#nested() : first === QUOTE ? this.#quoted() : this.#word();
    return { from, to: ends ? this.at : null };
  }

  /** The byte that is next; -1 at the end. */
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

  /** A number, `true`, `false` or `null`: only where something comes after it is it known to be whole. */
  #word(): boolean {
    const from = this.at;
    for (let byte = this.#byte(); OF_WORD[byte] === true && this.at - from <= LONGEST_WORD; byte = this.#byte()) {
      this.#index += 1;
    }
    const length = this.at - from;
    return length > 0 && length <= LONGEST_WORD && AFTER_WORD[this.#byte()] === true;
  }
}
