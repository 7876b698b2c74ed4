/** Checks what everything else depends on: HEAD, config, settings, the folders, and that no entry leads out of the store. */

import { CtxError } from '../../core/errors.ts';
import { strangeEntries } from '../../git/guard.ts';
import type { Layout } from '../../git/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { checkConfig, checkHead, misplaced, misplacedFiles, storedSettings } from '../../history/store/skeleton.ts';
import { below } from '../../platform/below.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { damage, type Finding, findingOf, REPAIR } from '../finding.ts';
import { isLostLink } from '../links.ts';

export function* verifySkeleton({ layout }: Repository): Generator<Finding> {
  for (const name of misplaced(layout)) yield damage('file', name, 'it must be a folder, and is none', REPAIR);
  for (const name of misplacedFiles(layout)) yield damage('file', name, 'it must be a file, and is none', REPAIR);
  yield* refusal('file', 'HEAD', REPAIR, () => checkHead(layout));
  yield* refusal('config', 'config', REPAIR, () => checkConfig(layout));
  const { settings } = layout;
  const hint = `Correct ${settings}, or continue with the defaults: mv ${settings} ${settings}.broken`;
  yield* refusal('settings', 'settings.json', hint, () => storedSettings(layout));
}

/** Reports an error that makes commands refuse the store. */
function* refusal(kind: string, where: string, hint: string, check: () => unknown): Generator<Finding> {
  try {
    check();
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    // A repair cannot read an unreadable file either.
    yield damage(kind, where, error.message, error.code === 'io' && error.hint !== undefined ? error.hint : hint);
  }
}

/** Reports entries that no store has, since Git would follow or wait for them, and unreadable folders. */
export function* verifyEntries(layout: Layout): Generator<Finding> {
  const unlisted: Finding[] = [];
  const onFailure = (folder: string, error: unknown): void => {
    unlisted.push(findingOf(error, 'file', folder));
  };
  for (const [name, what] of strangeEntries(layout, onFailure)) {
    const byHand = `If you did not put it there: rm ${below(layout.root, name)}`;
    yield damage('file', name, `it is ${what}`, isLostLink(layout, name) ? REPAIR : byHand);
  }
  yield* unlisted;
}
