/** Determines whether a session is open or archived, from its refs, the operation log and main together. */
import { trailersOf } from '../../core/commit.ts';
import type { CtxError } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readCommit } from '../chain/chain.ts';
import { isAncestor } from '../chain/ref-rollback.ts';
import { archiveRef, SESSIONS, sessionRef } from '../names/layout.ts';
import { isValue, type PointerState } from './pointer-state.ts';

/** The chains that canonical commits on main name, by session. */
export type Saved = ReadonlyMap<string, readonly string[]>;

/** Returns the chains that the canonical commits on main name, the newest first, as far as main can be read. */
export function savedChains(objects: ObjectStore, main: string | CtxError | undefined): Saved {
  const saved = new Map<string, string[]>();
  const open = isValue(main) ? [main] : [];
  const seen = new Set(open);
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    const commit = oid;
    if (isDamaged(() => readCommit(objects, commit))) continue;
    const { parents, message } = readCommit(objects, commit);
    const trailers = trailersOf(message);
    const [id, work] = [trailers.get('Ctx-Session'), trailers.get('Ctx-Work')];
    if (id !== undefined && work !== undefined) saved.set(id, [...(saved.get(id) ?? []), work]);
    for (const parent of parents) {
      if (!seen.has(parent)) open.push(parent);
      seen.add(parent);
    }
  }
  return saved;
}

/** Returns the id in the name of a session's ref. */
export const idOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Returns whether a chain contains a value. */
const holds = (objects: ObjectStore, head: string, value: string): boolean =>
  head === value || isAncestor(objects, value, head);

/**
 * Yields the refs of sessions that the last readable operation has set and that are gone, each with that value, unless a
 * later move is proven. A flush moves a ref without the log, but never deletes one.
 */
export function* lostRefs(
  objects: ObjectStore,
  stock: PointerState,
  saved: Saved,
): Generator<[ref: string, value: string]> {
  for (const [ref, [newest]] of stock.logged) {
    if (ref === 'STAGE' || ref === MAIN || stock.refs.has(ref) || stock.moving.has(ref)) continue;
    if (stock.unlisted.some(([prefix]) => ref.startsWith(prefix))) continue;
    const value = newest?.new;
    if (value && !provenOn(stock, saved, ref).some((head) => holds(objects, head, value))) yield [ref, value];
  }
}

/**
 * Yields the archives of sessions that main has saved and that have no ref at all, with the heads that main names, the
 * newest first.
 */
export function* lostSaved(stock: PointerState, saved: Saved): Generator<[ref: string, works: readonly string[]]> {
  if (stock.unlisted.length > 0) return;
  for (const [id, works] of saved) {
    const refs = [archiveRef(id), sessionRef(id)];
    if (!refs.some((ref) => stock.refs.has(ref) || stock.moving.has(ref))) yield [archiveRef(id), works];
  }
}

/**
 * Returns heads that a session has elsewhere than at its missing ref: the file of the operation that moved it may be lost.
 * An open session has ended if its archive exists, or main has saved it; an archived one is open again, unless main has
 * saved it.
 */
function provenOn({ refs }: PointerState, saved: Saved, ref: string): string[] {
  const id = idOf(ref);
  const works = saved.get(id) ?? [];
  const isOpen = ref.startsWith(SESSIONS);
  const other = refs.get(isOpen ? archiveRef(id) : sessionRef(id));
  if (isOpen) return isValue(other) ? [other, ...works] : [...works];
  return isValue(other) && works.length === 0 ? [other] : [];
}

/** A session that is open and archived at once: the ref to keep, and the ref to remove. */
export interface Double {
  stays: string;
  goes: string;
  /** True if main has saved the session. */
  isSaved: boolean;
  /** True if the chain to remove is contained in the other, contains it, or neither: each has steps of its own. */
  all: 'below' | 'above' | 'apart';
}

/**
 * Yields sessions that are open and archived at once without an operation in progress. The archive is kept if main has saved
 * the session, or if the archive has more steps.
 */
export function* doubles(objects: ObjectStore, stock: PointerState, saved: Saved): Generator<Double> {
  const { refs, moving } = stock;
  const isBelow = (one: string | CtxError | undefined, other: string | CtxError | undefined): boolean =>
    isValue(one) && isValue(other) && holds(objects, other, one);
  for (const [ref, head] of refs) {
    if (!ref.startsWith(SESSIONS)) continue;
    const id = idOf(ref);
    const archive = archiveRef(id);
    if (!refs.has(archive) || moving.has(ref) || moving.has(archive)) continue;
    const kept = refs.get(archive);
    const isSaved = saved.has(id);
    const isArchived = isSaved || (head !== kept && isBelow(head, kept));
    const [stays, goes] = isArchived ? [archive, ref] : [ref, archive];
    const [staying, going] = [refs.get(stays), refs.get(goes)];
    const all = isBelow(going, staying) ? 'below' : isBelow(staying, going) ? 'above' : 'apart';
    yield { stays, goes, isSaved, all };
  }
}
