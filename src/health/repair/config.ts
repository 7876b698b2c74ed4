/** Writing back what Git's config of a store has lost: without it Git collects and forgets by itself, and lets others read. */
import { parseConfig } from '../../core/config-file.ts';
import { configText } from '../../git/config.ts';
import { completed, missingFrom } from '../../git/config-entries.ts';
import { takeRefLock, unlessLocked } from '../../git/refs/lock.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Writes what is missing of Git's config behind what stands there, under the lock that Git changes it under. Only under LOCK. */
export function* repairConfig(repository: Repository): Generator<string> {
  const done = unlessLocked('config', () => completedConfig(repository));
  if (done !== null) yield done;
}

/** What was done, in words; null where nothing was. @throws {CtxError} busy */
function completedConfig({ layout, lockWait: wait, durability }: Repository): string | null {
  const { config, root, refMarker: marker } = layout;
  const seen = configText(layout);
  const missing = missingNames(seen);
  if (missing.length === 0) return null;
  const lock = takeRefLock({ path: `${config}.lock`, marker, content: completed(seen), root, wait, durability });
  // Whoever has changed it meanwhile comes first: the next repair looks again.
  const isSame = configText(layout) === seen;
  let done = false;
  try {
    if (isSame) lock.publish();
    done = true;
  } finally {
    lock.release(done);
  }
  return isSame ? `Wrote ${missing.join(', ')} into config again: it was missing there.` : null;
}

/** The keys that a config has lost; none where it cannot be read, which the check tells. */
function missingNames(text: string): string[] {
  try {
    return missingFrom(parseConfig(text)).map(({ key }) => key);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
