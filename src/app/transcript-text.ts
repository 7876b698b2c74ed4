/** The text of a transcript: a file as it stands, or a document that its agent unfolds into lines. */
import { type Stats, statSync } from 'node:fs';
import type { Agent } from '../agents/agent.ts';
import { CtxError } from '../core/errors.ts';
import { ioError } from '../platform/files.ts';
import { RunningHash } from '../platform/hash.ts';
import { readPieces } from '../platform/pieces.ts';

/** Size of the pieces that a transcript is read in, in bytes. */
const PIECE = 256 * 1024;
/** How much of a file is looked at to tell whose it is, in bytes. */
export const BEGINNING = 256 * 1024;
/** Largest document that is unfolded, in bytes: it is held whole. */
export const DOCUMENT_LIMIT = 256 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** A transcript's text, in bytes. */
export interface TranscriptText {
  /** Where it lies, for people and for the session that keeps it. */
  file: string;
  size: () => number;
  /** When it was last written, in Unix seconds; 0 where nothing tells. */
  writtenAt: () => number;
  /** The bytes from an offset on; a piece is only valid until the next one is asked for. */
  pieces: (from: number) => Iterable<Buffer>;
  /** The line of the file that a line of this text is made of. */
  lineInFile: (line: number) => number;
}

/** A transcript, whose it is, and the agent's own id of the session. */
export interface Recognised {
  agent: Agent;
  agentSession: string;
  text: TranscriptText;
  /** Of the files that the text was made of, those that could not be read; absent where there are none. */
  unreadable?: readonly string[];
}

/** A file that is read as it stands, and may grow meanwhile. */
export const fileText = (file: string): TranscriptText => ({
  file,
  size: () => statOf(file)?.size ?? 0,
  writtenAt: () => writtenAt(statOf(file)),
  pieces: (from) => readPieces(file, PIECE, from),
  lineInFile: (line) => line,
});

/** @param stat that of a file; undefined where it is gone */
const writtenAt = (stat: Stats | undefined): number => Math.max(0, Math.floor((stat?.mtimeMs ?? 0) / 1000));

/**
 * Lines that were made of something else.
 * @param written_at when that was last written, in Unix seconds; 0 where nothing tells
 */
export function linesText(file: string, lines: readonly string[], written_at: number): TranscriptText {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return {
    file,
    size: () => bytes.length,
    writtenAt: () => written_at,
    *pieces(from) {
      for (let at = from; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    },
    lineInFile: (line) => line,
  };
}

/** What an agent's reader is to read of a file. @throws {CtxError} invalid_input, io */
export function transcriptText(file: string, agent: Agent): TranscriptText {
  // What is made of lines may be of any size: it is not held.
  if (!agent.unfold || agent.unfold(beginningOf(file)) === null) return fileText(file);
  const stat = statOf(file);
  if ((stat?.size ?? 0) > DOCUMENT_LIMIT) throw tooLargeDocument(file);
  const document = (): string => Buffer.concat([...copies(readPieces(file, PIECE))]).toString('utf8');
  const lines = agent.unfold(document());
  if (lines === null) return fileText(file);
  // Read once more, where there is a line to tell of: what is held otherwise is all of it twice.
  const lineInFile = (line: number): number => agent.foldedLine?.(document(), line) ?? line;
  return { ...linesText(file, lines, writtenAt(stat)), lineInFile };
}

/** What is said of a document that is larger than that. */
export const tooLargeDocument = (file: string): CtxError =>
  new CtxError('invalid_input', `${file} is a document of more than ${DOCUMENT_LIMIT / 1_048_576} MiB.`, {
    hint: 'ctx holds a document whole while it reads it; transcripts in lines may be of any size.',
  });

function* copies(pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** What stands at a path, if anything does. @throws {CtxError} io, as where the name is too long to be one */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', file, error);
  }
}

/** The first bytes of a file as text; `size` is how many. @throws {CtxError} not_found, invalid_input, io */
export function beginningOf(file: string, size = BEGINNING): string {
  const stat = statOf(file);
  if (!stat) throw new CtxError('not_found', `There is no file ${file}.`);
  if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`, { hint: 'Name one transcript.' });
  for (const piece of readPieces(file, size)) return piece.toString('utf8');
  return '';
}

/** The lines that a text begins with, one by one: who looks for something in the first of them needs no more. The last may be half a line. */
export function* firstLines(pieces: TranscriptText['pieces']): Generator<string> {
  for (const piece of pieces(0)) {
    const beginning = piece.subarray(0, BEGINNING);
    let at = 0;
    for (let end = beginning.indexOf(LINE_FEED); end >= 0; end = beginning.indexOf(LINE_FEED, at)) {
      yield beginning.toString('utf8', at, end);
      at = end + 1;
    }
    yield beginning.toString('utf8', at);
    return;
  }
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
