/** Reading durations and times that people write. */
import { CtxError } from './errors.ts';

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads `24h`, `7d`, `90s`, `2w` or a number of seconds; gives whole seconds, or undefined if it is none. */
export function readDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const match = /^(\d{1,12})\s*([smhdw]?)$/.exec(value.trim());
  if (!match) return undefined;
  const seconds = Number(match[1]) * (SECONDS[match[2] || 's'] ?? 1);
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

/** Characters of a time such as `2026-01-01T00:00:00.000Z`. */
const ISO_LENGTH = 24;

/** Reads Unix seconds or an ISO 8601 time (UTC where it names no zone); gives whole Unix seconds, or undefined. */
export function readTime(value: string): number | undefined {
  const text = value.trim();
  // As every program writes it, at the cost of no pattern.
  const written = text.length === ISO_LENGTH ? Date.parse(text) : Number.NaN;
  if (written >= 0 && new Date(written).toISOString() === text) return Math.floor(written / 1000);
  // A thirteenth digit makes milliseconds of it.
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i.test(text)) return undefined;
  // Date.parse takes the 30th of February for the 2nd of March.
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return undefined;
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10)) || text.length === 10;
  const milliseconds = Date.parse(`${text.replace(' ', 'T')}${zoned ? '' : 'Z'}`);
  return Number.isNaN(milliseconds) || milliseconds < 0 ? undefined : Math.floor(milliseconds / 1000);
}

/** Reads a moment relative to now, as `--since` takes it: a time, or a duration before now. */
export function readMoment(value: string, now: number): number | undefined {
  const time = readTime(value);
  if (time !== undefined) return time;
  const before = readDuration(value.replace(/\s*ago$/, ''));
  return before === undefined ? undefined : Math.max(0, now - before);
}

/** Reads CTX_NOW. @throws {CtxError} usage, if it is neither Unix seconds nor an ISO time */
export function readNow(value: string): number {
  const time = readTime(value);
  if (time === undefined) {
    throw new CtxError('usage', `CTX_NOW is not a time: ${JSON.stringify(value)}`, {
      hint: 'Give Unix seconds (1769040000) or an ISO time (2026-01-22T00:00:00Z).',
    });
  }
  return time;
}

/** Unix seconds as `2026-01-22 00:00:00Z`. */
export function showTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `@${seconds}` : date.toISOString().replace('T', ' ').replace('.000Z', 'Z');
}
