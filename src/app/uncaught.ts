/** Names the sources of ctx in the stacks of uncaught errors, which Node prints. */
import { nameSources } from '../platform/source-places.ts';

export { sourcePlace, withSourcePlaces } from '../platform/source-places.ts';

/** Names the sources in an error that is about to end the process. How it ends stays the same. */
export function nameSourcesOfUncaught(): void {
  process.on('uncaughtExceptionMonitor', nameSources);
}
