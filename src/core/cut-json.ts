/** A JSON text that is too long to be held: it stays JSON, its longest texts lose their ends, and long lists and objects theirs. */
import { safeEnd } from './safe-end.ts';
import { TextEnd } from './text-end.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const WORDS = '… (cut off by ctx)';
/** Marks the place at which a text was cut off, and replaces what a list or an object has beyond the limits. */
const CUT = Buffer.from(WORDS);
const CUT_LIST = Buffer.from(`,"${WORDS}"`);
const CUT_OBJECT = Buffer.from(`,"${WORDS}":true`);

/** So many bytes before a cut are held back until it is known whether the text is cut: a secret may lie across the cut. */
const HELD_BACK = 4096;

export interface CutLimits {
  /** Most bytes of one text, as they are written; a text that is cut loses what may be the beginning of a secret as well. */
  text: number;
  /** Beyond so many bytes in all, the texts that follow are held to `later`. */
  all: number;
  later: number;
  /** Beyond so many values or bytes in all, what is left of each list and object is left out, except that a value of the outermost one has a little. */
  values: number;
  most: number;
}

/** Least part of a value of the outermost one, in values and in bytes. */
const LEAST_VALUES = 1000;
const LEAST_BYTES = 64 * 1024;
/** Factor by which the outermost value may have more bytes than all others. */
const OUTERMOST = 4;

/** Takes a JSON text in pieces, and gives what is kept of each. Keys are texts like any other. */
export class JsonCutter {
  readonly #limits: CutLimits;
  /** Up to how many values and bytes lists and objects are kept just now. */
  #values: number;
  #most: number;
  #keptBytes = 0;
  #keptValues = 0;
  /** Of the outermost value. */
  #ownValues = 0;
  /** True if each open list or object is a list; of those that are left out none is here. */
  readonly #open: boolean[] = [];
  #begun = false;
  /** Number of lists and objects that are open within the one whose end is looked for; null if nothing is left out. */
  #left: number | null = null;
  /** Bytes of the text that it is in; null outside of one. */
  #length: number | null = null;
  /** Most bytes of that text. */
  #limit = 0;
  /** The last bytes of that text before its limit; null before they begin. */
  #held: Buffer[] | null = null;
  /** Bytes that still belong to an escape. */
  #escape = 0;
  /** True if what comes of a text is left out. */
  #drops = false;
  readonly #textEnd = new TextEnd();

  constructor(limits: CutLimits) {
    this.#limits = limits;
    this.#values = limits.values;
    this.#most = limits.most;
  }

  /** Checks if the outermost object or list has come to its end. */
  get isWhole(): boolean {
    return this.#begun && this.#open.length === 0;
  }

  push(piece: Buffer): Buffer {
    const kept: Buffer[] = [];
    const keep = (bytes: Buffer): void => {
      if (bytes.length > 0) kept.push(bytes);
      this.#keptBytes += bytes.length;
    };
    const keepHeld = (): void => {
      for (const bytes of this.#held ?? []) keep(bytes);
      this.#held = null;
    };
    let from = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#drops || this.#left !== null) {
        at = this.#drops ? this.#afterText(piece, at) : this.#afterRest(piece, at);
        from = at;
      } else if (this.#length !== null) {
        const step = this.#inside(piece[at] as number);
        if (step === 'cut') {
          const held = Buffer.concat([...(this.#held ?? []), piece.subarray(from, at)]);
          this.#held = null;
          keep(held.subarray(0, safeEnd(held)));
          keep(CUT);
        } else if (step === 'hold') {
          keep(piece.subarray(from, at));
          this.#held = [];
          from = at;
        } else {
          if (step === 'end') keepHeld();
          at += 1;
        }
      } else if (this.#isFull(piece[at] as number, at - from)) {
        keep(piece.subarray(from, at));
        keep(this.#open.at(-1) ? CUT_LIST : CUT_OBJECT);
        this.#left = 0;
      } else {
        this.#outside(piece[at] as number, at - from);
        at += 1;
      }
    }
    // The piece is only valid until this returns.
    if (this.#held !== null) this.#held.push(Buffer.from(piece.subarray(from)));
    else if (!this.#drops && this.#left === null) keep(piece.subarray(from));
    return Buffer.concat(kept);
  }

  #outside(byte: number, pending: number): void {
    if (byte === QUOTE) {
      const { text, all, later } = this.#limits;
      this.#length = 0;
      this.#limit = this.#keptBytes + pending + 1 > all ? later : text;
    } else if (byte === OBJECT || byte === LIST) {
      this.#open.push(byte === LIST);
      this.#begun = true;
      this.#keptValues += 1;
    } else if (byte === OBJECT_END || byte === LIST_END) this.#open.pop();
    else if (byte === COMMA) {
      this.#keptValues += 1;
      if (this.#open.length !== 1) return;
      this.#ownValues += 1;
      this.#makeRoom(this.#keptBytes + pending);
    }
  }

  /** For a value of the outermost one: what comes before it may have taken all the room. */
  #makeRoom(bytes: number): void {
    this.#values = Math.max(this.#values, this.#keptValues + LEAST_VALUES);
    this.#most = Math.max(this.#most, bytes + LEAST_BYTES);
  }

  /** Checks if what comes behind a comma is left out. The outermost value has as many of its own. */
  #isFull(byte: number, pending: number): boolean {
    if (byte !== COMMA) return false;
    const bytes = this.#keptBytes + pending;
    if (this.#open.length > 1) return this.#keptValues >= this.#values || bytes >= this.#most;
    const { values, most } = this.#limits;
    return this.#open.length === 1 && (this.#ownValues >= values || bytes >= OUTERMOST * most);
  }

  /** Continues in the rest of a text that is left out. @returns the place of its quote, or the end of the piece */
  #afterText(piece: Buffer, from: number): number {
    const end = this.#textEnd.find(piece, from);
    if (end < 0) return piece.length;
    this.#drops = false;
    if (this.#left !== null) return end + 1;
    this.#escape = 0;
    return end;
  }

  /** Continues in the rest of a list or an object that is left out. @returns the place of its bracket, or the end of the piece */
  #afterRest(piece: Buffer, from: number): number {
    let left = this.#left ?? 0;
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (byte === QUOTE) {
        this.#left = left;
        this.#drops = true;
        return at + 1;
      }
      if (byte === OBJECT || byte === LIST) left += 1;
      else if (byte === OBJECT_END || byte === LIST_END) {
        if (left === 0) {
          this.#left = null;
          return at;
        }
        left -= 1;
      }
    }
    this.#left = left;
    return piece.length;
  }

  /** Takes a byte of a text; it is left to take when the text is cut off before it, or held back from it on. */
  #inside(byte: number): 'cut' | 'hold' | 'end' | 'in' {
    const length = this.#length ?? 0;
    if (this.#escape > 0) {
      this.#length = length + 1;
      // `\u` has four digits behind it.
      this.#escape = this.#escape === 1 && byte === 0x75 ? 4 : this.#escape - 1;
      return 'in';
    }
    if (byte === QUOTE) {
      this.#length = null;
      return 'end';
    }
    // Never between the bytes of one character.
    const isWholeBefore = (byte & 0xc0) !== 0x80;
    this.#drops = length >= this.#limit && isWholeBefore;
    if (this.#drops) return 'cut';
    if (this.#held === null && isWholeBefore && length >= this.#limit - HELD_BACK) return 'hold';
    this.#length = length + 1;
    if (byte === BACKSLASH) this.#escape = 1;
    return 'in';
  }
}
