/** The recorded values of a pointer, and the last whole one, to which a repair may restore it. */

import { trailersOf } from '../../core/commit.ts';
import { damaged } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isRoot } from '../chain/canonical.ts';
import { isStep, readChain, readCommit, walkChain } from '../chain/chain.ts';
import { ifReadable } from '../chain/step-search.ts';
import { SESSIONS } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import type { PointerState } from './pointer-state.ts';

/**
 * Yields the values of a pointer, newest first: from its reflog, from packed-refs if the end of the reflog is torn, and from
 * the operation log; main, which only operations move, from the operation log first if it has no reflog.
 */
export function* lastValues(
  { layout }: Repository,
  { logged, packed }: PointerState,
  pointer: string,
): Generator<string> {
  const [last, ...before] = readReflog(layout.root, pointer)
    .reverse()
    .map((line) => line.new);
  const moves = (logged.get(pointer) ?? []).map((move) => move.new);
  const first = last === undefined && pointer === MAIN ? moves[0] : last;
  for (const value of [first, packed.get(pointer), ...before, ...moves]) if (value) yield value;
}

/** Returns the last value of a ref whose commit is whole. @param more values from other sources */
export function lastWhole(
  repository: Repository,
  stock: PointerState,
  ref: string,
  more: readonly string[] = [],
): string | undefined {
  const isWhole = (oid: string): boolean => !isDamaged(() => readOwn(repository.objects, ref, oid));
  return [...lastValues(repository, stock, ref), ...more].find(isWhole);
}

/**
 * Returns the last value of main if no recorded value is whole; null if one is, or if main was never more than the first
 * commit.
 */
export function lostMain(repository: Repository, stock: PointerState): string | null {
  const [named] = lastValues(repository, stock, MAIN);
  if (named === undefined || isRoot(named) || lastWhole(repository, stock, MAIN) !== undefined) return null;
  return named;
}

/**
 * Reads the commit of a pointer and checks that the pointer may name it. An open session needs its head's records too: the
 * next command looks there for flushed ones.
 * @throws {CtxError} damaged
 */
export function readOwn(objects: ObjectStore, ref: string, oid: string): void {
  readNamed(objects, ref, oid);
  if (!ref.startsWith(SESSIONS)) return;
  for (const part of partsOf(objects, readCommit(objects, oid).tree)) objects.readAs(part, 'blob');
}

function readNamed(objects: ObjectStore, ref: string, oid: string): void {
  const { message } = readCommit(objects, oid);
  if (ref !== MAIN) readChain(objects, oid, ref);
  else if (isStep(message)) throw damaged(ref, `${oid} is a step of a session`);
}

/** The entries of a step's tree that every later command needs: the session and the step's records. */
const NEEDED = ['session.json', 'step.jsonl'];

const partsOf = (objects: ObjectStore, tree: string, names: readonly string[] = NEEDED): string[] =>
  readTree(objects, tree).flatMap(({ name, oid }) => (names.includes(name) ? oid : []));

/** Reads the commit of a pointer, and every step below it. @throws {CtxError} damaged */
export function readWhole(objects: ObjectStore, ref: string, oid: string): void {
  readOwn(objects, ref, oid);
  for (const [step] of walkChain(objects, oid)) readChain(objects, step);
}

/**
 * Returns whether a pointer names a whole commit of another kind or session. If the commit itself is damaged, the pointer
 * may be right.
 */
export function isMistaken(objects: ObjectStore, ref: string, oid: string): boolean {
  if (isDamaged(() => (ref === MAIN ? readCommit(objects, oid) : readChain(objects, oid)))) return false;
  return isDamaged(() => readNamed(objects, ref, oid));
}

/** The missing head of an open session, and the step to continue from. */
export interface GoneHead {
  /** The missing object: the head itself, its tree, or its records. */
  gone: string;
  /** The last whole step before it; undefined if the head may still exist. */
  back: string | undefined;
  /** True if a pack has no index, and may contain the head. */
  mayBePacked: boolean;
}

/** Describes the missing head of an open session; null if it exists, or may exist. */
export function goneHead(repository: Repository, stock: PointerState, ref: string, head: string): GoneHead | null {
  const gone = ref.startsWith(SESSIONS) ? goneFrom(repository.objects, head) : null;
  if (gone === null) return null;
  const mayBePacked = packsWithoutIndex(repository.layout).length > 0;
  return { gone, back: mayBePacked ? undefined : wholeBefore(repository, stock, ref, head), mayBePacked };
}

/**
 * Returns the last whole step before a head: an ancestor, as far as the ancestors can be read, else a recorded value of its
 * ref.
 */
function wholeBefore(repository: Repository, stock: PointerState, ref: string, head: string): string | undefined {
  for (const oid of stepsBelow(repository.objects, head))
    if (!isDamaged(() => readOwn(repository.objects, ref, oid))) return oid;
  return lastWhole(repository, stock, ref);
}

/** Yields the ancestors of a step, the newest first: a command may have made several steps and moved the ref once. */
function* stepsBelow(objects: ObjectStore, head: string): Generator<string> {
  for (let oid: string | undefined = head; oid !== undefined; ) {
    const at: string = oid;
    const commit = ifReadable(() => readCommit(objects, at));
    const step = commit && trailersOf(commit.message).get('Ctx-Step');
    oid = step && step !== '1' ? commit.parents[0] : undefined;
    if (oid !== undefined) yield oid;
  }
}

/**
 * Returns the first missing object that a head needs; null if there is none. Torn objects are moved away before, or may be
 * whole. A missing session.json is no reason to go back: the records of the step can be read.
 */
function goneFrom(objects: ObjectStore, head: string): string | null {
  const isGone = (oid: string): boolean => kindOf(objects, oid) === 'absent';
  if (isGone(head)) return head;
  const tree = ifReadable(() => readCommit(objects, head).tree);
  if (tree === null || isGone(tree)) return tree;
  return ifReadable(() => partsOf(objects, tree, ['step.jsonl']))?.find(isGone) ?? null;
}
