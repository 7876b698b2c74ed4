/** A session as it is handed over: what another agent has to know before it reads the chain. */
import type { SessionState, StateKind } from '../state.ts';

export interface ExportedSession {
  session_id: string;
  title: string;
  task_description: string;
  state: StateKind;
  /** The state with what belongs to it: a question, a summary, a reason. */
  session_state: SessionState;
  /** Head of the session's chain. */
  staging_head: string;
  progress_summary: string;
  /** Unix seconds. */
  last_activity: number;
  agent: string | null;
  /** True if the session had not ended. */
  open: boolean;
}
