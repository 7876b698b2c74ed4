/** The status of a session: whether it is being worked on, waits to be continued, or is finished. */
import type { SessionState } from '../state.ts';

/** Shown beside the state of a session; derived from it, never stored. */
export type SessionStatus = 'active' | 'paused' | 'completed';

/** How long an open session may be idle before it counts as paused, in seconds. */
export const AUTO_PAUSE = 300;

/** Returns the status of an open session by its idle time, in seconds. */
export const openStatus = (idle: number): SessionStatus => (idle < AUTO_PAUSE ? 'active' : 'paused');

/** Returns the status of an ended session: one that was saved before its work was done is only paused. */
export const endedStatus = ({ kind }: SessionState): SessionStatus =>
  kind === 'Complete' || kind === 'PendingComplete' || kind === 'Aborted' ? 'completed' : 'paused';
