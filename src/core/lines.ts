/** Lines of a stream of bytes: split on line feeds only, bounded in length, with byte offsets. */

/** Longest line that is read, in bytes; a longer one is told, not held. */
export const LINE_LIMIT = 16 * 1024 * 1024;

export interface Line {
  /** Without its line feed and a carriage return before it; null where it is longer than LINE_LIMIT. */
  text: string | null;
  /** From 1. */
  number: number;
  /** Byte offset behind the line and its line feed. */
  end: number;
  /** Whether a line feed ended it; only the last line may lack one. */
  complete: boolean;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** Splits pieces of bytes into lines; a piece need only be valid until the next is asked for. */
export function* readLines(pieces: Iterable<Buffer>, firstNumber = 1, start = 0): Generator<Line> {
  let number = firstNumber;
  let offset = start;
  let held: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer, complete: boolean): Line => {
    length += part.length;
    const whole = length > LINE_LIMIT ? null : textOf(held.length === 0 ? part : Buffer.concat([...held, part]));
    offset += length + (complete ? 1 : 0);
    const text = whole !== null && number === 1 && whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
    const line: Line = { text, number, end: offset, complete };
    number += 1;
    held = [];
    length = 0;
    return line;
  };
  for (const piece of pieces) {
    let at = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, at)) {
      yield take(piece.subarray(at, end), true);
      at = end + 1;
    }
    const rest = piece.subarray(at);
    // Beyond the limit only the length is of interest.
    if (length + rest.length <= LINE_LIMIT) held.push(Buffer.from(rest));
    else held = [];
    length += rest.length;
  }
  if (length > 0) {
    const last = Buffer.concat(held);
    length -= last.length;
    held = [];
    yield take(last, false);
  }
}

function textOf(bytes: Buffer): string {
  const end = bytes.length > 0 && bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length;
  return bytes.toString('utf8', 0, end);
}
