/** Restores missing entries of a store's Git config: without them Git collects garbage, expires reflogs, and lets other users read. */
import { parseConfig } from '../../core/config-file.ts';
import { configText } from '../../git/config.ts';
import { completed, missingFrom } from '../../git/config-entries.ts';
import { takeRefLock, unlessLocked } from '../../git/refs/lock.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Appends the missing entries to the config under Git's lock of it. Only under LOCK. */
export function* repairConfig(repository: Repository): Generator<string> {
  const done = unlessLocked('config', () => completedConfig(repository));
  if (done !== null) yield done;
}

/** Completes the config; returns a sentence, or null if nothing was missing. @throws {CtxError} busy */
function completedConfig({ layout, lockWait: wait, durability }: Repository): string | null {
  const { config, root, refMarker: marker } = layout;
  const seen = configText(layout);
  const missing = missingNames(seen);
  if (missing.length === 0) return null;
  const lock = takeRefLock({ path: `${config}.lock`, marker, content: completed(seen), root, wait, durability });
  // A concurrent change takes precedence: the next repair looks again.
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

/** Returns the missing keys of a config; empty if it cannot be parsed, which the check reports. */
function missingNames(text: string): string[] {
  try {
    return missingFrom(parseConfig(text)).map(({ key }) => key);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
