/** Turns errors of files of the store that its user may not read into damage. */
import { sep } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';
import { rootOf, toCtxError } from '../platform/machine-errors.ts';

export { toCtxError as inWords };

const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM'];

/**
 * Returns the same error, or damage if a file of the store cannot be read; a failed write is none.
 * @param storeOf returns the folder of the store; null if there is none
 */
export function asDamage(error: unknown, storeOf: () => string | null): unknown {
  const worded = toCtxError(error);
  if (!(worded instanceof CtxError) || worded.code !== 'io') return worded;
  const { message, hint, data } = worded;
  const isRead = /^Cannot (read|list|look at|find) /.test(message) && FORBIDDEN.includes(errorCode(rootOf(worded)));
  const store = isRead ? storeOf() : null;
  if (store === null || !message.includes(`${store}${sep}`)) return worded;
  return new CtxError('damaged', message, { hint, data, cause: error });
}
