/** Refs that are none of ctx's: branches, tags, what was fetched. ctx passes them over, Git follows each, and stops at a torn one. */
import { CtxError } from '../../core/errors.ts';
import { isRefName } from '../../core/ref-name.ts';
import { byteFiles, isByteName, lettersOf, textAt } from '../../git/byte-names.ts';
import { filesBelow } from '../../git/entries.ts';
import { isPointer } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/kind-of.ts';
import { takeRefLock, unlessHeld } from '../../git/refs/lock.ts';
import { packedRefs } from '../../git/refs/packed-refs.ts';
import { lastOfReflog } from '../../git/refs/reflog.ts';
import { type RefValue, refValue } from '../../git/refs/value.ts';
import { isDamaged, keepCopy, setAside } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import { exists, LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import type { Repository } from '../store/repository.ts';

/** Such a ref with what it names: an object, another ref, or neither where its file is torn. */
export type ForeignRef = { ref: string } & (RefValue | { kind: 'torn' });

/** Every such ref, one at a time: a stranger's file may have more than memory holds. @throws {CtxError} damaged, where `packed-refs` is */
export function* foreignRefs({ layout }: Repository): Generator<ForeignRef> {
  const isForeign = (ref: string): boolean => !isPointer(ref) && isRefName(lettersOf(ref));
  // Before what is packed, as Git packs a ref first and then takes its file away.
  const loose = new Set<string>();
  for (const ref of [...filesBelow(layout, 'refs')].filter(isForeign)) {
    const text = readIfThere(below(layout.root, ref), LINES_LIMIT)?.toString('latin1');
    // Gone since it was listed: Git has packed it, or somebody has removed it.
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

/** Which of some names are those of a ref, anybody's. All at once: what is packed is read anew for each call. */
export function refsThere({ layout }: Repository, names: ReadonlySet<string>): Set<string> {
  // Before what is packed, for the same reason.
  const there = new Set([...names].filter((name) => isRefName(name) && exists(below(layout.root, name))));
  if ([...names].some(isByteName))
    for (const { name } of byteFiles(layout, 'refs')) if (names.has(name)) there.add(name);
  if (there.size < names.size) for (const [ref] of packedRefs(layout.packedRefs)) if (names.has(ref)) there.add(ref);
  return there;
}

/** Gives a torn one what its reflog tells of last, or sets it aside: Git can neither read it nor take it away. A sentence for each. */
export function* repairForeignRefs(repository: Repository): Generator<string> {
  const torn: string[] = [];
  const look = (): void => {
    // What cannot be asked for by its name is left to the user.
    for (const { ref, kind } of foreignRefs(repository)) if (kind === 'torn' && !isByteName(ref)) torn.push(ref);
  };
  // What is left of it in a torn list cannot be told.
  if (isDamaged(look)) return;
  for (const ref of torn) {
    const done = unlessHeld(ref, () => restoredOrAside(repository, ref));
    if (done !== null) yield done;
  }
}

/** What was done about a torn one, in words; null where it is gone by now. @throws {CtxError} busy */
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
