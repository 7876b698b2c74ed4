/** Defines what a search for the conversations of a project returns. */
import type { UnreadReason } from '../../agents/contract/transcript-places.ts';
import type { Recognised } from './text.ts';

/** A file that holds a conversation of this project. */
export interface TranscriptFile {
  agent: string;
  file: string;
  /** When it was last written, in Unix seconds. */
  written_at: number;
  /** Reads it; absent if all of it is in that file. @throws {CtxError} invalid_input, io */
  open?: () => Recognised;
}

/** A file that an agent has written and ctx does not read, or a folder that cannot be listed. */
export interface TranscriptProblem {
  agent: string;
  file: string;
  reason: UnreadReason;
  /** A sentence that begins with the path. */
  message: string;
  /** The step that solves it. */
  hint: string;
}

export interface FoundTranscripts {
  files: TranscriptFile[];
  /** Transcripts of sub-agents of these conversations, or of others of this project. */
  sub_agents: TranscriptFile[];
  /** Everything that is not read and may be of this project. */
  problems: TranscriptProblem[];
}

/** Folders that hold no transcripts: Git's own, stores of ctx, and packages. */
export const IGNORED_FOLDERS: readonly string[] = ['.git', '.ctx', 'node_modules'];
