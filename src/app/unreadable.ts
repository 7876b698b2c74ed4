/** Files of the store that its user may not read: a command that needs them finds the store damaged. */
import { sep } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';
import { rootOf, toCtxError } from '../platform/machine-errors.ts';

export { toCtxError as inWords };

const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM'];

/**
 * The same error, or damage where something of the store cannot be read; that it cannot be written to is none.
 * @param storeOf finds the folder of the store; null where there is none
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
