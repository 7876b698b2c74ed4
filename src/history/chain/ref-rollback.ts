/** Detects a ref that has gone back to an earlier value, as after a restored or hand-written file. */
import { CtxError } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { lastOfReflog, readReflog } from '../../git/refs/reflog.ts';
import { LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Repository } from '../store/repository.ts';
import { readCommit } from './chain.ts';

/** Number of looks at a ref that is being moved. */
const LOOKS = 5;

/**
 * Returns the last value of a ref if the ref has an earlier one now; null if it is as recorded. The line of a reflog is
 * written after its ref has moved: a ref may be one move ahead of it, never behind.
 * @param recorded moves of the ref in the operation log, newest first
 */
export function lastLeftValue(repository: Repository, ref: string, recorded: readonly PointerMove[]): string | null {
  // Without any record there is no later value.
  if (recorded.length === 0 && lastOfReflog(repository.layout.root, ref) === null) return null;
  let found: string | null = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    const value = repository.refs.readUnchecked(ref);
    const lines = readReflog(repository.layout.root, ref);
    // A ref without a reflog is recorded by operations alone, as main in a copied store.
    const moves = lines.length > 0 ? lines : [...recorded].reverse();
    const last = moves.at(-1)?.new ?? null;
    if (value === null || last === null || value === last || isUnderWay(repository, ref, value, last, recorded))
      return null;
    const had = moves.some((move) => move.old === value || move.new === value);
    if (!had && !isAncestor(repository.objects, value, last)) return null;
    found = last;
  }
  return found;
}

/**
 * Returns whether a move to the value is being made, or was made by a process that could not record it: the marker or the
 * log says so.
 */
function isUnderWay(
  { layout }: Repository,
  ref: string,
  value: string,
  last: string,
  recorded: readonly PointerMove[],
): boolean {
  if (readIfThere(layout.refMarker, LINES_LIMIT)?.toString('latin1') === `${value}\n`) return true;
  const [newest] = recorded;
  return newest?.new === value && (ref === MAIN || newest.old === last);
}

/** Returns whether one commit is an ancestor of another; false if that cannot be determined. */
export function isAncestor(objects: ObjectStore, oid: string, of: string): boolean {
  const open = [of];
  const seen = new Set(open);
  try {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === oid) return next !== of;
      for (const parent of readCommit(objects, next).parents) {
        if (seen.has(parent)) continue;
        seen.add(parent);
        open.push(parent);
      }
    }
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
  }
  return false;
}
