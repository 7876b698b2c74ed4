/** A JSON text of any length as a short one: long texts are empty in it, and of deep values and long lists a part is there. */

import { TextEnd } from './text-end.ts';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BLANK = 0x20;

/** Most bytes of the short text, of those in it that values deep down take, and those that are left for its end. */
const ROOM = 64 * 1024;
const ROOM_BELOW = 48 * 1024;
const ROOM_AT_END = 64;
/** Longest text that is kept, in bytes. */
const LONGEST = 512;
/** Deepest value whose own values are kept, and how many of one below the outermost. */
const DEEPEST = 6;
const MOST = 64;

/** A value that is open and kept. */
interface Open {
  isList: boolean;
  /** Number of values of it that are kept. */
  count: number;
  /** True if the colon behind its last key is there. */
  hasColon: boolean;
}

/** Takes a JSON text in pieces. What is no JSON gives some text that is none either, or one that is cut off. */
export class JsonSketch {
  readonly #out = Buffer.allocUnsafe(ROOM);
  #length = 0;
  /** The values that are open and kept; of a value that is not kept no other one is. */
  readonly #open: Open[] = [];
  #depth = 0;
  #begun = false;
  /** True if the next value or key is one of the innermost value that is kept. */
  #isNext = true;
  /** True if the value that it is in is left out. */
  #skips = false;
  /** Treatment of the text that it is in; null outside of one. */
  #quoted: 'kept' | 'emptied' | 'left out' | null = null;
  /** Position of its beginning in the kept text. */
  #textAt = 0;
  readonly #textEnd = new TextEnd();

  /** Checks if the outermost value has come to its end. */
  get isOver(): boolean {
    return this.#begun && this.#depth === 0;
  }

  /** The short text, with an end if it has none yet. */
  get text(): string {
    const inText = this.#quoted === null || this.#quoted === 'left out' ? '' : '"';
    const half = this.#quoted === 'kept' && this.#textEnd.isEscaped ? 1 : 0;
    const kept = this.#out.toString('utf8', 0, this.#length - half);
    const inner = this.#open.at(-1);
    const isKey = inner !== undefined && !inner.isList && inner.count > 0 && !inner.hasColon;
    const value = isKey ? ':null' : kept.endsWith(':') && inText === '' ? 'null' : '';
    const ends = this.#open.map(({ isList }) => (isList ? ']' : '}')).reverse();
    return kept + inText + value + ends.join('');
  }

  /** @returns how many bytes were taken: all of them, or those up to the end of the outermost value */
  write(piece: Buffer): number {
    for (let at = 0; at < piece.length; ) {
      if (this.#quoted !== null) at = this.#inText(piece, at);
      else {
        this.#take(piece[at] as number);
        at += 1;
        if (this.#depth === 0 && this.#begun) return at;
      }
    }
    return piece.length;
  }

  #take(byte: number): void {
    if (byte <= BLANK) return;
    if (byte === QUOTE) this.#beginText();
    else if (byte === COMMA) this.#next();
    else if (byte === COLON) this.#colon();
    else if (byte === OBJECT || byte === LIST) this.#enter(byte);
    else if (byte === OBJECT_END || byte === LIST_END) this.#leave(byte);
    else if (this.#isKept()) this.#put(byte);
  }

  /** Checks if what comes next is kept; decides that at the beginning of a value or a key. */
  #isKept(): boolean {
    if (!this.#isNext) return !this.#skips;
    this.#isNext = false;
    const inner = this.#open.at(-1);
    if (!inner) return true;
    const isOutermost = this.#depth === 1;
    const hasRoom = this.#length < (isOutermost ? ROOM - 2 * LONGEST : ROOM_BELOW);
    this.#skips = !hasRoom || this.#depth > DEEPEST || (!isOutermost && inner.count >= MOST);
    if (this.#skips) return false;
    if (inner.count > 0) this.#put(COMMA);
    inner.count += 1;
    inner.hasColon = false;
    return true;
  }

  #next(): void {
    if (this.#depth !== this.#open.length) return;
    this.#isNext = true;
    this.#skips = false;
  }

  #colon(): void {
    const inner = this.#open.at(-1);
    if (this.#depth !== this.#open.length || this.#skips || !inner) return;
    this.#put(COLON);
    inner.hasColon = true;
  }

  #enter(byte: number): void {
    this.#begun = true;
    const isKept = this.#isKept();
    this.#depth += 1;
    if (!isKept) return;
    this.#put(byte);
    this.#open.push({ isList: byte === LIST, count: 0, hasColon: false });
    this.#isNext = true;
  }

  #leave(byte: number): void {
    if (this.#depth === this.#open.length) {
      this.#open.pop();
      this.#out[this.#length] = byte;
      this.#length += 1;
      this.#isNext = false;
      this.#skips = false;
    }
    this.#depth -= 1;
  }

  #put(byte: number): void {
    if (this.#length >= ROOM - ROOM_AT_END) return;
    this.#out[this.#length] = byte;
    this.#length += 1;
  }

  #beginText(): void {
    const isKept = this.#isKept();
    if (isKept) this.#put(QUOTE);
    this.#quoted = isKept ? 'kept' : 'left out';
    this.#textAt = this.#length;
  }

  /** Continues in a text up to its end, or the end of the piece. @returns that place */
  #inText(piece: Buffer, from: number): number {
    const end = this.#textEnd.find(piece, from);
    const to = end < 0 ? piece.length : end;
    if (this.#quoted === 'kept') this.#keepText(piece.subarray(from, to));
    if (end < 0) return to;
    if (this.#quoted !== 'left out') this.#put(QUOTE);
    this.#quoted = null;
    return to + 1;
  }

  #keepText(part: Buffer): void {
    const room = Math.min(this.#textAt + LONGEST, ROOM - ROOM_AT_END) - this.#length;
    if (part.length <= room) this.#length += part.copy(this.#out, this.#length);
    else {
      // Half of a text may end in half of a sign, or of an escape: none of it is kept.
      this.#length = this.#textAt;
      this.#quoted = 'emptied';
    }
  }
}
