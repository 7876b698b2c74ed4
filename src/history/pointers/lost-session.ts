/** Finds sessions whose ref and reflog are gone, by the operation log and main. */

import { type CtxError, damaged } from '../../core/errors.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import { MAIN } from '../../git/layout.ts';
import { exists } from '../../platform/files.ts';
import type { Repository } from '../store/repository.ts';
import { readPointerState } from './pointer-state.ts';
import { idOf, lostRefs, lostSaved, savedChains } from './session-location.ts';

/**
 * Returns the refs of sessions that no operation has removed but that are gone, each with a recorded value. Reads every ref
 * and every commit of main: only for a caller that misses something.
 */
export function lostSessionRefs(repository: Repository): Map<string, string> {
  // A forgetting removes refs that are still recorded.
  if (exists(repository.layout.forgetting)) return new Map();
  const stock = readPointerState(repository);
  const saved = savedChains(repository.objects, stock.refs.get(MAIN));
  const lost = new Map(lostRefs(repository.objects, stock, saved));
  for (const [ref, [work]] of lostSaved(stock, saved)) if (work !== undefined && !lost.has(ref)) lost.set(ref, work);
  return lost;
}

export const lostRef = (ref: string, value: string): CtxError =>
  damaged(ref, `it is gone, and was last set to ${value}`, {
    hint: 'Nothing was changed. Repair it with: ctx fsck --repair',
  });

/** Returns the error about a lost session that a piece of its id names; null if there is none. */
export function lostSession(repository: Repository, piece: string): CtxError | null {
  for (const [ref, value] of lostSessionRefs(repository))
    if (idsMatching([idOf(ref)], piece).length > 0) return lostRef(ref, value);
  return null;
}
