/** Writing the commits of sessions' heads anew that are gone from the store, before anything else gives a ref back an earlier one. */

import { archiveRef, MAIN, SESSIONS } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isStep, readCommit } from '../../history/chain/chain.ts';
import { ifReadable } from '../../history/chain/stray.ts';
import { isValue, type Stock } from '../../history/pointers/stock.ts';
import { idOf, type Saved } from '../../history/pointers/whereabouts.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type LostHead, remakeSteps } from './remake-step.ts';

/** Writes what sessions' refs have named anew, where all that it held is whole; gives a sentence for each commit. */
export function* repairHeads(repository: Repository, stock: Stock, saved: Saved): Generator<string> {
  // What is gone may be in one of them.
  if (packsWithoutIndex(repository.layout).length > 0) return;
  // A step that is there again may be the one before another that is lost, or lead to one.
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

/** What the refs of sessions name or lead to and is gone; where a ref's own commit is not there, also what it has named. */
function* lostCommits({ objects, layout }: Repository, stock: Stock, saved: Saved): Generator<LostHead> {
  const isGone = (oid: string): boolean => kindOf(objects, oid) === 'absent';
  const archives = [...saved.keys()].map(archiveRef);
  for (const ref of new Set([...stock.refs.keys(), ...stock.told.keys(), ...archives])) {
    const stands = stock.refs.get(ref);
    const [newest] = stock.told.get(ref) ?? [];
    const isGood = isValue(stands) && !isGone(stands);
    // An operation took it away, or is about to.
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
 * The first commit from a step down that cannot be read; null where the whole chain can.
 * @param seen commits that were looked at: what is below them is known already
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
