/** The stale rules: what idle time means for an open session. */
import type { Settings } from './settings.ts';

/** `fresh`: go on silently; `ask`: ask before going on; `auto_compact`: it is saved by itself. */
export type Staleness = 'fresh' | 'ask' | 'auto_compact';

/** Seconds between the last recorded activity and now, never negative (clocks may differ between machines). */
export function idleSeconds(lastActivity: number, now: number): number {
  return Math.max(0, now - lastActivity);
}

/**
 * Classifies idle time: below `ask_threshold` fresh, up to and with `auto_compact_threshold` ask, beyond it auto_compact.
 * Both thresholds and the idle time are seconds.
 */
export function staleness(
  idle: number,
  settings: Pick<Settings, 'ask_threshold' | 'auto_compact_threshold'>,
): Staleness {
  if (idle > settings.auto_compact_threshold) return 'auto_compact';
  return idle >= settings.ask_threshold ? 'ask' : 'fresh';
}
