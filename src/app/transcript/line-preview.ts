/** Previews the lines at the beginning of a file to recognise it: short lines whole, of long ones a sketch. */
import { JsonSketch } from '../../core/json-sketch.ts';

/** Most lines that are previewed, and most bytes in all, of which a long line counts only some. */
const LINES = 1024;
const COUNTED = 8 * 1024 * 1024;
const COUNTED_OF_ONE = 16 * 1024;
/** Most bytes that are read, even of one line. */
const MOST_READ = 128 * 1024 * 1024;
/** Longest line that is held, in bytes; and how much of the beginning of a longer one is given. */
const HELD = 256 * 1024;
const BEGINNING = 4096;

const [LINE_FEED, BLANK, OBJECT] = [0x0a, 0x20, 0x7b];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Previews the lines of pieces of bytes; each line is only valid until the next one is asked for.
 * @param most bytes of all lines that are previewed
 */
export function* previewLines(pieces: Iterable<Buffer>, most = COUNTED): Generator<PreviewedLine> {
  let line = new PreviewedLine(1, 0, true);
  let counted = 0;
  for (const piece of pieces) {
    let start = 0;
    for (let feed = piece.indexOf(LINE_FEED); feed >= 0; feed = piece.indexOf(LINE_FEED, start)) {
      line.take(piece.subarray(start, feed));
      yield line;
      counted += Math.min(line.size + 1, COUNTED_OF_ONE);
      if (line.number === LINES || counted >= most) return;
      line = new PreviewedLine(line.number + 1, line.at + line.size + 1, line.isFirst && line.isBlank);
      start = feed + 1;
    }
    line.take(piece.subarray(start), true);
    if (line.at + line.size >= MOST_READ) break;
  }
  yield line;
}

/** A line that arrives in parts. */
export class PreviewedLine {
  /** From 1. */
  readonly number: number;
  /** Byte offset of its beginning. */
  readonly at: number;
  /** True if everything before it is blank. */
  readonly isFirst: boolean;
  size = 0;
  isBlank = true;
  /** All of it, while it is short. */
  #held: Buffer[] = [];
  #isLong = false;
  /** The sketch of a long line that begins with an object. */
  #sketch: JsonSketch | null = null;
  #beginning = '';

  constructor(number: number, at: number, isFirst: boolean) {
    this.number = number;
    this.at = at;
    this.isFirst = isFirst;
  }

  /** Checks if there may be an object on the line. */
  get hasObject(): boolean {
    return this.#sketch !== null || this.#held.some((part) => part.includes(OBJECT));
  }

  /** Checks if the object on the line is complete, as far as a sketch shows; true of any short line. */
  get isWhole(): boolean {
    return this.#sketch?.isOver ?? true;
  }

  /** The beginning of a long line; null if `text` is all of it. */
  get beginning(): string | null {
    return this.#isLong ? this.#beginning : null;
  }

  /** The line itself, or the sketch of a long line's first object; empty if it begins with none. */
  get text(): string {
    const text = this.#sketch?.text ?? Buffer.concat(this.#held).toString('utf8');
    return this.number === 1 ? text.replace(/^\ufeff/, '') : text;
  }

  /** Appends a part. @param goesOn whether more of it may come, and the part is only valid until then */
  take(part: Buffer, goesOn = false): void {
    this.size += part.length;
    this.isBlank &&= firstSign(part) < 0;
    if (this.#isLong) {
      if (this.#sketch?.isOver === false) this.#sketch.write(part);
      return;
    }
    this.#held.push(goesOn ? Buffer.from(part) : part);
    if (this.size > HELD) this.#becomeLong();
  }

  #becomeLong(): void {
    const bytes = Buffer.concat(this.#held);
    const from = firstSign(bytes);
    this.#held = [];
    this.#isLong = true;
    if (bytes[from] !== OBJECT) return;
    this.#sketch = new JsonSketch();
    this.#sketch.write(bytes.subarray(from));
    this.#beginning = bytes.toString('utf8', from, from + BEGINNING);
  }
}

/** Returns the offset of the first byte that is not blank; -1 if there is none. */
function firstSign(bytes: Buffer): number {
  const mark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length)) ? BYTE_ORDER_MARK.length : 0;
  for (let at = mark; at < bytes.length; at += 1) if ((bytes[at] as number) > BLANK) return at;
  return -1;
}
