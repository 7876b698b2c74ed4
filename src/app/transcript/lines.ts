/** Splits a transcript into lines: one too long to be held is kept without picture data and the ends of long texts. */
import { LINE_LIMIT, type Line, readLines } from '../../core/lines.ts';
import { LineShortener } from '../../core/short-line.ts';
import { RunningHash } from '../../platform/hash.ts';

const LIMIT = `is longer than ${LINE_LIMIT / 1_048_576} MiB`;
/** The message for a line that was left out, and the one for a line that was shortened. */
export const NOT_KEPT = `${LIMIT} however it is shortened, and is not kept`;
export const SHORTENED = `${LIMIT}: the data of pictures and the ends of long texts and lists in it are left out`;

export const newShortener = (): LineShortener => new LineShortener(() => new RunningHash('sha256'), LINE_LIMIT);

/**
 * Splits the bytes of a transcript into lines.
 * @param start the offset of the first byte, which begins line `firstNumber`
 */
export const transcriptLines = (pieces: Iterable<Buffer>, firstNumber = 1, start = 0): Iterable<Line> =>
  readLines(pieces, firstNumber, start, newShortener);
