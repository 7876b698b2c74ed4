/** Times on the command line, as `--since` takes them. */
import { systemClock } from '../../app/open.ts';
import { CtxError } from '../../core/errors.ts';
import { readMoment } from '../../core/time.ts';

/**
 * Parses a time as Unix seconds: an ISO time, Unix seconds, a duration before now, or English as Git takes it (`yesterday`,
 * `2 weeks ago`, `last monday`).
 * @returns undefined if the option is absent
 * @throws {CtxError} usage
 */
export async function moment(option: string, value: string | undefined): Promise<number | undefined> {
  if (value === undefined) return undefined;
  const now = systemClock()();
  const time = readMoment(value, now) ?? (await inEnglish(value, now));
  if (time !== undefined) return time;
  throw new CtxError('usage', `--${option} is not a time: ${value}`, {
    hint: 'Give 2026-01-22, 2026-01-22T10:00:00Z, yesterday, "2 weeks ago", 7d or Unix seconds.',
  });
}

/** Parses a time in English words; one that is only partly a time is none. */
async function inEnglish(value: string, now: number): Promise<number | undefined> {
  // Git writes dots for spaces: 2.weeks.ago.
  const text = value.replaceAll('.', ' ').trim();
  const { parse } = await import('chrono-node');
  const [found, ...more] = parse(text, new Date(now * 1000));
  if (!found || more.length > 0 || found.text.length < text.length) return undefined;
  const date = found.date();
  // A day without a time of day begins at midnight; "monday" is the last one.
  if (!found.start.isCertain('hour')) date.setHours(0, 0, 0, 0);
  const at = Math.floor(date.getTime() / 1000);
  return at > now && !found.start.isCertain('day') ? at - WEEK : at;
}

const WEEK = 7 * 86_400;
