/** Checks a title that a user gives a session. */
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';

/** Longest title that is kept, in UTF-16 code units; lists show the beginning of a long one. */
const LONGEST = 200;

/** Returns a title as it is kept. @throws {CtxError} invalid_input */
export function checkedTitle(given: string): string {
  const title = oneLine(given, Number.MAX_SAFE_INTEGER);
  if (title !== '' && title.length <= LONGEST) return title;
  const problem = title === '' ? 'The title is empty.' : `The title has ${title.length} characters: ${LONGEST} fit.`;
  throw new CtxError('invalid_input', problem, {
    hint: 'Give a few words: ctx rename "Retry with backoff"; or take the title back with: ctx rename --reset',
  });
}
