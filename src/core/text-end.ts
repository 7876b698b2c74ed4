/** Finds the end of a text of a JSON that comes in pieces: at the first quote that no backslash escapes. */

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Looks for the end of one text after the other. */
export class TextEnd {
  /** True if the next byte belongs to an escape. */
  isEscaped = false;

  /** The place of the quote that ends the text; -1 if it is not in the piece. */
  find(piece: Buffer, from: number): number {
    let start = from;
    for (let end = piece.indexOf(QUOTE, from); end >= 0; end = piece.indexOf(QUOTE, end + 1)) {
      const escaped = this.#isEscapedAt(piece, start, end);
      this.isEscaped = false;
      if (!escaped) return end;
      start = end + 1;
    }
    this.isEscaped = this.#isEscapedAt(piece, start, piece.length);
    return -1;
  }

  /** Checks if the byte at a place belongs to an escape, by the backslashes before it. */
  #isEscapedAt(piece: Buffer, start: number, at: number): boolean {
    let before = at - 1;
    while (before >= start && piece[before] === BACKSLASH) before -= 1;
    const isOdd = (at - 1 - before) % 2 === 1;
    // They continue the piece before.
    return before < start ? isOdd !== this.isEscaped : isOdd;
  }
}
