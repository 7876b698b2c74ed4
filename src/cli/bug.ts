/** Words a bug: loaded only when there is one. */
import { sourcePlace, withSourcePlaces } from '../app/uncaught.ts';
import { CtxError } from '../core/errors.ts';

/** Makes an error that ctx did not expect one that it reports, with its place in the sources. */
export function bugIn(error: unknown): CtxError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const place = sourcePlace(error);
  return new CtxError('bug', `ctx failed in a way it should not: ${message}${place && ` (${place})`}`, {
    hint: 'Please report it with the command line. CTX_DEBUG=1 shows where it happened.',
    cause: error,
  });
}

/** Returns the stack of an error, with places in the sources. */
export const stackOf = (error: Error): string => withSourcePlaces(error.stack ?? '');
