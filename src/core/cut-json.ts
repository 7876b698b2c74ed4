/** A JSON text that is too long to be held: it stays JSON, and its longest texts lose their ends. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What stands where a text was cut off. */
const CUT = Buffer.from('… (cut off by ctx)');

export interface CutLimits {
  /** Most bytes of one text, as they are written. */
  text: number;
  /** Beyond so many bytes in all, the texts that follow are held to `later`. */
  all: number;
  later: number;
}

/** Takes a JSON text in pieces, and gives what is kept of each. Keys are texts like any other. */
export class JsonCutter {
  readonly #limits: CutLimits;
  #kept = 0;
  #depth = 0;
  #begun = false;
  /** Bytes of the text that it is in; null outside of one. */
  #length: number | null = null;
  /** Bytes that still belong to an escape. */
  #escape = 0;
  #drops = false;

  constructor(limits: CutLimits) {
    this.#limits = limits;
  }

  /** Whether the outermost object or list has come to its end. */
  get isWhole(): boolean {
    return this.#begun && this.#depth === 0;
  }

  push(piece: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (this.#length === null) {
        this.#outside(byte);
        continue;
      }
      if (this.#inside(byte)) {
        kept.push(piece.subarray(from, at), CUT);
        from = piece.length;
      }
      if (this.#isIn || !this.#drops) continue;
      // The quote that ends what was cut off.
      this.#drops = false;
      from = at;
    }
    if (!this.#drops) kept.push(piece.subarray(from));
    const whole = Buffer.concat(kept);
    this.#kept += whole.length;
    return whole;
  }

  get #isIn(): boolean {
    return this.#length !== null;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) this.#length = 0;
    else if (byte === 0x7b || byte === 0x5b) {
      this.#depth += 1;
      this.#begun = true;
    } else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1;
  }

  /** Takes a byte of a text; true where the text is cut off before it. */
  #inside(byte: number): boolean {
    const length = this.#length ?? 0;
    this.#length = length + 1;
    if (this.#escape > 0) {
      // `\u` has four digits behind it.
      this.#escape = this.#escape === 1 && byte === 0x75 ? 4 : this.#escape - 1;
      return false;
    }
    if (byte === QUOTE) {
      this.#length = null;
      return false;
    }
    const { text, all, later } = this.#limits;
    // Never between the bytes of one character.
    const isCut = !this.#drops && length >= (this.#kept > all ? later : text) && (byte & 0xc0) !== 0x80;
    if (byte === BACKSLASH) this.#escape = 1;
    if (isCut) this.#drops = true;
    return isCut;
  }
}
