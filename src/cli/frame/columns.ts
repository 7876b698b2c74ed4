/** Lays out lines in columns of a terminal. A character may be zero, one or two columns wide. */
import { wideWidth } from './wide.ts';

/**
 * Text of which each character takes one column: the letters of Latin, Greek and Cyrillic, quotes, dashes, arrows, lines and the marks of
 * lists. The tables for all others are large.
 */
export const PLAIN =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03c9\u0410-\u045f\u2010-\u2027\u2190-\u2193\u2500-\u257f\u276f]*$/;
/** The same without a letter beyond ASCII: the test of nearly every text takes a quarter of the time. */
const ASCII = /^[\x20-\x7e]*$/;
const widthOf = (text: string): number => (ASCII.test(text) || PLAIN.test(text) ? text.length : wideWidth(text));

/** Cuts a text to a number of terminal columns, and marks the cut with `…`; null leaves it whole. */
export function truncated(text: string, columns: number | null): string {
  if (columns === null || widthOf(text) <= columns) return text;
  if (PLAIN.test(text)) return columns < 1 ? '' : `${text.slice(0, columns - 1).trimEnd()}…`;
  let kept = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

/** Pads a text with spaces to a number of terminal columns. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - widthOf(text)));

/** Pads the texts of a column to the widest of them. */
export function padded(texts: readonly string[]): string[] {
  const widths = texts.map(widthOf);
  const width = widths.reduce((most, one) => Math.max(most, one), 0);
  return texts.map((text, row) => (widths[row] === width ? text : text + ' '.repeat(width - (widths[row] as number))));
}

/** Returns the width of the widest of some texts, in terminal columns. */
export const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

/** Breaks a text between words into lines of at most a number of terminal columns; null leaves it whole. */
export function wrapped(text: string, columns: number | null): string[] {
  if (columns === null) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= columns) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}
