/** The text of a transcript: a file as it stands, or a document that its agent unfolds into lines. */
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
import { lookAtLines } from './look-at-lines.ts';

/** Size of the pieces that a transcript is read in, in bytes. */
export const PIECE = 256 * 1024;
/** How much of a file is looked at for what it begins with, in bytes. */
export const BEGINNING = 256 * 1024;
/** Most that is held of lines that were made of something else, in bytes; larger ones are made anew for each pass. */
const HELD = 8 * 1024 * 1024;

/** A transcript's text, in bytes. */
export interface TranscriptText {
  /** Where it lies, for people and for the session that keeps it. */
  file: string;
  size: () => number;
  /** When it was last written, in Unix seconds; 0 where nothing tells. */
  writtenAt: () => number;
  /** The bytes from an offset on; a piece is only valid until the next one is asked for. */
  pieces: (from: number) => Iterable<Buffer>;
  /** Byte offset of the first line that is its agent's own; absent where that is the first of all, as far as is known. */
  begins?: number;
  /** The line of the file that a line of this text is made of. */
  lineInFile: (line: number) => number;
  /** Whether a line counts among those of this text: several texts may be made of one file. Absent where each line does. */
  isCounted?: (line: number) => boolean;
}

/** A transcript, whose it is, and the agent's own id of the session. */
export interface Recognised {
  agent: Agent;
  agentSession: string;
  /** Whether the file tells no id, so that its own name stands for one. */
  isUnnamed?: boolean;
  text: TranscriptText;
  /** Of the files that the text is made of, those that could not be read, as far as it has been; absent where it is of one. */
  unreadable?: () => readonly FileProblem[];
}

/** A file that is read as it stands, or as it stood before its program compressed it; it may grow meanwhile. */
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

/** What a small file is decompressed to is held; a larger one is gone through anew for each pass. */
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

/** @param stat that of a file; undefined where it is gone */
const writtenAt = (stat: Stats | undefined): number => Math.max(0, Math.floor((stat?.mtimeMs ?? 0) / 1000));

/**
 * Lines that are made of something else, whenever they are asked for.
 * @param written_at when that was last written, in Unix seconds; 0 where nothing tells
 */
export function linesText(file: string, lines: () => Iterable<string>, written_at: number): TranscriptText {
  const held = heldOf(lines());
  const pieces = held ? (): Iterable<Buffer> => [held] : (): Iterable<Buffer> => piecesOf(lines());
  let size = held?.length;
  const count = (): number => {
    let bytes = 0;
    for (const piece of pieces()) bytes += piece.length;
    return bytes;
  };
  return {
    file,
    size: () => {
      size ??= count();
      return size;
    },
    writtenAt: () => written_at,
    *pieces(from) {
      let at = 0;
      for (const piece of pieces()) {
        if (at + piece.length > from) yield piece.subarray(Math.max(0, from - at));
        at += piece.length;
      }
    },
    lineInFile: (line) => line,
  };
}

/** Lines as one piece; null where that would be too large. */
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
    // A long line goes piece by piece: beside it there is no room for one more of them.
    while (held.length > PIECE) {
      const end = isWithinPair(held, PIECE) ? PIECE + 1 : PIECE;
      const piece = Buffer.from(held.slice(0, end));
      held = held.slice(end);
      yield piece;
    }
    const last = Buffer.from(held);
    held = '';
    yield last;
    // What it took to make them is more than they are.
    tidyAfter(2 * length);
  }
  if (held !== '') yield Buffer.from(held);
}

/** Whether a place in a text is in the midst of one character. */
function isWithinPair(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}

/**
 * What an agent's reader is to read of a file.
 * @param begins where that begins which is the agent's
 * @throws {CtxError} invalid_input, io
 */
export function transcriptText(file: string, agent: Agent, begins = 0): TranscriptText {
  const lines = begins === 0 ? fileText(file) : { ...fileText(file), begins };
  if (!agent.unfold) return lines;
  const beginning = beginningOf(file);
  // What is made of lines is not looked through; one line that is longer than its beginning tells nothing yet.
  if (beginning.includes('\n') && agent.unfold(documentOf(beginning)) === null) return lines;
  const unfolded = agent.unfold(documentIn(file));
  if (unfolded === null) return lines;
  return { ...linesText(file, unfolded.lines, writtenAt(statOf(file))), lineInFile: unfolded.lineInDocument };
}

/** What stands at a path, if anything does. @throws {CtxError} io, as where the name is too long to be one */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', file, error);
  }
}

/** The error that nothing is at a path. */
export function notThere(path: string): CtxError {
  const link = danglingLink(path);
  const message = link === null ? `There is no file ${path}.` : `${link} is a link that leads nowhere.`;
  return new CtxError('not_found', message);
}

/** What is known of a file that must be one. @throws {CtxError} not_found, invalid_input, io */
export function fileStat(file: string): Stats {
  const stat = statOf(file);
  if (!stat) throw notThere(file);
  if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`, { hint: 'Name one transcript.' });
  return stat;
}

/** The first bytes of a file as text; `size` is how many. @throws {CtxError} not_found, invalid_input, io */
export function beginningOf(file: string, size = BEGINNING): string {
  fileStat(file);
  for (const piece of plainPieces(file, size)) return piece.toString('utf8');
  return '';
}

/**
 * The lines that a text begins with, one by one: who looks for something in the first of them needs no more. Of one that is long
 * there is a sketch (`JsonSketch`).
 */
export function* firstLines({ pieces, begins = 0 }: TranscriptText): Generator<string> {
  for (const { text } of lookAtLines(pieces(begins), BEGINNING)) yield text;
}

/** SHA-256 of a stretch of a text, hexadecimal. */
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
