/** The status of a session: whether it is being worked on, waits to be continued, or is finished. */
import type { Pause } from '../session/session.ts';
import type { SessionState } from '../state.ts';

/** Shown beside the state of a session. */
export type SessionStatus = 'active' | 'paused' | 'completed';

/** Every change of a status that there is; an ended session that is continued becomes another session. */
export const STATUS_CHANGES: readonly (readonly [from: SessionStatus, to: SessionStatus])[] = [
  ['active', 'paused'],
  ['active', 'completed'],
  ['paused', 'active'],
  ['paused', 'completed'],
];

/** Time that an open session may be idle before it counts as paused, in seconds, unless the settings say otherwise. */
export const AUTO_PAUSE = 300;

/** Facts from which the status of an open session follows. */
export interface Activity {
  /** Its pause, by the last record of one; absent if it was not paused. */
  paused?: Pause | undefined;
  /** Unix seconds of the last work, waiting records included. */
  last_activity: number;
}

/** Returns whether the user has stopped a session: only its user, or a resume, makes it active again. */
export const isStopped = ({ paused }: Pick<Activity, 'paused'>): boolean =>
  paused !== undefined && paused.by !== 'idle';

/**
 * Returns the status of an open session: paused if its user has stopped it, or if nothing was done in it for a while.
 * @param now Unix seconds
 * @param autoPause that while in seconds; null if it never pauses by itself
 */
export function openStatus(
  { paused, last_activity }: Activity,
  now: number,
  autoPause: number | null = AUTO_PAUSE,
): 'active' | 'paused' {
  if (isStopped({ paused })) return 'paused';
  return autoPause !== null && now - last_activity >= autoPause ? 'paused' : 'active';
}

/** Returns whether an open session is to be recorded as paused: it is idle, and no record says so since its last work. */
export const mustPause = (activity: Activity, now: number, autoPause: number | null): boolean =>
  !isStopped(activity) &&
  openStatus(activity, now, autoPause) === 'paused' &&
  (activity.paused === undefined || activity.paused.at <= activity.last_activity);

/** Returns the status of an ended session: one that was saved before its work was done is only paused. */
export const endedStatus = ({ kind }: SessionState): 'paused' | 'completed' =>
  kind === 'Complete' || kind === 'PendingComplete' || kind === 'Aborted' ? 'completed' : 'paused';
