/** Pure helpers for text that strangers wrote: one line of it, a preview of it, a duration in words. */
import { BIDI_CONTROL, CONTROL } from './characters.ts';

/** Longest trailer value or subject line, in UTF-16 code units (format rule of ctx). */
export const LINE_LIMIT = 200;

const BLANKS = new RegExp(String.raw`[\s${CONTROL}${BIDI_CONTROL}\ufeff]+`, 'g');

/** One line already, and plain: the pattern above need not be compiled for it. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** Makes one line of a text: every run of control characters and white space becomes one blank. */
export function oneLine(text: string, limit = LINE_LIMIT): string {
  if (text.length <= limit && PLAIN_LINE.test(text)) return text;
  // A text of megabytes gives one line: nearly always its beginning is enough, and what is far beyond the limit cannot show.
  const near = joined(text.slice(0, limit * 2));
  const line = near.length > limit || text.length <= limit * 2 ? near : joined(text.slice(0, limit * 64));
  return truncate(line, limit).toWellFormed();
}

const joined = (text: string): string => text.replace(BLANKS, ' ').trim();

/** Whatever some program or other takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** Returns the lines of a text that strangers wrote, if each of them gets a mark of ours: none may pass without it. */
export const linesOf = (text: string): string[] => text.split(LINE_ENDS);

/** Cuts a text to at most `limit` UTF-16 code units, marks the cut with `…`, and never splits a surrogate pair. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${head(text, limit - 1)}…`;
}

/** The first `limit` code units of a text, one less where the cut would split a surrogate pair. */
export function head(text: string, limit: number): string {
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** The beginning and the end of a text that is longer than `limit` UTF-16 code units, and how much was left out between them. */
export function withoutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const begin = head(text, Math.ceil(limit / 2));
  const from = text.length - Math.floor(limit / 2);
  const first = text.charCodeAt(from);
  const end = text.slice(first >= 0xdc00 && first <= 0xdfff ? from + 1 : from);
  return `${begin}…\n[ctx left out ${plural(text.length - begin.length - end.length, 'character')} here]\n…${end}`;
}

const UNITS: [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** A number of seconds in words, in its largest whole unit and the next: `7 days 1 hour`, `59 seconds`. */
export function durationInWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([size]) => whole >= size);
  if (first < 0) return '0 seconds';
  const parts: string[] = [];
  let rest = whole;
  for (const [size, name] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return parts.join(' ');
}

/** `1 file`, `2 files`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** Puts values into a template: `{name}` is replaced, anything else in braces stays. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : whole,
  );
}

/** A path as a shell takes it. */
export const quoted = (path: string): string =>
  /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Words a number of bytes. */
export function bytesInWords(bytes: number): string {
  if (bytes < 10_240) return `${bytes} bytes`;
  return bytes < 10_485_760 ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / 1_048_576)} MiB`;
}
