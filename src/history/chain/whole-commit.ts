/** Checks that a commit is whole before a pointer names it, as far as the next command reads it. */
import { CtxError } from '../../core/errors.ts';
import { missing, type ObjectType } from '../../git/objects/loose.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { hintForMissing, packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import type { Repository } from '../store/repository.ts';
import { readCommit } from './chain.ts';
import { ifReadable } from './step-search.ts';

/**
 * Returns whether a commit exists with its tree and the entries at the top of the tree.
 * @throws {CtxError} damaged, if that cannot be determined: a pack or an index that may have them is torn or missing
 */
export function isWholeCommit(repository: Repository, oid: string): boolean {
  const { objects } = repository;
  if (!isThere(repository, oid, 'commit')) return false;
  const tree = ifReadable(() => readCommit(objects, oid).tree);
  if (tree === null || !isThere(repository, tree, 'tree')) return false;
  const entries = ifReadable(() => readTree(objects, tree));
  return entries?.every((entry) => isThere(repository, entry.oid)) ?? false;
}

/** @param type the required type; any if absent */
function isThere({ objects, layout }: Repository, oid: string, type?: ObjectType): boolean {
  const kind = kindOf(objects, oid);
  if (kind instanceof CtxError) {
    // Its own file is torn.
    if (kind.data?.torn === oid) return false;
    throw kind;
  }
  if (kind === 'absent' && packsWithoutIndex(layout).length > 0) throw missing(oid, hintForMissing(layout));
  return kind !== 'absent' && (type === undefined || kind === type);
}
