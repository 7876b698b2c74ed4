/** `ctx run status` and `ctx run cursor`: reads the state of a run, and the cursor of its provider. */
import { setTimeout as wait } from 'node:timers/promises';
import { seenByModel } from '../../core/conversation/view.ts';
import { isOpenCall } from '../../core/run/orphans.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import { type RunStatus, runStatus } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { loadConversation } from '../conversation/load.ts';
import { observedSession } from '../session/observe.ts';
import { chainBehind } from '../show.ts';

export type { RunStatus } from '../../history/runs/run-status.ts';

/**
 * Returns the state of the run of a session. Nothing stores it: it is derived from a lock that a living process holds.
 * @param given a session; the active one if absent
 * @throws {CtxError} not_found, ambiguous, no_active_session
 */
export const statusOfRun = (repository: Repository, given?: string): RunStatus =>
  runStatus(repository, given === undefined ? observedSession(repository) : chainBehind(repository, given).session_id);

/** Returns the states of the runs of all open sessions. */
export const statusOfRuns = (repository: Repository): RunStatus[] =>
  repository.refs.names(SESSIONS).map((ref) => runStatus(repository, ref.slice(SESSIONS.length)));

/** Interval at which the states are checked, in milliseconds: the end of a killed process is no event of a file. */
const LOOK = 100;

/** Yields each state that differs from the one before, from the present one on. */
export async function* watchRuns(
  repository: Repository,
  given: string | undefined,
  all: boolean,
  signal?: AbortSignal,
): AsyncGenerator<RunStatus> {
  const said = new Map<string, string>();
  while (!signal?.aborted) {
    for (const status of all ? statusOfRuns(repository) : [statusOfRun(repository, given)]) {
      const words = JSON.stringify(status);
      if (said.get(status.session_id) === words) continue;
      said.set(status.session_id, words);
      yield status;
    }
    await wait(LOOK, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** Position at which the provider of a session's model continues. */
export interface RunCursor {
  session_id: string;
  /** The thread, conversation or response by its provider's own id; null if none is known. */
  cursor: string | null;
  /** Source of the cursor: `record`, or the agent whose hook, transcript or protocol named it. */
  from: string | null;
  /** The last message of the last turn that was finished; null if there is none. */
  message_id: string | null;
}

/**
 * Returns where the provider continues: what was recorded last, else the conversation of the agent that the session was made of.
 * @throws {CtxError} not_found, ambiguous, no_active_session, damaged
 */
export function runCursor(repository: Repository, given?: string): RunCursor {
  const { session, conversation } = loadConversation(repository, given ?? observedSession(repository));
  const finished = seenByModel(conversation).findLast(
    ({ role, parts, metadata }) =>
      role === 'assistant' &&
      metadata['is_compact_summary'] !== true &&
      !parts.some(({ part }) => isOpenCall(part)) &&
      (metadata['stream_end'] === undefined || isFinish(metadata['stream_end'])),
  );
  const { session_id, resume_cursor, sources } = session;
  const source = sources.at(-1);
  return {
    session_id,
    cursor: resume_cursor?.cursor ?? source?.agent_session_id ?? null,
    from: resume_cursor ? 'record' : (source?.agent ?? null),
    message_id: finished?.id ?? null,
  };
}

const isFinish = (end: unknown): boolean => (end as { kind?: unknown } | null)?.kind === 'finish';
