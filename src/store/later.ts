/** What a pointer should name beyond the value that it has or was given back: where its logs are lost, the other pointers and the objects tell. */
import { trailersOf } from '../core/commit.ts';
import { isAncestor } from './behind.ts';
import { readChain, readCommit } from './chain.ts';
import { readOwn, readWhole } from './last-values.ts';
import { archiveRef, isPointer, MAIN, SESSIONS, sessionRef } from './layout.ts';
import type { ObjectStore } from './objects.ts';
import { lastOfReflog, readReflog } from './reflog.ts';
import type { Repository } from './repository.ts';
import { isDamaged } from './set-aside.ts';
import { isValue, type Stock } from './stock.ts';
import { findEnds, findSteps, furthest, ifReadable, type StrayStep } from './stray.ts';
import { holds, idOf, type Saved } from './whereabouts.ts';

/** A later commit of the main line, and what tells of it. */
export interface Later {
  oid: string;
  told: string;
}

/**
 * The latest commit of the main line behind one that the logs tell of: one at which a session begins, or which has saved one that
 * is archived so. What an undo took back is none. Null where nothing tells of a later one.
 */
export function laterThan({ objects }: Repository, { refs, takenBack, told }: Stock, last: string): Later | null {
  const all: Later[] = [];
  for (const [ref, head] of refs) {
    if (ref === MAIN || !isValue(head) || isDamaged(() => readChain(objects, head, ref))) continue;
    all.push({ oid: readChain(objects, head, ref).session.base, told: `at which ${ref} begins` });
  }
  for (const oid of findEnds(objects)) {
    const trailers = trailersOf(readCommit(objects, oid).message);
    const archive = archiveRef(trailers.get('Ctx-Session') ?? '');
    if (refs.get(archive) === trailers.get('Ctx-Work')) all.push({ oid, told: `which has saved ${archive}` });
  }
  const onLine = (line: string | null, oid: string): boolean => line !== null && holds(objects, line, oid);
  // The newest move that has it on its line tells: an undo of an undo brings it back.
  const isLeft = (oid: string): boolean => {
    const newest = (told.get(MAIN) ?? []).find((move) => onLine(move.new, oid) || onLine(move.old, oid));
    return newest !== undefined && !onLine(newest.new, oid) && takenBack.includes(newest);
  };
  let latest: Later | null = null;
  for (const later of all) {
    const isFurther = isAncestor(objects, latest?.oid ?? last, later.oid);
    if (isFurther && !isLeft(later.oid) && !isDamaged(() => readWholeLine(objects, later.oid))) latest = later;
  }
  return latest;
}

/** Every commit of the main line below one. @throws {CtxError} damaged */
export function readWholeLine(objects: ObjectStore, oid: string): void {
  for (let next: string | undefined = oid; next !== undefined; ) {
    readOwn(objects, MAIN, next);
    next = readCommit(objects, next).parents[0];
  }
}

/** The furthest whole step that follows from what a ref is known to have named: its log may have lost its end, too. */
export function furthestOf(
  repository: Repository,
  stock: Stock,
  ref: string,
  known: string,
  steps: ReadonlyMap<string, readonly StrayStep[]>,
): string {
  const { objects } = repository;
  const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
  const left = [...leftValues(stock, ref, known), ...goneBackFrom(repository, ref)];
  return furthest(objects, steps.get(idOf(ref)) ?? [], known, left, isWhole) ?? known;
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
function leftValues({ told }: Stock, ref: string, known: string): string[] {
  const moves = [sessionRef(idOf(ref)), archiveRef(idOf(ref))].flatMap((pointer) => told.get(pointer) ?? []);
  return moves.map((move) => move.old).filter((old) => old !== null && old !== known) as string[];
}

/** What the reflog says of a value that a repair has given back. */
export const REPAIRED = 'fsck --repair';

/**
 * Whether a ref is there and no reflog tells of it, as after a clone, and as where its own files are gone and an older value of it
 * was packed: then the objects alone tell whether it had gone on.
 */
export const isUntold = ({ layout }: Repository, { refs, moving }: Stock, ref: string): boolean =>
  isValue(refs.get(ref)) && !moving.has(ref) && lastOfReflog(layout.root, ref) === null;

/** Refs of sessions that no reflog tells of, each with a later step that objects hold and that nothing has taken back. */
export function* laterSteps(
  repository: Repository,
  stock: Stock,
): Generator<[ref: string, value: string, later: string]> {
  const untold = [...stock.refs.keys()].filter((ref) => ref !== MAIN && isUntold(repository, stock, ref));
  if (untold.length === 0) return;
  // That reads every object: once for all of them.
  const steps = findSteps(repository.objects, new Set(untold.map(idOf)));
  for (const ref of untold) {
    const value = stock.refs.get(ref) as string;
    const later = furthestOf(repository, stock, ref, value, steps);
    // A new ref's reflog is written after it: one that is being made has one by now.
    if (later !== value && isUntold(repository, stock, ref)) yield [ref, value, later];
  }
}

/** A later commit of the main line, where no log tells of main; null where nothing tells of one either. */
export function laterMain(repository: Repository, stock: Stock): Later | null {
  // Where operations tell of main, it stands where they say, and Git may have pruned what an undo took back.
  if (!isUntold(repository, stock, MAIN) || stock.told.has(MAIN)) return null;
  const { objects } = repository;
  const value = stock.refs.get(MAIN) as string;
  const isLater = (end: string): boolean =>
    isAncestor(objects, value, end) &&
    !isDamaged(() => readWholeLine(objects, end)) &&
    !hasGoneOn(repository, stock, value, end);
  const oid = findEnds(objects).find(isLater);
  if (oid === undefined) return laterThan(repository, stock, value);
  return { oid, told: 'the newest commit in the store that follows from what it named' };
}

/** Whether a session is open that a later part of the main line has saved, and is more than was saved: that was taken back. */
function hasGoneOn(repository: Repository, stock: Stock, value: string, end: string): boolean {
  const { objects } = repository;
  for (let oid = end; oid !== value; ) {
    const { message, parents } = readCommit(objects, oid);
    const trailers = trailersOf(message);
    const open = sessionRef(trailers.get('Ctx-Session') ?? '');
    const work = trailers.get('Ctx-Work');
    if (work !== undefined && stock.refs.has(open) && !isLeftOpen(repository, stock, open, [work])) return true;
    const [parent] = parents;
    if (parent === undefined) return false;
    oid = parent;
  }
  return false;
}

/** Whether an open session's ref is only what is left of one that main has saved: all that it names was saved, and no log tells of it. */
export function isLeftOpen(repository: Repository, stock: Stock, open: string, works: readonly string[]): boolean {
  if (!open.startsWith(SESSIONS) || !isUntold(repository, stock, open) || stock.told.has(open)) return false;
  return works.some((work) => holds(repository.objects, work, stock.refs.get(open) as string));
}

/** Sessions of which there are steps, and of which no ref, no log and no commit of main tells, where all reflogs are gone; each with its last whole step. */
export function* forgottenSessions(
  repository: Repository,
  stock: Stock,
  saved: Saved,
): Generator<[ref: string, oid: string]> {
  const { refs, told, unlisted } = stock;
  const { objects, layout } = repository;
  const main = refs.get(MAIN);
  // What a repair has told it has found out: one that was cut off must not keep the next one from going on.
  const isSilent = (ref: string): boolean =>
    ifReadable(() => readReflog(layout.root, ref))?.every(({ message }) => message === REPAIRED) ?? true;
  if (unlisted.length > 0 || ![MAIN, ...refs.keys()].every(isSilent)) return;
  // Which sessions are saved is known where all of main is.
  if (!isValue(main) || isDamaged(() => readWholeLine(objects, main))) return;
  for (const [id, steps] of findSteps(objects)) {
    const ref = sessionRef(id);
    const isKnown = [ref, archiveRef(id)].some((one) => refs.has(one) || told.has(one));
    if (isKnown || saved.has(id) || !isPointer(ref)) continue;
    const whole = steps.find(({ oid }) => !isDamaged(() => readWhole(objects, ref, oid)));
    if (whole) yield [ref, whole.oid];
  }
}
