/** What a pointer has named, and the last of it that is whole: what a repair may give it back. */

import { trailersOf } from '../../core/commit.ts';
import { damaged } from '../../core/errors.ts';
import { MAIN, SESSIONS } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/kind-of.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { packsWithoutIndex } from '../../git/objects/unindexed.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isRoot } from '../chain/canonical.ts';
import { isStep, readChain, readCommit, walkChain } from '../chain/chain.ts';
import { ifReadable } from '../chain/stray.ts';
import type { Repository } from '../store/repository.ts';
import type { Stock } from './stock.ts';

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

/**
 * Reads the commit that a pointer names, which must be one that it may name. An open session needs its head's records as well:
 * whoever goes on looks there for what was flushed.
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

/** What of a step's tree everybody needs who goes on from there: the session and the step's records. */
const NEEDED = ['session.json', 'step.jsonl'];

const partsOf = (objects: ObjectStore, tree: string, names: readonly string[] = NEEDED): string[] =>
  readTree(objects, tree).flatMap(({ name, oid }) => (names.includes(name) ? oid : []));

/** The same, with every step below it. @throws {CtxError} damaged */
export function readWhole(objects: ObjectStore, ref: string, oid: string): void {
  readOwn(objects, ref, oid);
  for (const [step] of walkChain(objects, oid)) readChain(objects, step);
}

/** Whether a pointer names a whole commit of somebody else's. Where the commit itself is damaged the pointer may be right. */
export function isMistaken(objects: ObjectStore, ref: string, oid: string): boolean {
  if (isDamaged(() => (ref === MAIN ? readCommit(objects, oid) : readChain(objects, oid)))) return false;
  return isDamaged(() => readNamed(objects, ref, oid));
}

/** The head of an open session that is gone from the store, or what it was made of is, and what is left to go on from. */
export interface GoneHead {
  /** What is gone: the head itself, its tree, or its records. */
  gone: string;
  /** The last step before it that is whole; none where the head may be there still. */
  back: string | undefined;
  /** Whether a pack has no index, and may have the head in it. */
  mayBePacked: boolean;
}

/** What is known of the head of an open session that cannot be read since something is gone; null where it is there, or may be. */
export function goneHead(repository: Repository, stock: Stock, ref: string, head: string): GoneHead | null {
  const gone = ref.startsWith(SESSIONS) ? goneFrom(repository.objects, head) : null;
  if (gone === null) return null;
  const mayBePacked = packsWithoutIndex(repository.layout).length > 0;
  return { gone, back: mayBePacked ? undefined : wholeBefore(repository, stock, ref, head), mayBePacked };
}

/** The last whole step before a head: one that it follows, as far down as that can be told, else one that its ref has named. */
function wholeBefore(repository: Repository, stock: Stock, ref: string, head: string): string | undefined {
  for (const oid of stepsBelow(repository.objects, head))
    if (!isDamaged(() => readOwn(repository.objects, ref, oid))) return oid;
  return lastWhole(repository, stock, ref);
}

/** The steps that one follows, the newest first: a command may have made several, and moved the ref once. */
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
 * The first thing that is gone of what a head needs; null where nothing is. What is torn is set aside before, or may be whole. A
 * session.json alone is no reason to go back: the records of the step can be read.
 */
function goneFrom(objects: ObjectStore, head: string): string | null {
  const isGone = (oid: string): boolean => kindOf(objects, oid) === 'absent';
  if (isGone(head)) return head;
  const tree = ifReadable(() => readCommit(objects, head).tree);
  if (tree === null || isGone(tree)) return tree;
  return ifReadable(() => partsOf(objects, tree, ['step.jsonl']))?.find(isGone) ?? null;
}
