/** The last step of a session, where its ref is torn or gone: what follows from what the ref has named, or what the objects tell alone. */

import { archiveRef, SESSIONS, sessionRef } from '../../git/layout.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isAncestor } from '../chain/behind.ts';
import { readCommit } from '../chain/chain.ts';
import { furthest, ifReadable, type StrayStep } from '../chain/stray.ts';
import { sessionsWithChoice } from '../pending/choices.ts';
import { sessionsWithPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import { readWhole } from './last-values.ts';
import { isValue, type Stock } from './stock.ts';
import { idOf, type Saved } from './whereabouts.ts';

/** Steps by session, the last one first. */
export type Steps = ReadonlyMap<string, readonly StrayStep[]>;

/** The furthest whole step that follows from what a ref is known to have named: its log may have lost its end, too. */
export function furthestOf(repository: Repository, stock: Stock, ref: string, known: string, steps: Steps): string {
  const { objects } = repository;
  const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
  const left = [...leftValues(stock, ref, known), ...goneBackFrom(repository, ref)];
  return furthest(objects, steps.get(idOf(ref)) ?? [], known, left, isWhole) ?? known;
}

/** The last whole step of a session, where nothing tells what its ref has named; null where there is none. */
export function newestOf({ objects }: Repository, stock: Stock, ref: string, steps: Steps): string | null {
  const left = leftValues(stock, ref, null);
  const isLeft = (oid: string): boolean => left.some((value) => value === oid || isAncestor(objects, oid, value));
  const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
  return (steps.get(idOf(ref)) ?? []).find(({ oid }) => !isLeft(oid) && isWhole(oid))?.oid ?? null;
}

/**
 * Sessions of which there is no ref, and of which no log tells, though something of them is left that only an open session has: STAGE
 * names it, or records or a question wait for it. Steps alone tell nothing: what was taken back leaves some, too.
 */
export function* witnessed(repository: Repository, stock: Stock, saved: Saved): Generator<string> {
  const { refs, told, moving, stage, unlisted } = stock;
  if (unlisted.length > 0) return;
  const named = isValue(stage) && stage.startsWith(SESSIONS) ? [idOf(stage)] : [];
  // Where one of the folders is none, that is told by itself.
  const waiting = [sessionsWithPending, sessionsWithChoice].flatMap((look) => ifReadable(() => look(repository)) ?? []);
  for (const id of new Set([...named, ...waiting])) {
    const all = [sessionRef(id), archiveRef(id)];
    if (!saved.has(id) && !all.some((ref) => refs.has(ref) || told.has(ref) || moving.has(ref))) yield id;
  }
}

/** Values from which a ref went back to one below, as its log tells. */
function goneBackFrom({ objects, layout }: Repository, ref: string): string[] {
  // Nearly every move is to the next step: that is seen without going down the chain.
  const isNext = (old: string, now: string): boolean =>
    ifReadable(() => readCommit(objects, now).parents.includes(old)) ?? false;
  return readReflog(layout.root, ref).flatMap(({ old, new: now }) =>
    old !== null && now !== null && !isNext(old, now) && isAncestor(objects, now, old) ? [old] : [],
  );
}

/** Values that operations took a session's refs away from, but for what they stand at now. */
export function leftValues({ told }: Stock, ref: string, known: string | null): string[] {
  const moves = [sessionRef(idOf(ref)), archiveRef(idOf(ref))].flatMap((pointer) => told.get(pointer) ?? []);
  return moves.map((move) => move.old).filter((old) => old !== null && old !== known) as string[];
}
