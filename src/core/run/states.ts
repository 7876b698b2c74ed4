/** Declares the states of a run, and the one table of what moves it. A run is never stored as a truth: `idle` is what no process holds. */

export type RunState = 'idle' | 'starting' | 'busy' | 'retrying' | 'ready' | 'interrupted' | 'error';

/**
 * `begin`: a run was begun. `chunk`: something came from the model. `retry`: the call of the model failed for a moment, and is tried again.
 * `finish`: the stream has ended as it should. `stop`: the run was aborted, or its stream cut off. `fail`: the stream says that it failed.
 * `gone`: the process of the run is no more, or the machine was restarted.
 */
export type RunEvent = 'begin' | 'chunk' | 'retry' | 'finish' | 'stop' | 'fail' | 'gone';

/** The states in which a second run of the session is refused. */
export const IN_FLIGHT = ['starting', 'busy', 'retrying'] as const satisfies readonly RunState[];
const AT_REST = ['idle', 'ready', 'interrupted', 'error'] as const satisfies readonly RunState[];

export interface RunMove {
  from: readonly RunState[];
  event: RunEvent;
  to: RunState;
}

/** Every transition; what is not in it changes nothing. */
export const RUN_MOVES: readonly RunMove[] = [
  { from: AT_REST, event: 'begin', to: 'starting' },
  { from: ['starting', 'busy', 'retrying'], event: 'chunk', to: 'busy' },
  { from: ['starting', 'busy', 'retrying'], event: 'retry', to: 'retrying' },
  { from: IN_FLIGHT, event: 'finish', to: 'ready' },
  { from: IN_FLIGHT, event: 'stop', to: 'interrupted' },
  { from: IN_FLIGHT, event: 'fail', to: 'error' },
  { from: [...IN_FLIGHT, 'ready', 'interrupted', 'error'], event: 'gone', to: 'idle' },
];

/** The state after an event; null if the event is none of that state. */
export const afterEvent = (state: RunState, event: RunEvent): RunState | null =>
  RUN_MOVES.find((move) => move.event === event && move.from.includes(state))?.to ?? null;

export const isInFlight = (state: RunState): boolean => (IN_FLIGHT as readonly RunState[]).includes(state);
