/** Defines the result for one conversation: how much of it is stored. */
import { isCompressed } from '../../platform/compressed-file.ts';
import type { LostLine } from './count.ts';

/**
 * The stored share of a conversation: all; all that can be read; a part; nothing; nothing since nothing was begun in it;
 * or it was forgotten.
 */
export type Captured = 'captured' | 'incomplete' | 'behind' | 'never' | 'unbegun' | 'forgotten';

export interface CapturedConversation {
  agent: string;
  agent_session_id: string;
  /** The agent's transcript; of several files of one conversation, the latest or the fullest. */
  file: string;
  /** The other files, in their order; absent if there are none. */
  other_files?: string[];
  captured: Captured;
  /** Turns in the transcript, and how many of them are stored whole. */
  turns: number;
  turns_stored: number;
  /** Sub-agents that have transcripts of their own, and how many of these are stored whole. */
  sub_agents: number;
  sub_agents_stored: number;
  /** Number of lines of the transcript that cannot be read, or are too long to be kept: no turn with one is stored whole. */
  lines_lost: number;
  /** The first of them, and why. */
  lost: LostLine[];
  /** True if the last stored turn continues in the transcript. */
  partial: boolean;
  /** True if everything stored comes from hooks that named no transcript: what only the transcript has is missing. */
  told_by_hooks: boolean;
  /** The session that has most of it; null if none has any. */
  session_id: string | null;
  /** The command that answers the waiting question of its session, which blocks the ingest. Null if none waits. */
  answer_with: string | null;
  /** Unix seconds. */
  first_at: number;
  last_at: number;
  /** When the transcript was last written, in Unix seconds. */
  written_at: number;
}

/** Returns what to do about a line that cannot be read. */
export function lostLineHint(file: string, line: number): string {
  const look = isCompressed(file) ? `zstd -dc ${quoted(file)} | sed -n ${line}p` : `sed -n ${line}p ${quoted(file)}`;
  return `Nothing can be taken in of line ${line} as it is. Look at it: ${look}`;
}

/** Quotes a path for a shell. */
const quoted = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
