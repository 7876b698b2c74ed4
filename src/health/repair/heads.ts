/** Rebuilds lost commits of sessions' heads, before another repair sets a ref back to an earlier one. */

import { MAIN } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isStep, readCommit } from '../../history/chain/chain.ts';
import { ifReadable } from '../../history/chain/step-search.ts';
import { archiveRef, SESSIONS } from '../../history/names/layout.ts';
import { isValue, type PointerState } from '../../history/pointers/pointer-state.ts';
import { idOf, type Saved } from '../../history/pointers/session-location.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type LostHead, remakeSteps } from './remake-step.ts';

/** Rebuilds the lost commits of sessions' refs whose content is whole; yields a sentence for each. */
export function* repairHeads(repository: Repository, stock: PointerState, saved: Saved): Generator<string> {
  // A lost commit may be in one of those packs.
  if (packsWithoutIndex(repository.layout).length > 0) return;
  // A rebuilt step may be the parent of another lost one, or lead to one.
  for (let isMore = true; isMore; ) {
    const lost = [...lostCommits(repository, stock, saved)];
    const made = remakeSteps(repository, lost);
    for (const { ref, oid } of lost) {
      const what = stock.refs.get(ref) === oid ? 'the head' : 'a step';
      if (made.has(oid)) yield `Rewrote ${oid}, ${what} of ${ref}: all that it held is whole.`;
    }
    isMore = made.size > 0;
  }
}

/** Yields the lost commits that refs of sessions name or lead to; for a ref without its commit also its earlier values. */
function* lostCommits({ objects, layout }: Repository, stock: PointerState, saved: Saved): Generator<LostHead> {
  const isGone = (oid: string): boolean => kindOf(objects, oid) === 'absent';
  const archives = [...saved.keys()].map(archiveRef);
  for (const ref of new Set([...stock.refs.keys(), ...stock.logged.keys(), ...archives])) {
    const stands = stock.refs.get(ref);
    const [newest] = stock.logged.get(ref) ?? [];
    const isGood = isValue(stands) && !isGone(stands);
    // An operation has removed it, or is about to.
    const isAway = stands === undefined && newest?.new === null;
    if (ref === MAIN || ref === 'STAGE' || isAway || stock.moving.has(ref)) continue;
    if (isGood && firstGap(objects, stands) === null) continue;
    const logged = ifReadable(() => readReflog(layout.root, ref).map((line) => line.new)) ?? [];
    const works = ref.startsWith(SESSIONS) ? [] : (saved.get(idOf(ref)) ?? []);
    const named = [isValue(stands) ? stands : null, newest?.new, ...logged, ...works];
    const seen = new Set<string>();
    for (const value of named) {
      const oid = value ? firstGap(objects, value, seen) : null;
      if (oid !== null && isGone(oid)) yield { ref, oid };
    }
  }
}

/**
 * Returns the first unreadable commit from a step down; null if the whole chain is readable.
 * @param seen checked commits: the result below them is known
 */
function firstGap(objects: ObjectStore, head: string, seen = new Set<string>()): string | null {
  for (let oid = head; ; ) {
    const step = oid;
    if (seen.has(step)) return null;
    seen.add(step);
    const commit = ifReadable(() => readCommit(objects, step));
    if (commit === null) return step;
    const [parent] = commit.parents;
    if (parent === undefined || !isStep(commit.message)) return null;
    oid = parent;
  }
}
