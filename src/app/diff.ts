/** `ctx diff`: how the files of two revisions differ. */
import { isTree, type TreeEntry } from '../core/tree.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { readChain, readCommit } from '../history/chain/chain.ts';
import { changedFiles, type FileChange, filesTree, overlayFiles, scratchStore } from '../history/chain/files-tree.ts';
import type { Repository } from '../history/store/repository.ts';
import { checkNoneActive } from './session/active.ts';
import { resolveRevision } from './session/revision.ts';
import { patchMaker } from './setup/patch.ts';

export interface FileDiff {
  path: string;
  change: 'added' | 'deleted' | 'modified';
  old_oid: string | null;
  new_oid: string | null;
  /** Unified hunks; null if a side is binary or too large to compare. */
  patch: string | null;
  added: number;
  removed: number;
}

export interface DiffResult {
  from: string;
  to: string;
  files: FileDiff[];
}

/** Largest content whose lines are compared, in bytes. */
const COMPARED = 4 * 1024 * 1024;

/** The files of a revision: a canonical commit's own, an open session's over those of its base. */
function filesOf(repository: Repository, objects: ObjectStore, oid: string, kind: 'canonical' | 'step'): string | null {
  if (kind === 'canonical') return filesTree(objects, readCommit(objects, oid).tree);
  const { session, tree } = readChain(repository.objects, oid);
  return overlayFiles(objects, filesTree(objects, readCommit(objects, session.base).tree), tree);
}

/** Returns the text of a side, null if it is binary or too large; empty if it is absent. */
function textOf(objects: ObjectStore, entry: TreeEntry | null): string | null {
  if (!entry) return '';
  if (isTree(entry)) return null;
  const content = objects.readAs(entry.oid, 'blob');
  // Git's rule: a NUL in the first 8,000 bytes makes it binary.
  if (content.length > COMPARED || content.subarray(0, 8000).includes(0)) return null;
  return content.toString('utf8');
}

/**
 * Compares the files of two revisions; without a second one, with the active session, else with the head of the main
 * line.
 * @param path only files at or below it
 * @throws {CtxError} not_found, ambiguous, damaged
 */
export async function diffRevisions(repository: Repository, a: string, b?: string, path?: string): Promise<DiffResult> {
  const patchOf = await patchMaker();
  const objects = scratchStore(repository.objects);
  const from = resolveRevision(repository, a);
  const to = resolveRevision(repository, b ?? staged(repository));
  const trees = [from, to].map((revision) => filesOf(repository, objects, revision.oid, revision.kind));
  const files: FileDiff[] = [];
  for (const change of changedFiles(objects, trees[0] ?? null, trees[1] ?? null)) {
    if (path !== undefined && change.path !== path && !change.path.startsWith(`${path}/`)) continue;
    const [before, after] = [textOf(objects, change.old), textOf(objects, change.new)];
    const base = {
      path: change.path,
      change: kindOfChange(change),
      old_oid: change.old?.oid ?? null,
      new_oid: change.new?.oid ?? null,
    };
    if (before === null || after === null) {
      files.push({ ...base, patch: null, added: 0, removed: 0 });
      continue;
    }
    const patch = patchOf(before, after);
    const count = (sign: string): number => patch.split('\n').filter((line) => line.startsWith(sign)).length;
    files.push({ ...base, patch, added: count('+'), removed: count('-') });
  }
  return { from: from.oid, to: to.oid, files };
}

/**
 * Names the active session, else the head of the main line.
 * @throws {CtxError} damaged, if the current session is unknown
 */
function staged(repository: Repository): 'STAGE' | 'HEAD' {
  if (repository.refs.stage() !== null) return 'STAGE';
  checkNoneActive(repository);
  return 'HEAD';
}

function kindOfChange(change: FileChange): FileDiff['change'] {
  if (!change.old) return 'added';
  return change.new ? 'modified' : 'deleted';
}
