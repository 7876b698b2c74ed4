/** Whether the commit that a pointer is to name is whole, as far as a command reads it that goes on from there. */
import { CtxError } from '../../core/errors.ts';
import { kindOf } from '../../git/objects/kind-of.ts';
import { missing, type ObjectType } from '../../git/objects/loose.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { hintForMissing, packsWithoutIndex } from '../../git/objects/unindexed.ts';
import type { Repository } from '../store/repository.ts';
import { readCommit } from './chain.ts';
import { ifReadable } from './stray.ts';

/**
 * Whether a commit is there with its tree, and with what stands at the top of that.
 * @throws {CtxError} damaged, where nobody can tell: a pack or an index is torn, or gone, in which they may be
 */
export function isWholeCommit(repository: Repository, oid: string): boolean {
  const { objects } = repository;
  if (!isThere(repository, oid, 'commit')) return false;
  const tree = ifReadable(() => readCommit(objects, oid).tree);
  if (tree === null || !isThere(repository, tree, 'tree')) return false;
  const entries = ifReadable(() => readTree(objects, tree));
  return entries?.every((entry) => isThere(repository, entry.oid)) ?? false;
}

/** @param type what it must be; absent where it may be anything */
function isThere({ objects, layout }: Repository, oid: string, type?: ObjectType): boolean {
  const kind = kindOf(objects, oid);
  if (kind instanceof CtxError) {
    // Its own file is what is torn.
    if (kind.data?.torn === oid) return false;
    throw kind;
  }
  if (kind === 'absent' && packsWithoutIndex(layout).length > 0) throw missing(oid, hintForMissing(layout));
  return kind !== 'absent' && (type === undefined || kind === type);
}
