/** Sorts errors of single files: reports them as problems, and says whether the remaining files can be read. */
import type { LineProblem } from '../../agents/contract/agent.ts';
import type { UnreadReason } from '../../agents/contract/transcript-places.ts';
import { CtxError } from '../../core/errors.ts';
import type { FileProblem } from './file-problem.ts';
import type { Recognised } from './text.ts';

/** Words an error of one file as a problem, so that the other files can be read. */
export function asProblem(file: string, error: unknown): FileProblem {
  const message = error instanceof Error ? error.message : String(error);
  // The message may begin with the file, which a problem names already.
  const named = `${file} `;
  const bare = message.startsWith(named) ? message.slice(named.length) : message;
  if (error instanceof CtxError) return { file, line: null, message: bare, ...whyUnread(error) };
  return { file, line: null, message: `ctx failed at it in a way it should not: ${message}` };
}

/** Returns the reason that an error names, and what to do about it. */
function whyUnread({ data, hint }: CtxError): Pick<FileProblem, 'reason' | 'hint'> {
  const reason = data?.unread;
  if (typeof reason !== 'string') return {};
  return { reason: reason as UnreadReason, ...(hint !== undefined && { hint }) };
}

/** Returns whether the next file would fail likewise: the store is busy or damaged, or cannot be written. */
export function stopsAll(error: unknown, transcript: Recognised | undefined): boolean {
  if (!(error instanceof CtxError)) return false;
  const { code, data } = error;
  // A pointer that has moved meanwhile concerns one session only.
  if (code === 'damaged' || (code === 'busy' && data?.pointer === undefined)) return true;
  return code === 'io' && transcript !== undefined && isReadable(transcript);
}

/** Returns whether a transcript can be read to its end: else the file failed, and not the store. */
function isReadable({ text }: Recognised): boolean {
  try {
    for (const piece of text.pieces(0)) void piece;
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a transcript had nothing to keep, and nothing that could not be read. */
export function isEmpty(error: unknown): boolean {
  const problems = error instanceof CtxError ? error.data?.problems : undefined;
  return Array.isArray(problems) && problems.length === 0;
}

/** Returns the problems of a transcript that failed: the error, and the unreadable lines that it lists. */
export function problemsOf(file: string, error: unknown): FileProblem[] {
  const problems = error instanceof CtxError ? error.data?.problems : undefined;
  const lines = Array.isArray(problems) ? (problems as LineProblem[]) : [];
  return [asProblem(file, error), ...lines.map((problem) => ({ file, ...problem }))];
}
