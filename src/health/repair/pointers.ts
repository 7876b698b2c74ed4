/** Repairs pointers: a torn, lost or outdated one is set to its last value whose commit is whole; STAGE only to a recorded session. */

import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { removeFromReflog, wholeReflog } from '../../git/refs/reflog.ts';
import { isDamaged, keepCopy, setAside } from '../../git/set-aside.ts';
import { writeRoot } from '../../history/chain/canonical.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { isAncestor, lastLeftValue } from '../../history/chain/ref-rollback.ts';
import { findEnds, findSteps } from '../../history/chain/step-search.ts';
import { archiveRef, isPointer, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { furthestOf, newestOf, type Steps, witnessed } from '../../history/pointers/last-steps.ts';
import {
  goneHead,
  isMistaken,
  lastValues,
  lastWhole,
  lostMain,
  readOwn,
  readWhole,
} from '../../history/pointers/last-values.ts';
import { rolledBackSessions } from '../../history/pointers/later-steps.ts';
import { lastStage, lostStage } from '../../history/pointers/lost-stage.ts';
import { isValue, type PointerState, readPointerState } from '../../history/pointers/pointer-state.ts';
import {
  doubles,
  idOf,
  lostRefs,
  lostSaved,
  type Saved,
  savedChains,
} from '../../history/pointers/session-location.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists } from '../../platform/files.ts';
import { repairSessions } from '../remake-session.ts';
import { repairHeads } from './heads.ts';
import { repairPackedRefs } from './packed-refs.ts';
import { remakeCommits } from './remake-commits.ts';

/**
 * Restores torn and lost pointers to their last value whose commit is whole; yields a sentence for each.
 * @param isLost whether missing objects of a head may be fetched: then it stays
 */
export function* repairPointers(repository: Repository, isLost: boolean): Generator<string> {
  yield* repairPackedRefs(repository);
  yield* remakeCommits(repository, readPointerState(repository));
  yield* repairMain(repository);
  const { objects, layout } = repository;
  const stock = readPointerState(repository);
  const saved = savedChains(objects, stock.refs.get(MAIN));
  yield* repairHeads(repository, stock, saved);
  yield* repairSessions(repository, stock);
  const torn = [...stock.refs].flatMap(([ref, value]) =>
    ref !== MAIN && (value instanceof CtxError || isMistaken(objects, ref, value)) ? [ref] : [],
  );
  // Reads every object, once for all of them.
  const steps: Steps = torn.length === 0 ? new Map() : findSteps(objects, new Set(torn.map(idOf)));
  for (const ref of torn) {
    const works = ref === archiveRef(idOf(ref)) ? saved.get(idOf(ref)) : undefined;
    const known = lastWhole(repository, stock, ref, works);
    const keep = exists(below(layout.root, ref));
    if (known === undefined) yield fromObjects(repository, stock, ref, steps, keep) ?? givenUp(ref);
    else yield restored(repository, ref, furthestOf(repository, stock, ref, known, steps), keep);
  }
  if (!isLost) yield* repairGone(repository, readPointerState(repository));
  yield* repairLost(repository, readPointerState(repository), saved);
  yield* repairBehind(repository, readPointerState(repository));
  yield* repairGoneBack(repository, readPointerState(repository));
  yield* repairDoubles(repository, readPointerState(repository), saved);
}

function* repairMain(repository: Repository): Generator<string> {
  const { objects, layout } = repository;
  const stock = readPointerState(repository);
  const value = stock.refs.get(MAIN);
  const torn = value instanceof CtxError || (value !== undefined && isMistaken(objects, MAIN, value));
  if (!torn && value !== undefined) return;
  const last = lastWhole(repository, stock, MAIN);
  const keep = torn && exists(below(layout.root, MAIN));
  if (last !== undefined) {
    const later = laterThan(repository, stock, last);
    yield restored(repository, MAIN, later?.oid ?? last, keep, later?.logged);
    return;
  }
  const open = new Set([...stock.refs.keys()].filter((ref) => ref.startsWith(SESSIONS)).map(idOf));
  const [end, ...others] = findEnds(objects, open).filter((oid) => !isDamaged(() => readWholeLine(objects, oid)));
  const known = end !== undefined && readCommit(objects, end).parents.length > 0 ? end : undefined;
  if (known !== undefined) yield found(repository, known, others, keep);
  else if (torn || stock.refs.size > 0 || lostMain(repository, stock) !== null) yield givenUp(MAIN);
  else yield begun(repository);
  // Without any record the steps themselves are used.
  if (stock.refs.size === 0) yield* reopened(repository);
}

/** A later commit of main, and its evidence. */
interface Later {
  oid: string;
  logged: string;
}

/**
 * Returns the latest commit of main after the last recorded one: a base of a session, or the canonical commit of an archived
 * session, unless an undo took it back. Null if there is none.
 */
function laterThan({ objects }: Repository, { refs, takenBack, logged }: PointerState, last: string): Later | null {
  const all: Later[] = [];
  for (const [ref, head] of refs) {
    if (ref === MAIN || !isValue(head) || isDamaged(() => readChain(objects, head, ref))) continue;
    all.push({ oid: readChain(objects, head, ref).session.base, logged: `at which ${ref} begins` });
  }
  for (const oid of findEnds(objects)) {
    const trailers = trailersOf(readCommit(objects, oid).message);
    const archive = archiveRef(trailers.get('Ctx-Session') ?? '');
    if (refs.get(archive) === trailers.get('Ctx-Work')) all.push({ oid, logged: `which has saved ${archive}` });
  }
  const holds = (line: string | null, oid: string): boolean =>
    line !== null && (line === oid || isAncestor(objects, oid, line));
  // The newest move with it on its line decides: an undo of an undo brings it back.
  const isLeft = (oid: string): boolean => {
    const newest = (logged.get(MAIN) ?? []).find((move) => holds(move.new, oid) || holds(move.old, oid));
    return newest !== undefined && !holds(newest.new, oid) && takenBack.includes(newest);
  };
  let latest: Later | null = null;
  for (const later of all) {
    const isFurther = isAncestor(objects, latest?.oid ?? last, later.oid);
    if (isFurther && !isLeft(later.oid) && !isDamaged(() => readWholeLine(objects, later.oid))) latest = later;
  }
  return latest;
}

/** Restores main from the objects if no pointer and no log names it any more. */
function found(repository: Repository, end: string, others: readonly string[], keep: boolean): string {
  restored(repository, MAIN, end, keep);
  const more = others.length === 0 ? '' : ` Others that nothing follows are left alone: ${others.join(', ')}.`;
  return `Restored ${MAIN} to ${end}, the newest commit of a main line that nothing follows: no pointer and no log names it.${more}`;
}

/** Reads every commit of main below one. @throws {CtxError} damaged */
function readWholeLine(objects: ObjectStore, oid: string): void {
  for (let next: string | undefined = oid; next !== undefined; ) {
    readOwn(objects, MAIN, next);
    next = readCommit(objects, next).parents[0];
  }
}

/** Restores sessions with steps that main has not saved, after the loss of all refs and logs. */
function* reopened(repository: Repository): Generator<string> {
  const { objects, refs } = repository;
  const saved = savedChains(objects, refs.read(MAIN) ?? undefined);
  for (const [id, steps] of findSteps(objects)) {
    if (saved.has(id)) continue;
    const ref = sessionRef(id);
    const whole = steps.find(({ oid }) => !isDamaged(() => readWhole(objects, ref, oid)));
    if (whole && isPointer(ref)) yield restored(repository, ref, whole.oid, false);
  }
}

/** Creates main as in a new store, for a store without content. */
function begun({ refs, objects, clock }: Repository): string {
  const root = writeRoot(objects);
  refs.restore(MAIN, root, { at: clock(), message: 'fsck --repair' });
  return `Restored ${MAIN} to ${root}, with which every store begins: no pointer, no log and no object names anything later.`;
}

const givenUp = (ref: string): string =>
  `Could not restore ${ref}: no commit that it named is whole any more. Fetch one from a backup.`;

function restored(
  repository: Repository,
  ref: string,
  value: string,
  keep: boolean,
  what = 'the last whole commit that it named',
): string {
  if (keep) keepCopy(repository, below(repository.layout.root, ref));
  repository.refs.restore(ref, value, { at: repository.clock(), message: 'fsck --repair' });
  return `Restored ${ref} to ${value}, ${what}.`;
}

/**
 * Sets an open session back to its last whole step if its head, or an object that the head needs, is missing: its content is
 * lost already.
 */
function* repairGone(repository: Repository, stock: PointerState): Generator<string> {
  if (packsWithoutIndex(repository.layout).length > 0) return;
  for (const [ref, value] of stock.refs) {
    if (!isValue(value) || stock.moving.has(ref)) continue;
    const { gone, back } = goneHead(repository, stock, ref, value) ?? {};
    if (back === undefined) continue;
    const log = below(repository.layout.root, 'logs', ref);
    if (exists(log)) {
      // No line can be removed from an unreadable one.
      if (isDamaged(() => wholeReflog(repository.layout.root, `logs/${ref}`))) setAside(repository, log);
      else {
        keepCopy(repository, log);
        removeFromReflog(repository.layout.root, ref, value, repository.durability);
      }
    }
    restored(repository, ref, back, exists(below(repository.layout.root, ref)));
    const what = gone === value ? `${value} is gone` : `${gone}, which ${value} needs, is gone`;
    yield `Set ${ref} back to ${back}, the last whole step before it: ${what} from the store, and what was recorded since is lost. What the ref and its reflog said is in lost/.`;
  }
}

/** Restores missing refs whose chain is whole, to the value of the last operation, or that main has saved. */
function* repairLost(repository: Repository, stock: PointerState, saved: Saved): Generator<string> {
  const { objects } = repository;
  const lost = new Map<string, string[]>([...lostRefs(objects, stock, saved)].map(([ref, value]) => [ref, [value]]));
  for (const [archive, works] of lostSaved(stock, saved))
    if (!lost.has(sessionRef(idOf(archive)))) lost.set(archive, [...(lost.get(archive) ?? []), ...works]);
  const logged = new Set(lost.keys());
  for (const id of witnessed(repository, stock, saved)) if (!lost.has(sessionRef(id))) lost.set(sessionRef(id), []);
  if (lost.size === 0) return;
  const steps = findSteps(objects, new Set([...lost.keys()].map(idOf)));
  for (const [ref, values] of lost) {
    const isWhole = (oid: string): boolean => !isDamaged(() => readWhole(objects, ref, oid));
    const known = [...lastValues(repository, stock, ref), ...values].find(isWhole);
    // The log has operations only: later flushed steps are descendants.
    if (known !== undefined) yield restored(repository, ref, furthestOf(repository, stock, ref, known, steps), false);
    else {
      const found = fromObjects(repository, stock, ref, steps, false);
      // A session that only has pending records may never have had a step.
      if (found !== null || logged.has(ref)) yield found ?? givenUp(ref);
    }
  }
}

/** Restores a session from its own steps if no pointer and no log names it any more; returns null if none of them is whole. */
function fromObjects(
  repository: Repository,
  stock: PointerState,
  ref: string,
  steps: Steps,
  keep: boolean,
): string | null {
  const newest = newestOf(repository, stock, ref, steps);
  if (newest === null) return null;
  return restored(repository, ref, newest, keep, 'its last whole step: no pointer and no log names it');
}

/** Advances a ref to its last recorded value if it has gone back to an ancestor of it. */
function* repairBehind(repository: Repository, stock: PointerState): Generator<string> {
  const { objects } = repository;
  for (const [ref, value] of stock.refs) {
    if (!isValue(value) || stock.moving.has(ref) || isDamaged(() => readOwn(objects, ref, value))) continue;
    const last = lastLeftValue(repository, ref, stock.logged.get(ref) ?? []);
    if (last === null) continue;
    if (isAncestor(objects, value, last) && !isDamaged(() => readOwn(objects, ref, last)))
      yield restored(repository, ref, last, true);
    else yield `Left ${ref} at ${value}: ${last}, which it was last set to, does not follow from that. See: ctx op log`;
  }
}

/** Advances an open session without a reflog to the only step that follows its present one. */
function* repairGoneBack(repository: Repository, stock: PointerState): Generator<string> {
  for (const { ref, head, ends } of rolledBackSessions(repository, stock)) {
    const [end, ...others] = ends;
    if (end !== undefined && others.length === 0)
      yield restored(
        repository,
        ref,
        end,
        exists(below(repository.layout.root, ref)),
        `which follows from ${head}: no log names it`,
      );
  }
}

/** Deletes the open ref of a session that main has saved, if the archive contains its chain. */
function* repairDoubles(repository: Repository, stock: PointerState, saved: Saved): Generator<string> {
  for (const { stays, goes, isSaved, all } of doubles(repository.objects, stock, saved)) {
    if (!isSaved || all !== 'below') continue;
    const move = { pointer: goes, old: repository.refs.read(goes), new: null };
    repository.refs.move(move, { at: repository.clock(), message: 'fsck --repair' });
    yield `Removed ${goes}: main has saved the session, and all that it named is in ${stays}.`;
  }
}

/** Restores a STAGE that is torn, or whose session is gone, to the last recorded session if that is open; else removes it. */
export function* repairStage(repository: Repository): Generator<string> {
  const { refs, layout } = repository;
  const { stage, logged, moving } = readPointerState(repository);
  const known = logged.get('STAGE') ?? [];
  if (stage === null) {
    const lost = lostStage(repository, Number.POSITIVE_INFINITY);
    if (lost?.kind === 'told') yield restoredStage(repository, lost.last);
    return;
  }
  const isGone = !(stage instanceof CtxError);
  if (isGone && refs.read(stage) !== null) return;
  // An interrupted operation can be completed when STAGE has its target.
  const last = moving.has('STAGE') ? (known[0]?.new ?? null) : recordedStage(repository);
  if (last === null || !refs.names(SESSIONS).includes(last)) {
    setAside(repository, layout.stage);
    // A value without record is a torn one.
    const torn = !isGone || (known.length > 0 && !known.some((move) => move.new === stage));
    const why = torn ? '' : ` ${stage} is gone, and cannot be restored:`;
    yield `Set STAGE aside in lost/:${why} no session is active now. See: ctx list --open`;
    return;
  }
  // The torn file stays until it is replaced: a kill while it is absent would leave no session active.
  keepCopy(repository, layout.stage);
  yield restoredStage(repository, last);
}

function recordedStage(repository: Repository): string | null {
  const last = lastStage(repository, Number.POSITIVE_INFINITY);
  return last?.kind === 'told' ? last.last : null;
}

function restoredStage({ refs, clock }: Repository, last: string): string {
  refs.restore('STAGE', last, { at: clock(), message: 'fsck --repair' });
  return `Restored STAGE to ${last}.`;
}
