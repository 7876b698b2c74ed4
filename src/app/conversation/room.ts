/** Makes room in the window of a model before ctx hands a conversation to it, unless `context.auto` is false. */
import { contextSettings } from '../../core/conversation/settings.ts';
import { plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type CompactContextOptions, compactContext } from './compact.ts';

export interface RoomOptions extends Pick<CompactContextOptions, 'environment' | 'wait'> {
  /** Called with what was done, a sentence each. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Called with what went wrong, a sentence each; by default `onNotice` is. */
  onWarning?: ((warning: string) => void) | undefined;
}

const NO_ROOM = 'The next turn may not fit into the window of the model. Make room with: ctx context prune';

/**
 * Compacts the context of an open session, if the next request would not fit. If that fails, nothing is changed, and `onWarning` is called.
 * @throws {CtxError} as `compactContext` with `auto`
 */
export async function makeRoom(
  given: Repository,
  session: string,
  { onNotice, onWarning = onNotice, environment, wait }: RoomOptions,
): Promise<void> {
  const repository: Repository = { ...given, session };
  if (!contextSettings(repository.settings.context).auto) return;
  const { part, turns, warnings } = await compactContext(repository, { auto: true, environment, wait });
  if (part) onNotice?.(`Summarised ${plural(turns, 'earlier turn')}, so that the next one fits.`);
  for (const warning of warnings) onWarning?.(warning);
  if (!part && warnings.length > 0) onWarning?.(NO_ROOM);
}
