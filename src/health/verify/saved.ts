/** Compares a canonical commit with the chain of which it was made: its trailers, documents and files. */
import { isDeepStrictEqual } from 'node:util';
import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readCommit, walkChain } from '../../history/chain/chain.ts';
import { filesTree, overlayFiles, scratchStore } from '../../history/chain/files-tree.ts';
import { recordLines } from '../../history/chain/record-lines.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { damage, type Finding, guarded } from '../finding.ts';
import { verifyRemade } from './regenerated.ts';
import { look } from './step.ts';

export interface Saved {
  session: string;
  /** The canonical commit. */
  oid: string;
  /** The value of its Ctx-Work. */
  work: string;
  /** Head of the session's chain; null if no ref names it. */
  head: string | null;
}

/** Compares one canonical commit with its chain. */
export function* verifySaved(objects: ObjectStore, saved: Saved): Generator<Finding> {
  const { session, oid, work, head } = saved;
  const where = `commit ${oid}`;
  yield* guarded('trailers', where, function* () {
    const place = head === null ? 'step' : placeOf(objects, head, work);
    if (place === 'nowhere')
      yield damage(
        'trailers',
        where,
        `its Ctx-Work names ${work}, which is no step of refs/archive/${session}`,
        look(oid),
      );
    // gc has squashed the steps, so nothing is left to compare; remaining steps may be incomplete for a while.
    else if (place === 'step') yield* compare(objects, saved, where, true);
    else if (isThere(objects, work)) yield* compare(objects, saved, where, false);
    if (place === 'squashed') yield* verifyLines(objects, oid, where);
  });
}

/** Checks that files which cannot be generated again consist of records. */
function* verifyLines(objects: ObjectStore, oid: string, where: string): Generator<Finding> {
  const { tree } = readCommit(objects, oid);
  for (const { name, oid: lines } of readTree(objects, tree).filter((entry) => entry.name.endsWith('.jsonl')))
    yield* guarded('history', where, () => {
      for (const _ of recordLines(objects.readAs(lines, 'blob'), `${where}, ${name}`));
      return [];
    });
}

/** Returns where the step of a commit is: in the archived chain, in the squashed one, or nowhere. */
function placeOf(objects: ObjectStore, head: string, work: string): 'step' | 'squashed' | 'nowhere' {
  if (head === work) return 'step';
  let first = head;
  for (const [oid] of walkChain(objects, head)) {
    if (oid === work) return 'step';
    first = oid;
  }
  const squashed = readSession(objects, readCommit(objects, first).tree, `step ${first}`).squashed;
  const before = (squashed as { head?: unknown } | undefined)?.head;
  if (typeof before !== 'string') return 'nowhere';
  // Its steps may be gone by now, and then it is unknown.
  return !isThere(objects, before) || placeOf(objects, before, work) !== 'nowhere' ? 'squashed' : 'nowhere';
}

/** Returns whether a commit exists with its tree. */
function isThere(objects: ObjectStore, oid: string): boolean {
  try {
    objects.readAs(readCommit(objects, oid).tree, 'tree');
    return true;
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/** Compares the commit with its step. @param isWhole whether every step of the chain exists */
function* compare(
  objects: ObjectStore,
  { session: id, oid, work }: Saved,
  where: string,
  isWhole: boolean,
): Generator<Finding> {
  const step = readCommit(objects, work);
  const told = trailersOf(step.message).get('Ctx-Session');
  if (told !== id || !trailersOf(step.message).has('Ctx-Step')) {
    yield damage('trailers', where, `its Ctx-Work names ${work}, which is no step of ${id}`, look(oid));
    return;
  }
  const commit = readCommit(objects, oid);
  const { ended: _ended, ...shown } = readSession(objects, commit.tree, where);
  const { ended: _none, ...meant } = readSession(objects, step.tree, `step ${work}`);
  const keys = new Set([...Object.keys(shown), ...Object.keys(meant)]);
  const others = [...keys].filter((key) => !isDeepStrictEqual(shown[key], meant[key]));
  for (const key of others)
    yield damage('history', where, `its session.json says another ${key} than the step that it was made of`, look(oid));
  const [parent] = commit.parents;
  if (parent === undefined) return;
  const base = filesTree(objects, readCommit(objects, parent).tree);
  if (overlayFiles(scratchStore(objects), base, step.tree) !== filesTree(objects, commit.tree))
    yield damage(
      'files',
      where,
      'its files are not those of its parent with those of its session laid over them',
      look(oid),
    );
  // If the session differs, everything else does too.
  if (isWhole && others.length === 0) yield* verifyRemade(objects, commit, work, where, look(oid));
}
