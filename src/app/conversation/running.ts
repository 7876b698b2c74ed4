/** Refuses changes of a conversation while a run writes to it. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Returns the state of the run of a session: `idle` if none is in flight. */
export type RunState = (repository: Repository, session_id: string) => string;

let runState: RunState = () => 'idle';

/** Connects the states of runs: what writes runs knows them, and imports this file. */
export function useRunStates(state: RunState): void {
  runState = state;
}

/** States in which nothing is written: the last run has ended, or none was begun. */
const AT_REST = ['idle', 'ready', 'interrupted', 'error'];

/** @throws {CtxError} no_such_move, if a run of the session is in flight */
export function refuseWhileRunning(repository: Repository, session_id: string): void {
  const state = runState(repository, session_id);
  if (AT_REST.includes(state)) return;
  throw new CtxError('no_such_move', `A run of this session is in flight (${state}): its turn is not over.`, {
    hint: 'Wait for its end, or stop it with: ctx abort',
    data: { session_id, state },
  });
}
