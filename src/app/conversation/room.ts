/** Makes room in the window of a model before ctx hands a conversation to it, unless `context.auto` is false. */
import { contextSettings } from '../../core/conversation/settings.ts';
import { plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type CompactContextOptions, compactContext } from './compact.ts';

interface RoomOptions extends Pick<CompactContextOptions, 'environment' | 'wait'> {
  /** Gets the sentences about it. */
  onNotice?: ((notice: string) => void) | undefined;
}

/**
 * Compacts the context of an open session, if the next request would not fit.
 * @throws {CtxError} as `compactContext` with `auto`
 */
export async function makeRoom(
  given: Repository,
  session: string,
  { onNotice, environment, wait }: RoomOptions,
): Promise<void> {
  const repository: Repository = { ...given, session };
  if (!contextSettings(repository.settings.context).auto) return;
  const { part, turns, warnings } = await compactContext(repository, { auto: true, environment, wait });
  if (part) onNotice?.(`Summarised ${plural(turns, 'earlier turn')}, so that the next one fits.`);
  for (const warning of part ? warnings : []) onNotice?.(warning);
}
