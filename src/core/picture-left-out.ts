/** A JSON text without the data of pictures and documents in it: what is written in base64 leaves its size and its hash. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const PADDING = 0x3d;

/** A text is looked at so far, in bytes; a shorter one stays as it is. */
const HEAD = 4096;
/** Bytes of base64 that are decoded at once; of each four bytes three come. */
const DECODED = 64 * 1024;
/** From so many different characters on, what looks like base64 is no text that repeats itself. */
const VARIED = 24;

/** A data URL as far as its data, and what may begin base64; `\/` is how some programs write a slash. */
const DATA_URL = /^data:[\w.+-]*(?:\\?\/[\w.+-]+)?(?:;[\w.+-]+=[^;,"\\]*)*;base64,/;
const BASE64 = /^(?:[A-Za-z0-9+/_-]|\\[/nr])+$/;
/** For each byte whether it is one of base64. */
const OF_BASE64 = Array.from({ length: 256 }, (_, byte) => /[A-Za-z0-9+/_-]/.test(String.fromCharCode(byte)));
/** Characters that may follow a backslash in it: a slash, and the ends of lines. */
const ESCAPED = new Map([
  [0x2f, '/'],
  [0x6e, ''],
  [0x72, ''],
]);

const CUT = Buffer.from('… (cut off by ctx)');

/** A hash that takes its content piece by piece. */
export interface PieceHash {
  update: (bytes: Buffer) => unknown;
  digest: () => string;
}

/** Takes a JSON text in pieces, and gives what is kept of each; a piece is only used until `push` returns. */
export class PictureStripper {
  readonly #newHash: () => PieceHash;
  #out: Buffer[] = [];
  /** Bytes of the text that it is in, as far as it is not decided what they are; null elsewhere. */
  #head: number[] | null = null;
  /** True if it is in a text that is kept. */
  #isInText = false;
  #picture: Picture | null = null;
  #isEscaped = false;
  /** The last short text, and whether a colon came after it. */
  #last = '';
  #isKey = false;

  constructor(newHash: () => PieceHash) {
    this.#newHash = newHash;
  }

  push(piece: Buffer): Buffer {
    this.#out = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#picture) at = this.#inPicture(piece, at, this.#picture);
      else if (this.#head) at = this.#inHead(piece, at, this.#head);
      else if (this.#isInText) at = this.#inText(piece, at);
      else at = this.#outside(piece, at);
    }
    return Buffer.concat(this.#out);
  }

  #outside(piece: Buffer, from: number): number {
    const quote = piece.indexOf(QUOTE, from);
    const to = quote < 0 ? piece.length : quote + 1;
    const colon = piece.indexOf(COLON, from);
    if (colon >= 0 && colon < to) this.#isKey = true;
    if (quote >= 0) this.#head = [];
    this.#out.push(Buffer.from(piece.subarray(from, to)));
    return to;
  }

  #inHead(piece: Buffer, from: number, head: number[]): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (byte === QUOTE && !this.#isEscaped) {
        this.#endHead(head);
        return at;
      }
      this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      head.push(byte);
      // Never between a backslash and what belongs to it.
      if (head.length >= HEAD && !this.#isEscaped) {
        this.#decide(Buffer.from(head));
        return at + 1;
      }
    }
    return piece.length;
  }

  /** A text that is short stays; its quote is taken as one that ends a text. */
  #endHead(head: number[]): void {
    const bytes = Buffer.from(head);
    this.#last = bytes.toString('latin1', 0, 64);
    this.#isKey = false;
    this.#head = null;
    this.#isInText = true;
    this.#out.push(bytes);
  }

  #decide(head: Buffer): void {
    const text = head.toString('latin1');
    const [prefix = ''] = DATA_URL.exec(text) ?? [];
    const data = text.slice(prefix.length);
    const isData = prefix !== '' || (this.#isKey && this.#last === 'data') || new Set(data).size >= VARIED;
    this.#head = null;
    if (!isData || !BASE64.test(data)) {
      this.#isInText = true;
      this.#out.push(head);
    } else {
      this.#picture = new Picture(head, prefix, this.#newHash());
      this.#picture.take(head.subarray(prefix.length));
    }
    this.#isKey = false;
  }

  #inText(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (byte === QUOTE && !this.#isEscaped) {
        this.#isInText = false;
        this.#out.push(Buffer.from(piece.subarray(from, at + 1)));
        return at + 1;
      }
      this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    }
    this.#out.push(Buffer.from(piece.subarray(from)));
    return piece.length;
  }

  #inPicture(piece: Buffer, from: number, picture: Picture): number {
    let end = from;
    while (end < piece.length && (piece[end] !== QUOTE || this.#isEscaped)) {
      this.#isEscaped = piece[end] === BACKSLASH && !this.#isEscaped;
      end += 1;
    }
    picture.take(piece.subarray(from, end));
    if (end === piece.length) return end;
    this.#out.push(picture.end());
    this.#picture = null;
    // The quote that ends it is kept.
    this.#isInText = true;
    return end;
  }
}

/** The data of a picture as it comes. */
class Picture {
  readonly #head: Buffer;
  readonly #prefix: string;
  readonly #hash: PieceHash;
  /** Characters that are not decoded yet. */
  #held = '';
  #bytes = 0;
  #isEscaped = false;
  #isPadded = false;
  /** True if all of it is base64. */
  #isPure = true;

  constructor(head: Buffer, prefix: string, hash: PieceHash) {
    this.#head = head;
    this.#prefix = prefix;
    this.#hash = hash;
  }

  take(part: Buffer): void {
    let from = 0;
    for (let at = 0; at < part.length && this.#isPure; at += 1) {
      const byte = part[at] as number;
      if (OF_BASE64[byte] && !this.#isEscaped && !this.#isPadded) continue;
      this.#hold(part.toString('latin1', from, at));
      from = at + 1;
      this.#odd(byte);
    }
    if (this.#isPure) this.#hold(part.toString('latin1', from));
  }

  /** Takes what is no character of base64 as it is. */
  #odd(byte: number): void {
    if (this.#isEscaped) {
      const meant = this.#isPadded && byte === 0x2f ? undefined : ESCAPED.get(byte);
      this.#isEscaped = false;
      if (meant === undefined) this.#isPure = false;
      else this.#hold(meant);
    } else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === PADDING) this.#isPadded = true;
    else this.#isPure = false;
  }

  #hold(text: string): void {
    this.#held += text;
    if (this.#held.length < DECODED) return;
    const whole = this.#held.length - (this.#held.length % 4);
    this.#decode(this.#held.slice(0, whole));
    this.#held = this.#held.slice(whole);
  }

  #decode(text: string): void {
    const bytes = Buffer.from(text, 'base64');
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Ends the picture, and returns its kept part: of a text that was none after all, its beginning. */
  end(): Buffer {
    if (!this.#isPure) return Buffer.concat([this.#head, CUT]);
    this.#decode(this.#held);
    return Buffer.from(`${this.#prefix}[${this.#bytes} bytes left out by ctx, sha256 ${this.#hash.digest()}]`);
  }
}
