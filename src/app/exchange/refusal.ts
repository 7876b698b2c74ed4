/** Refusals of a bundle: what is wrong with it, and that nothing was changed. */
import { CtxError } from '../../core/errors.ts';
import { isResourceError } from '../../platform/resource-errors.ts';

const HINT = 'Nothing was changed. Have it written again on the other machine with: ctx export';

/** Makes the error for a bundle that is not taken in. */
export const refused = (why: string, cause?: unknown): CtxError =>
  new CtxError('invalid_bundle', `The bundle is refused: ${why}.`, { hint: HINT, cause });

/** Runs a part of a check; what is damaged then is the bundle, not the store. */
export function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof CtxError) || isResourceError(error)) throw error;
    if (error.code !== 'damaged' && error.code !== 'unsupported_store') throw error;
    throw refused(error.message.replace(/\.$/, ''), error);
  }
}
