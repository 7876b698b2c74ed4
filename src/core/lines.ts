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
  /** Whether it holds bytes that are no UTF-8: U+FFFD stands for each row of them. Absent where it does not. */
  isMalformed?: true;
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
    const bytes = length > LINE_LIMIT ? null : held.length === 0 ? part : Buffer.concat([...held, part]);
    const whole = bytes && textOf(bytes);
    offset += length + (complete ? 1 : 0);
    const text = whole !== null && number === 1 && whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
    const malformed = bytes && whole && isMalformed(bytes, whole) ? { isMalformed: true as const } : {};
    const line: Line = { text, number, end: offset, complete, ...malformed };
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

/** Whether bytes are none that a text is written as. The sign that stands for them may be in a text by itself. */
function isMalformed(bytes: Buffer, text: string): boolean {
  if (!text.includes('\ufffd')) return false;
  const encoded = Buffer.from(text);
  return !bytes.subarray(0, encoded.length).equals(encoded);
}

function textOf(bytes: Buffer): string {
  const end = bytes.length > 0 && bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length;
  return bytes.toString('utf8', 0, end);
}
