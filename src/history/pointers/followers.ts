/** Whole steps that follow the head of an open session of which no reflog tells: the ref may have gone back to an older value. */

import { SESSIONS } from '../../git/layout.ts';
import { lastOfReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isAncestor } from '../chain/behind.ts';
import { readChain, readCommit } from '../chain/chain.ts';
import { findSteps, ifReadable } from '../chain/stray.ts';
import type { Repository } from '../store/repository.ts';
import { leftValues, type Steps } from './last-steps.ts';
import { isValue, type Stock } from './stock.ts';
import { idOf } from './whereabouts.ts';

/** Whether no reflog tells where a session stands. */
const isUntold = ({ layout }: Pick<Repository, 'layout'>, ref: string): boolean =>
  lastOfReflog(layout.root, ref) === null;

/** An open session that has gone back. */
export interface GoneBack {
  ref: string;
  head: string;
  /** Steps behind the head that none follows, the newest first. */
  ends: readonly string[];
}

/**
 * Where `packed-refs` has an older value of a ref whose file and reflog are deleted, only the steps tell. Whose reflog is there stands
 * where that says, and a step behind it is one that a killed process has not come to publish. Reads every object, where there is such a ref.
 */
export function* goneBack(repository: Repository, stock: Stock): Generator<GoneBack> {
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
    // One that was just begun, and has gone on meanwhile, had a ref before it had a reflog.
    const stands = (): boolean => refs.read(ref) === head && isUntold(repository, ref);
    if (ends.length > 0 && ifReadable(stands)) yield { ref, head, ends };
  }
}

function endsBehind({ objects }: Repository, stock: Stock, ref: string, head: string, steps: Steps): string[] {
  const left = leftValues(stock, ref, head);
  const isLeft = (oid: string): boolean => left.some((value) => value === oid || isAncestor(objects, oid, value));
  const isWhole = (oid: string): boolean => !isDamaged(() => readChain(objects, oid, ref));
  const line = new Set([head]);
  const followed = new Set<string>();
  // The first ones come last: each is met behind what it follows.
  for (const { oid } of [...(steps.get(idOf(ref)) ?? [])].reverse()) {
    if (!isWhole(oid) || isLeft(oid)) continue;
    const parents = readCommit(objects, oid).parents.filter((parent) => line.has(parent));
    if (parents.length === 0) continue;
    line.add(oid);
    for (const parent of parents) followed.add(parent);
  }
  return [...line].filter((oid) => oid !== head && !followed.has(oid)).reverse();
}
