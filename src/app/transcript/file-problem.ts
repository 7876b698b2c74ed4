/** Defines the report of a file that could not be read, or not all of it. */

import type { UnreadReason } from '../../agents/contract/transcript-places.ts';

/** A file, or a line of one, that could not be read. */
export interface FileProblem {
  file: string;
  /** Number of the line, from 1; null for the file as a whole. */
  line: number | null;
  message: string;
  /** Why the file is not read, and what to do; absent if the message says all. */
  reason?: UnreadReason;
  hint?: string;
  /** Everything on the line was read all the same. Absent if it was not. */
  all_read?: true;
}
