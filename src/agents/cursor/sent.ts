/** When the user sent a message, as Cursor writes it in front of their words: `<timestamp>Sunday, Aug 2, 2026, 3:51 AM (UTC-7)</timestamp>`. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Only at the beginning: further on, it may be the user's own words. */
const SENT =
  /^\s*<timestamp>(?:\w+, )?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d{2})\s([AP])M \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\)<\/timestamp>/;

/** The time that a text begins with, as an ISO text; undefined where it tells none, or no offset, since no zone is guessed. */
export function sentAt(text: string): string | undefined {
  const [found, month = '', day, year, hour, minute, half, sign, hours = 0, minutes = 0] = SENT.exec(text) ?? [];
  if (found === undefined || !MONTHS.includes(month)) return undefined;
  const inDay = (Number(hour) % 12) + (half === 'P' ? 12 : 0);
  const local = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), inDay, Number(minute));
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return new Date(local - offset).toISOString();
}
