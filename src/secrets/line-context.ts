/** Reads the line around a place in a text, up to a limit. */
import { lazily } from '../core/lazily.ts';
import { LONGEST_MARKER, MARKER_START, markerEnd } from './marker.ts';

/** Text that is read in the place of a marker: a name that hardly anything has. */
const OPERAND = '_$_';

const LONGEST_BEFORE = 400;
const LONGEST_AFTER = 24;

/**
 * A stretch of a text with a name in the place of each marker. What was there was a value: what is around it says code as it
 * did before, and the signs of a marker are not taken for any.
 */
function withoutMarkers(text: string, from: number, to: number): string {
  const stretch = text.slice(from, to);
  if (!stretch.includes(MARKER_START)) return stretch;
  const parts: string[] = [];
  let past = from;
  for (let at = text.indexOf(MARKER_START, from); at >= 0 && at < to; at = text.indexOf(MARKER_START, at + 1)) {
    const end = markerEnd(text, at);
    if (end < 0) continue;
    parts.push(text.slice(past, at), OPERAND);
    past = end;
  }
  parts.push(text.slice(past, Math.max(past, to)));
  return parts.join('');
}

/** Text before a place, and its position: at the beginning of the text or not. */
export interface Stretch {
  readonly before: string;
  readonly isAll: boolean;
}

export function stretchBefore(text: string, at: number): Stretch {
  const from = Math.max(0, at - LONGEST_BEFORE);
  if (!text.slice(Math.max(0, from - LONGEST_MARKER), at).includes(MARKER_START))
    return { before: text.slice(from, at), isAll: from === 0 };
  // A marker may be longer than what it replaces, and what was seen then is to be seen now.
  const further = Math.max(0, from - LONGEST_BEFORE);
  return { before: withoutMarkers(text, further, at), isAll: further === 0 };
}

/** Returns the text before an index on its line; in JSON, the end of a line is escaped. */
export function lineBefore(text: string, at: number): string {
  const { before } = stretchBefore(text, at);
  const escaped = before.lastIndexOf('\\n');
  return before.slice(Math.max(before.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2));
}

/** Returns the text after an index on its line. */
export const lineBehind = (text: string, at: number): string =>
  LINE_ON().exec(withoutMarkers(text, at, at + LONGEST_AFTER))?.[0] ?? '';
const LINE_ON = lazily(() => /^(?:(?!\\n)[^\n])*/);
