/** What a pointer has named, and the last of it that is whole: what a repair may give it back. */

import { damaged } from '../../core/errors.ts';
import { isRoot } from '../chain/canonical.ts';
import { isStep, readChain, readCommit, walkChain } from '../chain/chain.ts';
import { MAIN, SESSIONS } from '../layout.ts';
import { kindOf } from '../objects/kind-of.ts';
import type { ObjectStore } from '../objects/objects.ts';
import { packsWithoutIndex } from '../objects/unindexed.ts';
import { isDamaged } from '../repair/set-aside.ts';
import type { Stock } from '../repair/stock.ts';
import type { Repository } from '../repository.ts';
import { readReflog } from './reflog.ts';

/**
 * What a pointer named last, newest first: by its reflog, by packed-refs where the reflog's end is torn, by the operation log;
 * main, which moves by operations alone, by the operation log first where it has no reflog.
 */
export function* lastValues({ layout }: Repository, { told, packed }: Stock, pointer: string): Generator<string> {
  const [last, ...before] = readReflog(layout.root, pointer)
    .reverse()
    .map((line) => line.new);
  const moves = (told.get(pointer) ?? []).map((move) => move.new);
  const first = last === undefined && pointer === MAIN ? moves[0] : last;
  for (const value of [first, packed.get(pointer), ...before, ...moves]) if (value) yield value;
}

/** The last value of a ref whose commit is whole. @param more values that something else tells of */
export function lastWhole(
  repository: Repository,
  stock: Stock,
  ref: string,
  more: readonly string[] = [],
): string | undefined {
  const isWhole = (oid: string): boolean => !isDamaged(() => readOwn(repository.objects, ref, oid));
  return [...lastValues(repository, stock, ref), ...more].find(isWhole);
}

/** What main named last, where no log tells of anything on it that is whole; null where one does, or it was never more than the first commit. */
export function lostMain(repository: Repository, stock: Stock): string | null {
  const [named] = lastValues(repository, stock, MAIN);
  if (named === undefined || isRoot(named) || lastWhole(repository, stock, MAIN) !== undefined) return null;
  return named;
}

/** Reads the commit that a pointer names, which must be one that it may name. @throws {CtxError} damaged */
export function readOwn(objects: ObjectStore, ref: string, oid: string): void {
  const { message } = readCommit(objects, oid);
  if (ref !== MAIN) readChain(objects, oid, ref);
  else if (isStep(message)) throw damaged(ref, `${oid} is a step of a session`);
}

/** The same, with every step below it. @throws {CtxError} damaged */
export function readWhole(objects: ObjectStore, ref: string, oid: string): void {
  readOwn(objects, ref, oid);
  for (const [step] of walkChain(objects, oid)) readChain(objects, step);
}

/** Whether a pointer names a whole commit of somebody else's. Where the commit itself is damaged the pointer may be right. */
export function isMistaken(objects: ObjectStore, ref: string, oid: string): boolean {
  if (isDamaged(() => (ref === MAIN ? readCommit(objects, oid) : readChain(objects, oid)))) return false;
  return isDamaged(() => readOwn(objects, ref, oid));
}

/** The head of an open session that is gone from the store, and what is left to go on from. */
export interface GoneHead {
  /** The last step before it that is whole; none where the head may be there still. */
  back: string | undefined;
  /** Whether a pack has no index, and may have the head in it. */
  mayBePacked: boolean;
}

/** What is known of the head of an open session that is gone; null where it is there, or may be. */
export function goneHead(repository: Repository, stock: Stock, ref: string, head: string): GoneHead | null {
  if (!ref.startsWith(SESSIONS) || kindOf(repository.objects, head) !== 'absent') return null;
  const mayBePacked = packsWithoutIndex(repository.layout).length > 0;
  return { back: mayBePacked ? undefined : lastWhole(repository, stock, ref), mayBePacked };
}
