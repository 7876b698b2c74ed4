/** Whether a ref has gone back to a value that it has left: a file that was restored or written by hand tells nobody. */
import { CtxError } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { lastOfReflog, readReflog } from '../../git/refs/reflog.ts';
import { LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Repository } from '../store/repository.ts';
import { readCommit } from './chain.ts';

/** How often a ref that is being moved is looked at anew. */
const LOOKS = 5;

/**
 * The value that a ref named last, where it names one that it had before; null where it stands as it is told. A reflog's line
 * is written after its ref has moved: a ref may be one move ahead of it, never behind.
 * @param told moves of the ref by the operation log, newest first
 */
export function leftFor(repository: Repository, ref: string, told: readonly PointerMove[]): string | null {
  // Nothing tells of it: there is nothing to have left.
  if (told.length === 0 && lastOfReflog(repository.layout.root, ref) === null) return null;
  let found: string | null = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    const value = repository.refs.readUnchecked(ref);
    const lines = readReflog(repository.layout.root, ref);
    // A ref that no reflog tells of is told of by the operations alone, as main in a store from a copy.
    const moves = lines.length > 0 ? lines : [...told].reverse();
    const last = moves.at(-1)?.new ?? null;
    if (value === null || last === null || value === last || isUnderWay(repository, ref, value, last, told))
      return null;
    const had = moves.some((move) => move.old === value || move.new === value);
    if (!had && !isAncestor(repository.objects, value, last)) return null;
    found = last;
  }
  return found;
}

/** Whether a move to the value is being made, or was made by somebody who could not tell it: the mark or the log says so. */
function isUnderWay(
  { layout }: Repository,
  ref: string,
  value: string,
  last: string,
  told: readonly PointerMove[],
): boolean {
  if (readIfThere(layout.refMarker, LINES_LIMIT)?.toString('latin1') === `${value}\n`) return true;
  const [newest] = told;
  return newest?.new === value && (ref === MAIN || newest.old === last);
}

/** Whether one commit is another one's ancestor; false where that cannot be told. */
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
