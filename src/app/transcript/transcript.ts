/** Reading a transcript's bytes: whether it only grew, and its lines with a running hash. */
import { holdsWholeObjects } from '../../agents/shared/lines.ts';
import { parseJson } from '../../core/json.ts';
import type { Line } from '../../core/lines.ts';
import type { Source } from '../../core/session/session.ts';
import { RunningHash } from '../../platform/hash.ts';
import { transcriptLines } from './lines.ts';
import { hashOf, type TranscriptText } from './text.ts';

const LINE_FEED = 0x0a;

type ReadPart = Pick<Source, 'offset' | 'sha256' | 'hash_from'>;

/** What has become of the part of a transcript that was read before. */
export type Rewriting = 'rewritten' | 'shortened';

/** How that part has changed; null where it stands as it was. */
export function rewritingOf(text: TranscriptText, source: ReadPart): Rewriting | null {
  if (isShorter(text, source)) return 'shortened';
  return stillStands(text, source) ? null : 'rewritten';
}

/** Whether the part of a transcript that was read before still stands there as it was, as far as its hash tells. */
export function stillStands(text: TranscriptText, source: ReadPart): boolean {
  return !isShorter(text, source) && hashOf(text, source.hash_from ?? 0, source.offset) === source.sha256;
}

/** Whether a transcript ends before what was read of it. One of which nothing was is not asked: a document is made into all of its lines for it. */
const isShorter = (text: TranscriptText, { offset }: ReadPart): boolean => offset > 0 && text.size() < offset;

/** How far a transcript has been read. */
export interface Position {
  offset: number;
  lines: number;
  sha256: string;
  /** Whether its last line is not finished yet. */
  incomplete: boolean;
}

/** Lines of a transcript from where it was left, and the position behind them once they are through. */
export class TranscriptLines implements Iterable<Line> {
  readonly #text: TranscriptText;
  readonly #from: Pick<Source, 'offset' | 'lines'>;
  /** Of what lies before the last unfinished line. */
  #hash = new RunningHash('sha256');
  /** The same with what there is of that line: of any length, so that it is never held. */
  #ahead = this.#hash;
  #position: Position;

  constructor(text: TranscriptText, from: Pick<Source, 'offset' | 'lines'>) {
    this.#text = text;
    this.#from = from;
    this.#position = { ...from, sha256: '', incomplete: false };
  }

  /** The position behind the lines that were taken. */
  get position(): Position {
    return { ...this.#position, sha256: this.#hash.digest() };
  }

  *[Symbol.iterator](): Generator<Line> {
    this.#hashBefore();
    for (const line of transcriptLines(this.#watched(), this.#from.lines + 1, this.#from.offset)) {
      if (!line.complete) {
        // A line without its end may still be written: it counts only if what stands on it is whole already.
        if (!isWhole(line.text)) {
          this.#position.incomplete = true;
          return;
        }
        this.#hash = this.#ahead;
      }
      this.#position.offset = line.end;
      // One without its end is gone on with, at the same number, when the file has grown.
      this.#position.lines = line.complete ? line.number : line.number - 1;
      if (line.text === '' && line.number === this.#from.lines + 1 && this.#from.offset > 0) continue;
      yield line;
    }
  }

  #hashBefore(): void {
    let left = this.#from.offset;
    if (left === 0) return;
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

/** Several objects on a line are read one by one wherever it stands. */
const isWhole = (text: string | null): boolean => text !== null && (isWholeJson(text) || holdsWholeObjects(text));

function isWholeJson(text: string): boolean {
  try {
    return typeof parseJson(text) === 'object';
  } catch {
    return false;
  }
}
