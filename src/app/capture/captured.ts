/** What is told of one conversation: how much of it is stored. */
import { isCompressed } from '../../platform/compressed-file.ts';
import type { LostLine } from './count.ts';

/**
 * What is stored of a conversation: all of it; all that can be read of it, while lines of it cannot; a part; nothing; nothing since
 * nothing was begun in it, or it was forgotten.
 */
export type Captured = 'captured' | 'incomplete' | 'behind' | 'never' | 'unbegun' | 'forgotten';

export interface CapturedConversation {
  agent: string;
  agent_session_id: string;
  /** The agent's transcript; of several that tell it between them, the latest or the fullest. */
  file: string;
  /** The others of these, in their order; absent where there are none. */
  other_files?: string[];
  captured: Captured;
  /** Turns in the transcript, and how many of them are stored whole. */
  turns: number;
  turns_stored: number;
  /** Sub-agents that have transcripts of their own, and how many of these are stored whole. */
  sub_agents: number;
  sub_agents_stored: number;
  /** How many lines of the transcript cannot be read, or are too long to be kept: no turn with one is stored whole. */
  lines_lost: number;
  /** The first of them, and why. */
  lost: LostLine[];
  /** Whether the last turn that is stored goes on in the transcript. */
  partial: boolean;
  /** Whether all that is stored comes from hooks, which named no transcript: what only that tells is not there yet. */
  told_by_hooks: boolean;
  /** The session that has most of it; null where none has anything. */
  session_id: string | null;
  /** What answers the question of ctx's that waits in it: before that nothing of it is taken in. Null where none waits. */
  answer_with: string | null;
  /** Unix seconds. */
  first_at: number;
  last_at: number;
  /** When the transcript was last written, in Unix seconds. */
  written_at: number;
}

/** What to do about a line that cannot be read. */
export function lostLineHint(file: string, line: number): string {
  const look = isCompressed(file) ? `zstd -dc ${quoted(file)} | sed -n ${line}p` : `sed -n ${line}p ${quoted(file)}`;
  return `Nothing can be taken in of line ${line} as it is. Look at it: ${look}`;
}

/** A path as a word of a shell. */
const quoted = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
