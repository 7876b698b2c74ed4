/** A line that is too long to be held: it is kept without the data of pictures in it, and its longest texts and lists lose their ends. */
import { type CutLimits, JsonCutter } from './cut-json.ts';
import { PictureStripper, type PieceHash } from './picture-left-out.ts';

const LIMITS: CutLimits = {
  text: 1024 * 1024,
  all: 8 * 1024 * 1024,
  later: 1024,
  values: 100_000,
  most: 12 * 1024 * 1024,
};

/** Takes a line in pieces. */
export class LineShortener {
  readonly #stripper: PictureStripper;
  readonly #cutter = new JsonCutter(LIMITS);
  readonly #limit: number;
  #kept: Buffer[] = [];
  #size = 0;

  /** @param limit most bytes that are kept */
  constructor(newHash: () => PieceHash, limit: number) {
    this.#stripper = new PictureStripper(newHash);
    this.#limit = limit;
  }

  /** The piece is only used until this returns. */
  push(piece: Buffer): void {
    if (this.#size > this.#limit) return;
    const kept = this.#cutter.push(this.#stripper.push(piece));
    this.#size += kept.length;
    if (this.#size <= this.#limit) this.#kept.push(kept);
    else this.#kept = [];
  }

  /** Ends the line, and returns its kept part; null if even that is too long, or the line is no JSON that came to its end. */
  end(): Buffer | null {
    return this.#size <= this.#limit && this.#cutter.isWhole ? Buffer.concat(this.#kept) : null;
  }
}
