/** Defines the options of `ctx ingest`, and its result for one transcript. */

import type { LineProblem } from '../../agents/contract/agent.ts';
import type { CtxError } from '../../core/errors.ts';
import type { Staleness } from '../../core/stale.ts';
import type { SessionState } from '../../core/state.ts';
import type { CompactResult } from '../session/compact.ts';
import type { Rewriting } from '../transcript/transcript.ts';

/** The progress of an ingest of several. */
export interface IngestStep {
  /** Transcripts that are done, and their total. */
  done: number;
  total: number;
  /** The present task. */
  doing: string;
  /** True if transcripts are only looked at so far. */
  looking?: true;
}

export interface IngestOptions {
  /** Name of the agent; by default recognised by the content. */
  agent?: string | undefined;
  /** The task; by default the first prompt. */
  task?: string | undefined;
  /** Compact the session afterwards. */
  compact?: boolean | undefined;
  /** Leave STAGE as it is even if it names none: another conversation becomes the current one. */
  beside?: boolean | undefined;
  /** Called if the current session is unknown: then this one stays beside it. Without it, that is an error. */
  stageTrouble?: ((problem: CtxError) => void) | undefined;
  /** The folder that ctx runs in; by default the project's own. Some agents record only a hash of their folder. */
  from?: string | undefined;
  /** The run that it shares with others of one command: they are undone together. */
  run?: string | undefined;
  /** Called now and then with a function that returns the progress: of a document, only a pass over all of it gives its size. */
  progress?: ((text: () => string) => void) | undefined;
}

export interface IngestResult {
  session_id: string;
  task_description: string;
  title: string;
  session_state: SessionState;
  agent: string;
  agent_session_id: string;
  /** Head of the session's chain. */
  oid: string;
  /** True if the session is a new one. */
  created: boolean;
  /** True if the session is open, with the name of STAGE's session. */
  open: boolean;
  current: boolean;
  steps_added: number;
  /** Meaning of the time since its last activity. */
  staleness: Staleness;
  messages: number;
  tool_calls: number;
  /** Lines that were read by this ingest. */
  lines: number;
  /** True if the last line is unfinished. */
  incomplete: boolean;
  /** Changes of lines that were read before: their stored form stays. Null if there are none. */
  read_before: Rewriting | null;
  /** Records kept raw, by the agent's own type. */
  unknown: Record<string, number>;
  problems: LineProblem[];
  compacted: CompactResult | null;
  /**
   * The previous session of the conversation, which its user had ended and which was saved first. Absent if there was
   * none.
   */
  saved_before?: CompactResult;
  /** When this conversation was forgotten, in Unix seconds: nothing of it was ingested. Absent if it was not. */
  forgotten_at?: number;
}
