/** Lines of a file that is written and read in one piece, as far as they fit. */

/** Most bytes of such a file: what ctx reads in one piece has at most 64 MiB; a little is kept for the last line. */
const ROOM = 64 * 1024 * 1024 - 1024;

/** Gathers records as lines, in order. From the first that finds no room they stay in the chain alone, and are counted. */
export class DigestLines {
  #lines: string[] = [];
  #room: number;
  #leftOut = 0;

  /** @param room most bytes of the lines together */
  constructor(room = ROOM) {
    this.#room = room;
  }

  add(record: object): void {
    if (this.#leftOut > 0) {
      this.#leftOut += 1;
      return;
    }
    const line = `${JSON.stringify(record)}\n`;
    this.#room -= Buffer.byteLength(line);
    if (this.#room >= 0) this.#lines.push(line);
    else this.#leftOut = 1;
  }

  /** Lines since they were last taken, each with its end; they are let go of. */
  take(): string[] {
    return this.#lines.splice(0);
  }

  /** What stands after all lines: how many were left out, or nothing. */
  end(): string {
    return this.#leftOut === 0 ? '' : `${JSON.stringify({ left_out: this.#leftOut })}\n`;
  }

  /** The whole file. */
  text(): string {
    return `${this.#lines.join('')}${this.end()}`;
  }
}
