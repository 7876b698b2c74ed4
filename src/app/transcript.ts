/** Reading a transcript's bytes: what it is, whether it only grew, and its lines with a running hash. */
import { statSync } from 'node:fs';
import type { Agent, TranscriptEvent } from '../agents/agent.ts';
import { AGENTS, agentNamed, recogniseAgent } from '../agents/index.ts';
import { CtxError } from '../core/errors.ts';
import { type Line, readLines } from '../core/lines.ts';
import type { Source } from '../core/session.ts';
import { runningSha256 } from '../platform/hash.ts';
import { readPieces } from '../platform/pieces.ts';

/** How much of a file is looked at to tell whose it is, in bytes. */
const BEGINNING = 256 * 1024;
/** Size of the pieces that a transcript is read in, in bytes. */
const PIECE = 1024 * 1024;

const LINE_FEED = 0x0a;

/** The first bytes of a file as text. @throws {CtxError} not_found, invalid_input, io */
function beginningOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) throw new CtxError('not_found', `There is no file ${file}.`);
  if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`, { hint: 'Name one transcript.' });
  for (const piece of readPieces(file, BEGINNING)) return piece.toString('utf8');
  return '';
}

/** The agent whose transcript a file is, and the agent's own id of the session. @throws {CtxError} not_found, invalid_input */
export function recogniseTranscript(file: string, name: string | undefined): { agent: Agent; agentSession: string } {
  const beginning = beginningOf(file);
  const agent = name === undefined ? recogniseAgent(beginning) : agentNamed(name);
  if (!agent) {
    const known = AGENTS.map((candidate) => candidate.name).join(', ');
    throw name === undefined
      ? new CtxError('invalid_input', `${file} is no transcript that ctx knows.`, {
          hint: `It reads those of: ${known}`,
        })
      : new CtxError('invalid_input', `There is no agent ${name}.`, { hint: `ctx reads transcripts of: ${known}` });
  }
  return { agent, agentSession: agentSessionOf(agent, file, beginning) };
}

/** The id that the first lines tell; the file's own name where none does. */
function agentSessionOf(agent: Agent, file: string, beginning: string): string {
  const reader = agent.reader(null);
  const told = function* (): Generator<TranscriptEvent> {
    for (const [index, text] of beginning.split('\n').entries()) yield* reader.line(text, index + 1);
    // A reader may hold back what it tells until a message is complete.
    yield* reader.end();
  };
  for (const event of told()) {
    if (event.type === 'about' && event.session.agent_session_id) return event.session.agent_session_id;
  }
  return file.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '');
}

/** Whether the part of a file that was read before still stands there as it was. */
export function stillStands(file: string, source: Source): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < source.offset) return false;
  const hash = runningSha256();
  let left = source.offset;
  for (const piece of readPieces(file, PIECE)) {
    hash.update(piece.subarray(0, Math.min(left, piece.length)));
    left -= piece.length;
    if (left <= 0) break;
  }
  return hash.digest('hex') === source.sha256;
}

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
  readonly #file: string;
  readonly #from: Pick<Source, 'offset' | 'lines'>;
  /** Of what lies before the last unfinished line. */
  readonly #hash = runningSha256();
  #tail = Buffer.alloc(0);
  #position: Position;

  constructor(file: string, from: Pick<Source, 'offset' | 'lines'>) {
    this.#file = file;
    this.#from = from;
    this.#position = { ...from, sha256: '', incomplete: false };
  }

  /** The position behind the lines that were taken. */
  get position(): Position {
    return { ...this.#position, sha256: this.#hash.copy().digest('hex') };
  }

  *[Symbol.iterator](): Generator<Line> {
    this.#hashBefore();
    for (const line of readLines(this.#watched(), this.#from.lines + 1, this.#from.offset)) {
      if (!line.complete) {
        // A line without its end may still be written: it counts only if it is whole already.
        if (!isWholeJson(line.text)) {
          this.#position.incomplete = true;
          return;
        }
        this.#hash.update(this.#tail);
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
    for (const piece of readPieces(this.#file, PIECE)) {
      this.#hash.update(piece.subarray(0, Math.min(left, piece.length)));
      left -= piece.length;
      if (left <= 0) return;
    }
  }

  *#watched(): Generator<Buffer> {
    for (const piece of readPieces(this.#file, PIECE, this.#from.offset)) {
      const end = piece.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) {
        this.#hash.update(this.#tail).update(piece.subarray(0, end));
        this.#tail = Buffer.from(piece.subarray(end));
      } else this.#tail = Buffer.concat([this.#tail, piece]);
      yield piece;
    }
  }
}

function isWholeJson(text: string | null): boolean {
  try {
    return text !== null && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
