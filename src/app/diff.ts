/** `ctx diff`: how the files of two revisions differ. */
import { isAtOrBelow } from '../core/file-path.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { readChain, readCommit } from '../history/chain/chain.ts';
import { filesTree, overlayFiles, scratchStore } from '../history/chain/files-tree.ts';
import {
  commitChanges,
  type SessionChange,
  sessionChanges,
  sessionChangesOf,
  treeChanges,
} from '../history/chain/session-changes.ts';
import type { Repository } from '../history/store/repository.ts';
import { requireActive } from './session/active.ts';
import { type Revision, resolveRevision } from './session/revision.ts';
import { patchMaker } from './setup/patch.ts';
import { defaultRevision } from './show.ts';

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

/** Returns the tree of the files of a revision: a canonical commit's own, an open session's over those of its base. */
export function filesOf(
  repository: Repository,
  objects: ObjectStore,
  oid: string,
  kind: 'canonical' | 'step',
): string | null {
  if (kind === 'canonical') return filesTree(objects, readCommit(objects, oid).tree);
  const { session, tree } = readChain(repository.objects, oid);
  return overlayFiles(objects, filesTree(objects, readCommit(objects, session.base).tree), tree);
}

/** One side of a file: its object id, null if there is no file, undefined if the store does not hold its content. */
type Side = SessionChange['new'];

/** Returns the text of a side; null if it is binary, too large to compare, or not held. */
function textOf(objects: ObjectStore, oid: Side): string | null {
  if (oid === null) return '';
  const { type, content } = oid === undefined ? NOT_HELD : objects.read(oid);
  // A tree is a content in chunks, which is too large.
  if (type !== 'blob') return null;
  // Git's rule: a NUL in the first 8,000 bytes makes it binary.
  if (content.length > COMPARED || content.subarray(0, 8000).includes(0)) return null;
  return content.toString('utf8');
}

const NOT_HELD = { type: null, content: Buffer.alloc(0) };

/**
 * Compares the files of two revisions; without a second one, with the active session, else with the head of the main line.
 * A session's commit and the commit before it are compared by what the session changed.
 * @param path only files at or below it
 * @throws {CtxError} not_found, ambiguous, damaged
 */
export async function diffRevisions(repository: Repository, a: string, b?: string, path?: string): Promise<DiffResult> {
  const objects = scratchStore(repository.objects);
  const from = resolveRevision(repository, a);
  const to = resolveRevision(repository, b ?? defaultRevision(repository));
  const changes = to.kind === 'canonical' ? sessionChangesOf(repository.objects, to.oid, from.oid) : null;
  return describeChanges(objects, from.oid, to.oid, changes ?? revisionChanges(repository, objects, from, to), path);
}

/**
 * Shows what the active session changed.
 * @param path only files at or below it
 * @throws {CtxError} no_active_session, damaged
 */
export async function diffActive(repository: Repository, path?: string): Promise<DiffResult> {
  const { chain } = requireActive(repository);
  const { objects } = repository;
  const base = filesTree(objects, readCommit(objects, chain.session.base).tree);
  const changes = sessionChanges(objects, chain.head, base);
  return describeChanges(objects, chain.session.base, chain.head, changes, path);
}

/** Returns a function that describes what a commit changed, compared with its first parent. */
export async function commitDiffs(repository: Repository): Promise<(oid: string) => FileDiff[]> {
  const patchOf = await patchMaker();
  const objects = scratchStore(repository.objects);
  return (oid) => {
    const changes = commitChanges(objects, oid);
    return changes.map((change) => describeFile(objects, change, patchOf));
  };
}

function revisionChanges(repository: Repository, objects: ObjectStore, from: Revision, to: Revision): SessionChange[] {
  const [a, b] = [from, to].map((revision) => filesOf(repository, objects, revision.oid, revision.kind));
  return treeChanges(objects, a ?? null, b ?? null);
}

async function describeChanges(
  objects: ObjectStore,
  from: string,
  to: string,
  changes: readonly SessionChange[],
  path: string | undefined,
): Promise<DiffResult> {
  const patchOf = await patchMaker();
  const files = changes
    .filter((change) => path === undefined || isAtOrBelow(change.path, path))
    .map((change) => describeFile(objects, change, patchOf));
  return { from, to, files };
}

function describeFile(
  objects: ObjectStore,
  change: SessionChange,
  patchOf: (a: string, b: string) => string,
): FileDiff {
  const base = {
    path: change.path,
    change: kindOfChange(change),
    old_oid: change.old ?? null,
    new_oid: change.new ?? null,
  };
  const [before, after] = [textOf(objects, change.old), textOf(objects, change.new)];
  if (before === null || after === null) return { ...base, patch: null, added: 0, removed: 0 };
  const patch = patchOf(before, after);
  const count = (sign: string): number => patch.split('\n').filter((line) => line.startsWith(sign)).length;
  return { ...base, patch, added: count('+'), removed: count('-') };
}

function kindOfChange(change: SessionChange): FileDiff['change'] {
  if (change.old === null) return 'added';
  return change.new === null ? 'deleted' : 'modified';
}
