/** Ages as lists show them: `2 hours ago`. */
import { plural } from '../text.ts';

type Unit = readonly [seconds: number, name: string];

const UNITS: readonly Unit[] = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [7 * 86_400, 'week'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** An age up to which a larger unit would hide too much: 13 days are not "1 week". Numbers of the larger unit. */
const ENOUGH = 2;

/** Returns how long ago a time was, in its largest unit of which there are two or more: `90 minutes ago`, `3 days ago`. @param at Unix seconds */
export function ageInWords(at: number, now: number): string {
  const seconds = Math.max(0, now - at);
  if (seconds < 60) return 'just now';
  let unit = 0;
  while (unit < UNITS.length - 1 && seconds < (UNITS[unit] as Unit)[0] * ENOUGH) unit += 1;
  const [size, name] = UNITS[unit] as Unit;
  return `${plural(Math.floor(seconds / size), name)} ago`;
}

/** A time that long ago at least, on the day before today, is "yesterday"; a shorter one is a number of hours. In seconds. */
const LAST_EVENING = 12 * 3600;

/** Returns when a session was last active, as people say it: `2 hours ago`, `yesterday`. @param at Unix seconds @param zone seconds east of UTC */
export function lastActiveInWords(at: number, now: number, zone = 0): string {
  const day = (time: number): number => Math.floor((time + zone) / 86_400);
  return day(now) - day(at) === 1 && now - at >= LAST_EVENING ? 'yesterday' : ageInWords(at, now);
}
