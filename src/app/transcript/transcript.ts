/** Reads a transcript's bytes: detects whether it only grew, and yields its lines with a running hash. */
import { holdsWholeObjects } from '../../agents/shared/lines.ts';
import { parseJson } from '../../core/json.ts';
import type { Line } from '../../core/lines.ts';
import type { Source } from '../../core/session/session.ts';
import { RunningHash } from '../../platform/hash.ts';
import { transcriptLines } from './lines.ts';
import { hashOf, type TranscriptText } from './text.ts';

const LINE_FEED = 0x0a;

type ReadRange = Pick<Source, 'offset' | 'sha256' | 'hash_from'>;

/** Change of the part of a transcript that was read before. */
export type Rewriting = 'rewritten' | 'shortened';

/** Returns how the part that was read before has changed; null if it has not. */
export function rewritingOf(text: TranscriptText, source: ReadRange): Rewriting | null {
  if (isShorter(text, source)) return 'shortened';
  return isUnchanged(text, source) ? null : 'rewritten';
}

/** Returns whether the part of a transcript that was read before is unchanged, by its hash. */
export function isUnchanged(text: TranscriptText, source: ReadRange): boolean {
  if (text.isTail) return true;
  return !isShorter(text, source) && hashOf(text, source.hash_from ?? 0, source.offset) === source.sha256;
}

/**
 * Returns whether a transcript ends before the position that was read. At position 0 its size is not asked for, since
 * that converts all of a document.
 */
const isShorter = (text: TranscriptText, { offset }: ReadRange): boolean =>
  offset > 0 && !text.isTail && text.size() < offset;

/** A position in a transcript. */
export interface Position {
  offset: number;
  lines: number;
  sha256: string;
  /** True if its last line is unfinished. */
  incomplete: boolean;
}

/** Yields the lines of a transcript from a position on, and knows the position after them. */
export class TranscriptLines implements Iterable<Line> {
  readonly #text: TranscriptText;
  readonly #from: Pick<Source, 'offset' | 'lines'>;
  /** The hash up to the last unfinished line. */
  #hash = new RunningHash('sha256');
  /** The same with the bytes of that line so far: it may have any length, so it is never held. */
  #ahead = this.#hash;
  #position: Position;

  constructor(text: TranscriptText, from: Pick<Source, 'offset' | 'lines'>) {
    this.#text = text;
    this.#from = from;
    this.#position = { ...from, sha256: '', incomplete: false };
  }

  /** The position after the lines that were taken. */
  get position(): Position {
    return { ...this.#position, sha256: this.#hash.digest() };
  }

  *[Symbol.iterator](): Generator<Line> {
    this.#hashBefore();
    for (const line of transcriptLines(this.#watched(), this.#from.lines + 1, this.#from.offset)) {
      if (!line.complete) {
        // A line without a line feed may still be written: it counts only if its content is complete.
        if (!isWhole(line.text)) {
          this.#position.incomplete = true;
          return;
        }
        this.#hash = this.#ahead;
      }
      this.#position.offset = line.end;
      // A line without a line feed is continued, at the same number, when the file has grown.
      this.#position.lines = line.complete ? line.number : line.number - 1;
      if (line.text === '' && line.number === this.#from.lines + 1 && this.#from.offset > 0) continue;
      yield line;
    }
  }

  #hashBefore(): void {
    let left = this.#from.offset;
    if (left === 0 || this.#text.isTail) return;
    for (const piece of this.#text.pieces(0)) {
      this.#hash.update(piece.subarray(0, Math.min(left, piece.length)));
      left -= piece.length;
      if (left <= 0) return;
    }
  }

  *#watched(): Generator<Buffer> {
    for (const piece of this.#text.pieces(this.#from.offset)) {
      const end = piece.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) this.#hash = this.#ahead.update(piece.subarray(0, end));
      if (end > 0 || this.#ahead === this.#hash) this.#ahead = this.#hash.copy();
      this.#ahead.update(piece.subarray(end));
      yield piece;
    }
  }
}

/** Returns whether the text of a line is complete; several objects on a line are read one by one, on any line. */
const isWhole = (text: string | null): boolean => text !== null && (isWholeJson(text) || holdsWholeObjects(text));

function isWholeJson(text: string): boolean {
  try {
    return typeof parseJson(text) === 'object';
  } catch {
    return false;
  }
}
