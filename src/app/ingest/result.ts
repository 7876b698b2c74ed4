/** What `ctx ingest` is told, and what it answers of one transcript. */

import type { LineProblem } from '../../agents/contract/agent.ts';
import type { CtxError } from '../../core/errors.ts';
import type { Staleness } from '../../core/stale.ts';
import type { SessionState } from '../../core/state.ts';
import type { CompactResult } from '../session/compact.ts';
import type { Rewriting } from '../transcript/transcript.ts';

/** How far an ingest of several is. */
export interface IngestStep {
  /** Transcripts that are through, of how many. */
  done: number;
  total: number;
  /** What is done now. */
  doing: string;
}

export interface IngestOptions {
  /** Name of the agent; told by the content where absent. */
  agent?: string | undefined;
  /** The task; the first prompt where absent. */
  task?: string | undefined;
  /** Compact the session afterwards. */
  compact?: boolean | undefined;
  /** Leave STAGE as it is even where it names none: another conversation is to be the current one. */
  beside?: boolean | undefined;
  /** Told where nobody can tell which session is the current one: this one stays beside it then. Who has none is refused. */
  stageTrouble?: ((problem: CtxError) => void) | undefined;
  /** The folder that ctx runs in; the project's own where absent. Of some agents' folders only a hash is told. */
  from?: string | undefined;
  /** What it shares with others that one command takes in: they are undone together. */
  run?: string | undefined;
  /** Told now and then how far it is. */
  progress?: ((text: string) => void) | undefined;
}

export interface IngestResult {
  session_id: string;
  task_description: string;
  session_state: SessionState;
  agent: string;
  agent_session_id: string;
  /** Head of the session's chain. */
  oid: string;
  /** Whether the session is a new one. */
  created: boolean;
  /** Whether the session is open, and whether STAGE names it. */
  open: boolean;
  current: boolean;
  steps_added: number;
  /** What the time since its last activity means. */
  staleness: Staleness;
  messages: number;
  tool_calls: number;
  /** Lines that were read now. */
  lines: number;
  /** Whether the last line is not finished yet. */
  incomplete: boolean;
  /** What has become of lines that were read of it before: what is kept of them stays. Null where they stand as they were. */
  read_before: Rewriting | null;
  /** Records kept as they are, by the agent's own type. */
  unknown: Record<string, number>;
  problems: LineProblem[];
  compacted: CompactResult | null;
  /** The session before it in the conversation, which its user had ended: it was saved first. Absent where none was. */
  saved_before?: CompactResult;
  /** When this conversation was forgotten, in Unix seconds: nothing of it was taken in. Absent where it was not. */
  forgotten_at?: number;
}
