/** Finds the last step of a session whose ref is torn or missing, from the values of the ref, or from the objects alone. */

import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readCommit } from '../chain/chain.ts';
import { isAncestor } from '../chain/ref-rollback.ts';
import { type FoundStep, ifReadable, lastDescendant } from '../chain/step-search.ts';
import { archiveRef, SESSIONS, sessionRef } from '../names/layout.ts';
import { sessionsWithChoice } from '../pending/choices.ts';
import { sessionsWithPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import { readWhole } from './last-values.ts';
import { isValue, type PointerState } from './pointer-state.ts';
import { idOf, type Saved } from './session-location.ts';

/** Steps by session, the last one first. */
export type Steps = ReadonlyMap<string, readonly FoundStep[]>;

/** Returns the last whole step that follows a known value of a ref: the end of its log may be missing too. */
export function furthestOf(
  repository: Repository,
  stock: PointerState,
  ref: string,
  known: string,
  steps: Steps,
): string {
  const { objects } = repository;
  const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
  const left = [...leftValues(stock, ref, known), ...goneBackFrom(repository, ref)];
  return lastDescendant(objects, steps.get(idOf(ref)) ?? [], known, left, isWhole) ?? known;
}

/** Returns the last whole step of a session whose ref has no recorded value; null if there is none. */
export function newestOf({ objects }: Repository, stock: PointerState, ref: string, steps: Steps): string | null {
  const left = leftValues(stock, ref, null);
  const isLeft = (oid: string): boolean => left.some((value) => value === oid || isAncestor(objects, oid, value));
  const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
  return (steps.get(idOf(ref)) ?? []).find(({ oid }) => !isLeft(oid) && isWhole(oid))?.oid ?? null;
}

/**
 * Yields sessions without ref or log that still have something that only an open session has: STAGE names them, or they have
 * pending records or a question. Steps alone prove nothing, since undone sessions leave some.
 */
export function* witnessed(repository: Repository, stock: PointerState, saved: Saved): Generator<string> {
  const { refs, logged, moving, stage, unlisted } = stock;
  if (unlisted.length > 0) return;
  const named = isValue(stage) && stage.startsWith(SESSIONS) ? [idOf(stage)] : [];
  // If one of the folders is not a folder, that is reported separately.
  const waiting = [sessionsWithPending, sessionsWithChoice].flatMap((look) => ifReadable(() => look(repository)) ?? []);
  for (const id of new Set([...named, ...waiting])) {
    const all = [sessionRef(id), archiveRef(id)];
    if (!saved.has(id) && !all.some((ref) => refs.has(ref) || logged.has(ref) || moving.has(ref))) yield id;
  }
}

/** Returns values from which a ref went back to an ancestor, according to its log. */
function goneBackFrom({ objects, layout }: Repository, ref: string): string[] {
  // Nearly every move is to the next step, which needs no walk of the chain.
  const isNext = (old: string, now: string): boolean =>
    ifReadable(() => readCommit(objects, now).parents.includes(old)) ?? false;
  return readReflog(layout.root, ref).flatMap(({ old, new: now }) =>
    old !== null && now !== null && !isNext(old, now) && isAncestor(objects, now, old) ? [old] : [],
  );
}

/** Returns the values that operations moved a session's refs away from, except their present one. */
export function leftValues({ logged }: PointerState, ref: string, known: string | null): string[] {
  const moves = [sessionRef(idOf(ref)), archiveRef(idOf(ref))].flatMap((pointer) => logged.get(pointer) ?? []);
  return moves.map((move) => move.old).filter((old) => old !== null && old !== known) as string[];
}
