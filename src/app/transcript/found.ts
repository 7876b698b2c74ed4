/** What is found of the conversations of a project where agents keep them. */
import type { Recognised } from './text.ts';

/** A file that holds a conversation of this project. */
export interface TranscriptFile {
  agent: string;
  file: string;
  /** When it was last written, in Unix seconds. */
  written_at: number;
  /** Reads it; absent where all of it lies in that file. @throws {CtxError} invalid_input, io */
  open?: () => Recognised;
}

/** A file or a folder that could not be looked at: the rest goes on. */
export interface TranscriptProblem {
  agent: string;
  file: string;
  message: string;
}

/** Transcripts of an agent that ctx cannot read. */
export interface Unread {
  agent: string;
  files: number;
  /** In words, with what to do; absent where ctx has no reader for them. */
  why?: string;
}

export interface FoundTranscripts {
  files: TranscriptFile[];
  problems: TranscriptProblem[];
  unread: Unread[];
}
