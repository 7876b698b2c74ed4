/** Finds whole steps that follow the head of an open session without a reflog: its ref may have gone back to an older value. */

import { lastOfReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readChain, readCommit } from '../chain/chain.ts';
import { isAncestor } from '../chain/ref-rollback.ts';
import { findSteps, ifReadable } from '../chain/step-search.ts';
import { SESSIONS } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { leftValues, type Steps } from './last-steps.ts';
import { isValue, type PointerState } from './pointer-state.ts';
import { idOf } from './session-location.ts';

/** Returns whether a ref has no reflog. */
const isUntold = ({ layout }: Pick<Repository, 'layout'>, ref: string): boolean =>
  lastOfReflog(layout.root, ref) === null;

/** An open session whose ref has gone back. */
export interface RolledBackSession {
  ref: string;
  head: string;
  /** Later steps without successor, the newest first. */
  ends: readonly string[];
}

/**
 * Yields the open sessions that have gone back. If the file and reflog of a ref are deleted while `packed-refs` has an older
 * value, only the steps show that. A ref with a reflog is where the reflog says, and a later step is one that a killed
 * process did not publish. Reads every object if there is a candidate.
 */
export function* rolledBackSessions(repository: Repository, stock: PointerState): Generator<RolledBackSession> {
  const { objects, refs } = repository;
  const heads = [...stock.refs].flatMap(([ref, head]): [string, string][] =>
    ref.startsWith(SESSIONS) && isValue(head) && !stock.moving.has(ref) && isUntold(repository, ref)
      ? [[ref, head]]
      : [],
  );
  if (heads.length === 0) return;
  const steps = findSteps(objects, new Set(heads.map(([ref]) => idOf(ref))));
  for (const [ref, head] of heads) {
    const ends = endsBehind(repository, stock, ref, head, steps);
    // A session that has just begun, and has continued meanwhile, had a ref before it had a reflog.
    const stands = (): boolean => refs.read(ref) === head && isUntold(repository, ref);
    if (ends.length > 0 && ifReadable(stands)) yield { ref, head, ends };
  }
}

function endsBehind({ objects }: Repository, stock: PointerState, ref: string, head: string, steps: Steps): string[] {
  const left = leftValues(stock, ref, head);
  const isLeft = (oid: string): boolean => left.some((value) => value === oid || isAncestor(objects, oid, value));
  const isWhole = (oid: string): boolean => !isDamaged(() => readChain(objects, oid, ref));
  const line = new Set([head]);
  const followed = new Set<string>();
  // First to last, so that each step comes after its parent.
  for (const { oid } of [...(steps.get(idOf(ref)) ?? [])].reverse()) {
    if (!isWhole(oid) || isLeft(oid)) continue;
    const parents = readCommit(objects, oid).parents.filter((parent) => line.has(parent));
    if (parents.length === 0) continue;
    line.add(oid);
    for (const parent of parents) followed.add(parent);
  }
  return [...line].filter((oid) => oid !== head && !followed.has(oid)).reverse();
}
