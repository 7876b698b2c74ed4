/** Times on the command line, as `--since` takes them. */
import { systemClock } from '../../app/open.ts';
import { CtxError } from '../../core/errors.ts';
import { readMoment } from '../../core/time.ts';

/** Parses a time as Unix seconds; undefined if the option is absent. @throws {CtxError} usage */
export function moment(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const time = readMoment(value, systemClock()());
  if (time !== undefined) return time;
  throw new CtxError('usage', `--${option} is not a time: ${value}`, {
    hint: 'Give 2026-01-22, 2026-01-22T10:00:00Z, Unix seconds or 7d.',
  });
}
