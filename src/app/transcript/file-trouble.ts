/** Whether what went wrong with one file is its own trouble, so that the others go on. */
import type { LineProblem } from '../../agents/contract/agent.ts';
import type { UnreadReason } from '../../agents/contract/transcript-places.ts';
import { CtxError } from '../../core/errors.ts';
import type { FileProblem } from './file-problem.ts';
import type { Recognised } from './text.ts';

/** What went wrong with a file, for people. A reader that fails at one file reads the others all the same. */
export function asProblem(file: string, error: unknown): FileProblem {
  const message = error instanceof Error ? error.message : String(error);
  // A message that begins with the file has it named already.
  const named = `${file} `;
  const bare = message.startsWith(named) ? message.slice(named.length) : message;
  if (error instanceof CtxError) return { file, line: null, message: bare, ...whyUnread(error) };
  return { file, line: null, message: `ctx failed at it in a way it should not: ${message}` };
}

/** The reason of an error that names one, and what to do about it. */
function whyUnread({ data, hint }: CtxError): Pick<FileProblem, 'reason' | 'hint'> {
  const reason = data?.unread;
  if (typeof reason !== 'string') return {};
  return { reason: reason as UnreadReason, ...(hint !== undefined && { hint }) };
}

/** Whether the next file would meet the same: the store is busy or damaged, or cannot be written to. */
export function isOver(error: unknown, transcript: Recognised | undefined): boolean {
  if (!(error instanceof CtxError)) return false;
  const { code, data } = error;
  // A pointer that has moved meanwhile is one session's own.
  if (code === 'damaged' || (code === 'busy' && data?.pointer === undefined)) return true;
  return code === 'io' && transcript !== undefined && isReadable(transcript);
}

/** Whether a transcript can be read to its end: else it is the one that failed, and not the store. */
function isReadable({ text }: Recognised): boolean {
  try {
    for (const piece of text.pieces(0)) void piece;
    return true;
  } catch {
    return false;
  }
}

/** Whether there was nothing to keep in a transcript, and nothing that could not be read. */
export function isEmpty(error: unknown): boolean {
  const told = error instanceof CtxError ? error.data?.problems : undefined;
  return Array.isArray(told) && told.length === 0;
}

/** What made a transcript fail: the lines that could not be read where the error tells of them, and the file. */
export function problemsOf(file: string, error: unknown): FileProblem[] {
  const told = error instanceof CtxError ? error.data?.problems : undefined;
  const lines = Array.isArray(told) ? (told as LineProblem[]) : [];
  return [asProblem(file, error), ...lines.map((problem) => ({ file, ...problem }))];
}
