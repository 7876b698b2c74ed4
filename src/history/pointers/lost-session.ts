/** Sessions whose ref is gone, and its reflog with it: the operation log and the main line tell of them still. */
import { type CtxError, damaged } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import { exists } from '../../platform/files.ts';
import type { Repository } from '../store/repository.ts';
import { takeStock } from './stock.ts';
import { idOf, lostRefs, lostSaved, savedChains } from './whereabouts.ts';

/**
 * Refs of sessions that are gone although nothing has taken them away, with a value that each is told to have had. That looks at every
 * ref and every commit of the main line: only for whoever has missed something.
 */
export function lostSessionRefs(repository: Repository): Map<string, string> {
  // What is forgotten takes refs away that are still told of.
  if (exists(repository.layout.forgetting)) return new Map();
  const stock = takeStock(repository);
  const saved = savedChains(repository.objects, stock.refs.get(MAIN));
  const lost = new Map(lostRefs(repository.objects, stock, saved));
  for (const [ref, [work]] of lostSaved(stock, saved)) if (work !== undefined && !lost.has(ref)) lost.set(ref, work);
  return lost;
}

export const lostRef = (ref: string, value: string): CtxError =>
  damaged(ref, `it is gone, and was last set to ${value}`, {
    hint: 'Nothing was changed. Repair it with: ctx fsck --repair',
  });

/** What is wrong with a session of whose id this is the beginning; null where none is lost that has such a one. */
export function lostSession(repository: Repository, beginning: string): CtxError | null {
  for (const [ref, value] of lostSessionRefs(repository))
    if (idOf(ref).startsWith(beginning)) return lostRef(ref, value);
  return null;
}
