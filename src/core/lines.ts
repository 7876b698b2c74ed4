/** Lines of a stream of bytes: split on line feeds only, bounded in length, with byte offsets. */

/** Longest line that is held, in bytes; a longer one is shortened, or left out. */
export const LINE_LIMIT = 16 * 1024 * 1024;

export interface Line {
  /** Without its line feed and a carriage return before it; null if it is longer than LINE_LIMIT and was not shortened. */
  text: string | null;
  /** From 1. */
  number: number;
  /** Byte offset behind the line and its line feed. */
  end: number;
  /** True if a line feed ended it; only the last line may lack one. */
  complete: boolean;
  /** True if the line has bytes that are no UTF-8: U+FFFD replaces each run of them. Absent if it has none. */
  isMalformed?: true;
  /** True if it is longer than LINE_LIMIT, and something of it is missing. Absent if it is not. */
  isShortened?: true;
}

/** The kept part of a line that is longer than LINE_LIMIT, taken in pieces. */
export interface Shortener {
  push: (piece: Buffer) => void;
  /** Null if nothing is. */
  end: () => Buffer | null;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Splits pieces of bytes into lines; a piece need only be valid until the next is asked for.
 * @param shortener makes one for each line that is too long; such lines are left out where it is absent
 */
export function* readLines(
  pieces: Iterable<Buffer>,
  firstNumber = 1,
  start = 0,
  shortener?: () => Shortener,
): Generator<Line> {
  let number = firstNumber;
  let offset = start;
  let parts = new LineParts(shortener);
  const take = (complete: boolean): Line => {
    offset += parts.length + (complete ? 1 : 0);
    const line = { number, end: offset, complete, ...parts.text(number === 1) };
    number += 1;
    parts = new LineParts(shortener);
    return line;
  };
  for (const piece of pieces) {
    let at = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, at)) {
      parts.last(piece.subarray(at, end));
      yield take(true);
      at = end + 1;
    }
    parts.push(piece.subarray(at));
  }
  if (parts.length > 0) yield take(false);
}

/** A line as it comes. */
class LineParts {
  length = 0;
  readonly #shortener: (() => Shortener) | undefined;
  #held: Buffer[] = [];
  /** Of a line that is too long; null if it is not, or none shortens it. */
  #short: Shortener | null = null;

  constructor(shortener: (() => Shortener) | undefined) {
    this.#shortener = shortener;
  }

  /** Takes a part that is only valid now. */
  push(part: Buffer): void {
    this.#take(part, () => Buffer.from(part));
  }

  /** Takes the part that ends the line: it is valid until the line is through. */
  last(part: Buffer): void {
    this.#take(part, () => part);
  }

  #take(part: Buffer, kept: () => Buffer): void {
    if (part.length === 0) return;
    const before = this.length;
    this.length += part.length;
    if (this.length <= LINE_LIMIT) this.#held.push(kept());
    else {
      if (before <= LINE_LIMIT) this.#becomeLong();
      this.#short?.push(part);
    }
  }

  /** Beyond the limit, only the length matters to a caller that does not shorten. */
  #becomeLong(): void {
    this.#short = this.#shortener?.() ?? null;
    for (const held of this.#held) this.#short?.push(held);
    this.#held = [];
  }

  text(isFirst: boolean): Pick<Line, 'text' | 'isMalformed' | 'isShortened'> {
    const isLong = this.length > LINE_LIMIT;
    const [only, other] = this.#held;
    const bytes = isLong ? (this.#short?.end() ?? null) : only && !other ? only : Buffer.concat(this.#held);
    if (bytes === null) return { text: null };
    const whole = textOf(bytes);
    const text = isFirst && whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
    return {
      text,
      ...(isMalformed(bytes, whole) && { isMalformed: true as const }),
      ...(isLong && { isShortened: true as const }),
    };
  }
}

/** Returns whether bytes are no UTF-8. A valid text may have U+FFFD itself, so that the bytes are compared. */
function isMalformed(bytes: Buffer, text: string): boolean {
  if (!text.includes('\ufffd')) return false;
  const encoded = Buffer.from(text);
  return !bytes.subarray(0, encoded.length).equals(encoded);
}

function textOf(bytes: Buffer): string {
  const end = bytes.length > 0 && bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length;
  return bytes.toString('utf8', 0, end);
}
