/** Refs that are not ctx's: branches, tags, fetched refs. ctx ignores them, but Git follows each, and stops at a torn one. */
import { CtxError } from '../../core/errors.ts';
import { isRefName } from '../../core/ref-name.ts';
import { byteFiles, isByteName, lettersOf, textAt } from '../../git/byte-names.ts';
import { filesBelow } from '../../git/entries.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { takeRefLock, unlessLocked } from '../../git/refs/lock.ts';
import { packedRefs } from '../../git/refs/packed-refs.ts';
import { lastOfReflog } from '../../git/refs/reflog.ts';
import { type RefValue, refValue } from '../../git/refs/value.ts';
import { isDamaged, keepCopy, setAside } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import { exists, LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import { isPointer } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';

/** Such a ref with its value: an object, another ref, or neither if its file is torn. */
export type ForeignRef = { ref: string } & (RefValue | { kind: 'torn' });

/**
 * Yields every such ref, one at a time: a stranger's file may be larger than memory.
 * @throws {CtxError} damaged, if `packed-refs` is
 */
export function* foreignRefs({ layout }: Repository): Generator<ForeignRef> {
  const isForeign = (ref: string): boolean => !isPointer(ref) && isRefName(lettersOf(ref));
  // Read before packed-refs, since Git packs a ref first and then removes its file.
  const loose = new Set<string>();
  for (const ref of [...filesBelow(layout, 'refs')].filter(isForeign)) {
    const text = readIfThere(below(layout.root, ref), LINES_LIMIT)?.toString('latin1');
    // Gone since it was listed: it was packed or removed.
    if (text === undefined) continue;
    loose.add(ref);
    yield { ref, ...(refValue(text) ?? { kind: 'torn' }) };
  }
  for (const { name: ref, path } of byteFiles(layout, 'refs')) {
    const text = isForeign(ref) ? textAt(path) : undefined;
    if (text === undefined) continue;
    loose.add(ref);
    yield { ref, ...(refValue(text) ?? { kind: 'torn' }) };
  }
  for (const [ref, oid] of packedRefs(layout.packedRefs))
    if (isForeign(ref) && !loose.has(ref)) yield { ref, kind: 'object', oid };
}

/** Returns which of some names are existing refs. All at once, since each call reads packed-refs again. */
export function refsThere({ layout }: Repository, names: ReadonlySet<string>): Set<string> {
  // Before packed-refs, for the same reason.
  const there = new Set([...names].filter((name) => isRefName(name) && exists(below(layout.root, name))));
  if ([...names].some(isByteName))
    for (const { name } of byteFiles(layout, 'refs')) if (names.has(name)) there.add(name);
  if (there.size < names.size) for (const [ref] of packedRefs(layout.packedRefs)) if (names.has(ref)) there.add(ref);
  return there;
}

/**
 * Restores the last value of a torn ref from its reflog, or moves it into `lost/`: Git can neither read nor delete it.
 * Yields a sentence for each.
 */
export function* repairForeignRefs(repository: Repository): Generator<string> {
  const torn: string[] = [];
  const look = (): void => {
    // A ref whose name is no UTF-8 is left to the user.
    for (const { ref, kind } of foreignRefs(repository)) if (kind === 'torn' && !isByteName(ref)) torn.push(ref);
  };
  // The refs in a damaged packed-refs are unknown.
  if (isDamaged(look)) return;
  for (const ref of torn) {
    const done = unlessLocked(ref, () => restoredOrAside(repository, ref));
    if (done !== null) yield done;
  }
}

/** Repairs a torn ref; returns a sentence, or null if it is gone. @throws {CtxError} busy */
function restoredOrAside(repository: Repository, ref: string): string | null {
  const { layout, lockWait: wait, durability, objects } = repository;
  const { root, refMarker: marker } = layout;
  const path = below(root, ref);
  const last = lastOfReflog(root, ref);
  const held = last === null ? 'absent' : kindOf(objects, last);
  if (last === null || held === 'absent' || held instanceof CtxError)
    return setAside(repository, path) ? `Set the torn ${ref} aside in lost/: nothing says what it named.` : null;
  const lock = takeRefLock({ path: `${path}.lock`, marker, content: `${last}\n`, root, wait, durability });
  let isDone = false;
  try {
    keepCopy(repository, path);
    lock.publish();
    isDone = true;
  } finally {
    lock.release(isDone);
  }
  return `Restored ${ref} to ${last}, what its reflog says that it named last; the torn file is in lost/.`;
}
