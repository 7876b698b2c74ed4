/** Files of the store that its user may not read: a command that needs them finds the store damaged. */
import { sep } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';

const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM'];

/**
 * The same error, or damage where something of the store cannot be read; that it cannot be written to is none.
 * @param store the folder of the store; null where none is known
 */
export function asDamage(error: unknown, store: string | null): unknown {
  if (!(error instanceof CtxError) || error.code !== 'io' || store === null) return error;
  const { message, hint, cause } = error;
  const isRead = /^Cannot (read|list|look at|find) /.test(message) && FORBIDDEN.includes(errorCode(cause));
  return isRead && message.includes(`${store}${sep}`) ? new CtxError('damaged', message, { hint, cause }) : error;
}
