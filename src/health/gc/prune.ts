/** Removing what nothing names any more, once it is old: Git tells what that is. */
import { statSync } from 'node:fs';
import { runQuietly } from '../../git/git.ts';
import { COMMIT_GRAPH_LOCKS, dropCommitGraphs } from '../../git/objects/git-caches.ts';
import { loosePath } from '../../git/objects/loose.ts';
import { waitForRefLock } from '../../git/refs/lock.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { removeFile } from '../../platform/files.ts';

/** Nothing younger than this is ever removed, in seconds: two weeks. */
export const YOUNGEST = 1_209_600;

/**
 * Removes loose objects that nothing names and that are older than two weeks; only under LOCK, beside no write of ours. `git prune`
 * itself would also remove young ones that are packed as well, whose pack a `git gc` at this moment may be about to take away.
 * @throws {CtxError} busy, while a Git writes a commit graph; io, unsupported_store
 */
export function pruneWithGit(repository: Repository): void {
  const list = runQuietly(repository, ['prune', '-n', '--expire=2.weeks.ago'], { most: Number.POSITIVE_INFINITY });
  const found = [...(list?.matchAll(/^([0-9a-f]{40}) (\w+)$/gm) ?? [])].map(([, oid = '', type = '']) => {
    return { path: loosePath(repository.layout.objects, oid), type };
  });
  const old = found.filter(({ path }) => isOld(path));
  // What Git cannot tell the type of may be one.
  const hasCommits = old.some(({ type }) => !['blob', 'tree', 'tag'].includes(type));
  if (hasCommits) forgetGraphs(repository);
  for (const { path } of old) if (isOld(path)) removeFile(path);
  // A Git beside us may have made one meanwhile of what it had read before.
  if (hasCommits) dropCommitGraphs(repository);
}

/** Removes commit graphs before the commits go that they may name: where this is cut off, nothing names what is gone. */
function forgetGraphs(repository: Repository): void {
  const { layout, lockWait } = repository;
  for (const name of COMMIT_GRAPH_LOCKS)
    waitForRefLock({ path: below(layout.root, name), root: layout.root, wait: lockWait });
  dropCommitGraphs(repository);
}

/** A Git beside us may have made it young since it was listed. */
function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > YOUNGEST * 1000;
}
