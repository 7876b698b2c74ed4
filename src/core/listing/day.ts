/** Days in the time zone of the machine. */

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns a day in the time zone of the machine: `2026-01-22`. @param at Unix seconds */
export function localDay(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
