/** The stale rules: what idle time means for an open session. */

/** Idle times from which ctx asks, and beyond which it saves a session by itself, in seconds. */
export interface Thresholds {
  ask_threshold: number;
  auto_compact_threshold: number;
}

/** `fresh`: continue silently; `ask`: ask before continuing; `auto_compact`: it is saved by itself. */
export type Staleness = 'fresh' | 'ask' | 'auto_compact';

/** Seconds between the last recorded activity and now, never negative (clocks may differ between machines). */
export function idleSeconds(lastActivity: number, now: number): number {
  return Math.max(0, now - lastActivity);
}

/**
 * Classifies idle time: below `ask_threshold` fresh, up to and with `auto_compact_threshold` ask, beyond it auto_compact.
 * Both thresholds and the idle time are seconds.
 */
export function staleness(idle: number, thresholds: Thresholds): Staleness {
  if (idle > thresholds.auto_compact_threshold) return 'auto_compact';
  return idle >= thresholds.ask_threshold ? 'ask' : 'fresh';
}
