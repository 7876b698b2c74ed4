/** What is found of the conversations of a project where agents keep them. */
import type { UnreadReason } from '../../agents/contract/transcript-places.ts';
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

/** What an agent has written and ctx does not read: a file, or a folder that cannot be looked into. The rest is read. */
export interface TranscriptProblem {
  agent: string;
  file: string;
  reason: UnreadReason;
  /** What it is, with its path. */
  message: string;
  /** What to do about it. */
  hint: string;
}

export interface FoundTranscripts {
  files: TranscriptFile[];
  /** Transcripts of sub-agents of these conversations, or of others of this project. */
  sub_agents: TranscriptFile[];
  /** Everything that is not read and may be of this project. */
  problems: TranscriptProblem[];
}
