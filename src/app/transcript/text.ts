/** Reads the text of a transcript: a file as it is, or a document that its agent unfolds into lines. */
import { type Stats, statSync } from 'node:fs';
import type { Agent } from '../../agents/contract/agent.ts';
import { documentOf } from '../../agents/shared/document/document.ts';
import { CtxError } from '../../core/errors.ts';
import { isCompressed, plainPieces } from '../../platform/compressed-file.ts';
import { ioError } from '../../platform/files.ts';
import { danglingLink } from '../../platform/foreign-file.ts';
import { RunningHash } from '../../platform/hash.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { documentIn } from './document-file.ts';
import type { FileProblem } from './file-problem.ts';
import { previewLines } from './line-preview.ts';

/** Size of the pieces that a transcript is read in, in bytes. */
export const PIECE = 256 * 1024;
/** Length of the part of a file that is searched for what identifies it, in bytes. */
export const BEGINNING = 256 * 1024;
/** Most bytes of converted lines that are held; more are converted again for each pass. */
const HELD = 8 * 1024 * 1024;
/** Least length of the end of computed lines that is held, in bytes, and the number of pieces that have as much. */
const END = 64 * 1024;
const LAST_PIECES = 8;

/** A transcript's text, in bytes. */
export interface TranscriptText {
  /** Its path, as people and sessions name it. */
  file: string;
  size: () => number;
  /** When it was last written, in Unix seconds; 0 if unknown. */
  writtenAt: () => number;
  /** The bytes from an offset on; a piece is only valid until the next one is asked for. */
  pieces: (from: number) => Iterable<Buffer>;
  /** Byte offset of the first line that is its agent's own; absent if that is the first line, as far as is known. */
  begins?: number;
  /** Present if it only has what comes after the position that was read: nobody keeps what is before. */
  isTail?: true;
  /** Returns the number in the file of a line of this text. */
  lineInFile: (line: number) => number;
  /**
   * Checks if a line counts among those of this text: several texts may be made from one file. Absent if every line does.
   */
  isCounted?: (line: number) => boolean;
}

/** A transcript with its agent and the agent's own id of the session. */
export interface Recognised {
  agent: Agent;
  agentSession: string;
  /** True if the file states no id, so that its name is used as one. */
  isUnnamed?: boolean;
  text: TranscriptText;
  /** Returns those of several source files that could not be read so far; absent if the text is made from one file. */
  unreadable?: () => readonly FileProblem[];
}

/** Returns the text of a file, decompressed if its program compressed it; the file may grow meanwhile. */
export const fileText = (file: string): TranscriptText => ({
  file,
  ...(isCompressed(file) ? decompressedBytes(file) : plainBytes(file)),
  writtenAt: () => writtenAt(statOf(file)),
  lineInFile: (line) => line,
});

type Bytes = Pick<TranscriptText, 'size' | 'pieces'>;

const plainBytes = (file: string): Bytes => ({
  size: () => statOf(file)?.size ?? 0,
  pieces: (from) => plainPieces(file, PIECE, from),
});

/** Decompresses a file: a small one is held, a larger one is decompressed again for each pass. */
function decompressedBytes(file: string): Bytes {
  let known: { size: number; held: Buffer | null } | undefined;
  const lookThrough = (): NonNullable<typeof known> => {
    const pieces: Buffer[] = [];
    let size = 0;
    for (const piece of statOf(file) ? plainPieces(file, PIECE) : []) {
      size += piece.length;
      if (size <= HELD) pieces.push(Buffer.from(piece));
      else pieces.length = 0;
    }
    return { size, held: size <= HELD ? Buffer.concat(pieces) : null };
  };
  return {
    size: () => {
      known ??= lookThrough();
      return known.size;
    },
    *pieces(from) {
      if (known?.held) yield known.held.subarray(from);
      else yield* plainPieces(file, PIECE, from);
    },
  };
}

/** Returns the time of a file. @param stat undefined if the file is gone */
const writtenAt = (stat: Stats | undefined): number => Math.max(0, Math.floor((stat?.mtimeMs ?? 0) / 1000));

/**
 * Makes a text from lines that are computed on demand.
 * @param written_at when their source was last written, in Unix seconds; 0 if unknown
 */
export function linesText(file: string, lines: () => Iterable<string>, written_at: number): TranscriptText {
  const held = heldOf(lines());
  const pieces = held ? (): Iterable<Buffer> => [held] : (): Iterable<Buffer> => piecesOf(lines());
  let known: { size: number; end: Buffer } | undefined = held ? { size: held.length, end: held } : undefined;
  /** Counts the bytes, and holds the last ones: a survey asks for both, and each pass makes all lines once more. */
  const counted = (): NonNullable<typeof known> => {
    let size = 0;
    let last: Buffer[] = [];
    for (const piece of pieces()) {
      size += piece.length;
      last = piece.length >= END ? [piece] : [...last.slice(-LAST_PIECES), piece];
    }
    return { size, end: Buffer.concat(last) };
  };
  return {
    file,
    size: () => {
      known ??= counted();
      return known.size;
    },
    writtenAt: () => written_at,
    *pieces(from) {
      const endsAt = known ? known.size - known.end.length : Number.POSITIVE_INFINITY;
      if (known && from >= endsAt) {
        yield known.end.subarray(from - endsAt);
        return;
      }
      let at = 0;
      for (const piece of pieces()) {
        if (at + piece.length > from) yield piece.subarray(Math.max(0, from - at));
        at += piece.length;
      }
    },
    lineInFile: (line) => line,
  };
}

/** Joins lines to one piece; null if that would be too large. */
function heldOf(lines: Iterable<string>): Buffer | null {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const piece of piecesOf(lines)) {
    length += piece.length;
    if (length > HELD) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function* piecesOf(lines: Iterable<string>): Generator<Buffer> {
  let held = '';
  for (const line of lines) {
    held += `${line}\n`;
    const { length } = held;
    if (length < PIECE) continue;
    // A long line is yielded piece by piece: there is no memory for a copy of it.
    while (held.length > PIECE) {
      const end = isWithinPair(held, PIECE) ? PIECE + 1 : PIECE;
      const piece = Buffer.from(held.slice(0, end));
      held = held.slice(end);
      yield piece;
    }
    const last = Buffer.from(held);
    held = '';
    yield last;
    // Making the lines took more memory than they have themselves.
    tidyAfter(2 * length);
  }
  if (held !== '') yield Buffer.from(held);
}

/** Returns whether a position in a text is within a surrogate pair. */
function isWithinPair(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}

/**
 * Returns the text of a file as an agent's reader expects it.
 * @param begins the offset of the agent's first line
 * @throws {CtxError} invalid_input, io
 */
export function transcriptText(file: string, agent: Agent, begins = 0): TranscriptText {
  const lines = begins === 0 ? fileText(file) : { ...fileText(file), begins };
  if (!agent.unfold) return lines;
  const beginning = beginningOf(file);
  // A file of lines is not searched for a document; a first line longer than the beginning is not decisive yet.
  if (beginning.includes('\n') && agent.unfold(documentOf(beginning)) === null) return lines;
  const unfolded = agent.unfold(documentIn(file));
  if (unfolded === null) return lines;
  return { ...linesText(file, unfolded.lines, writtenAt(statOf(file))), lineInFile: unfolded.lineInDocument };
}

/** Returns the stat of a path, if anything is there. @throws {CtxError} io, for instance if the name is too long */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', file, error);
  }
}

/** Makes the error for a path that does not exist. */
export function notThere(path: string): CtxError {
  const link = danglingLink(path);
  const message = link === null ? `There is no file ${path}.` : `${link} is a link that leads nowhere.`;
  return new CtxError('not_found', message);
}

/** Returns the stat of a path that must be a file. @throws {CtxError} not_found, invalid_input, io */
export function fileStat(file: string): Stats {
  const stat = statOf(file);
  if (!stat) throw notThere(file);
  if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`, { hint: 'Name one transcript.' });
  return stat;
}

/** Reads the first `size` bytes of a file as text. @throws {CtxError} not_found, invalid_input, io */
export function beginningOf(file: string, size = BEGINNING): string {
  fileStat(file);
  for (const piece of plainPieces(file, size)) return piece.toString('utf8');
  return '';
}

/** Yields the first lines of a text one by one, a long line as a sketch (`JsonSketch`). */
export function* firstLines({ pieces, begins = 0 }: TranscriptText): Generator<string> {
  for (const { text } of previewLines(pieces(begins), BEGINNING)) yield text;
}

/** Hashes a range of a text with SHA-256, in hexadecimal. */
export function hashOf(text: TranscriptText, from: number, to: number): string {
  const hash = new RunningHash('sha256');
  let left = to - from;
  if (left === 0) return hash.digest();
  for (const piece of text.pieces(from)) {
    hash.update(piece.subarray(0, Math.min(left, piece.length)));
    left -= piece.length;
    if (left <= 0) break;
  }
  return hash.digest();
}
