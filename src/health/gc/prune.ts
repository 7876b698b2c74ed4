/** Removes old unreachable objects, which Git lists. */
import { statSync } from 'node:fs';
import { runQuietly } from '../../git/git.ts';
import { COMMIT_GRAPH_LOCKS, dropCommitGraphs } from '../../git/objects/git-caches.ts';
import { loosePath } from '../../git/objects/loose.ts';
import { waitForRefLock } from '../../git/refs/lock.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { removeFile } from '../../platform/files.ts';

/** Least age of a removed object, in seconds: two weeks. */
export const YOUNGEST = 1_209_600;

/**
 * Removes unreachable loose objects that are older than two weeks; only under LOCK, so that no process of ctx writes. `git
 * prune` itself would also remove young ones that are packed as well, whose pack a concurrent `git gc` may be about to
 * remove.
 * @throws {CtxError} busy, while a Git writes a commit graph; io, unsupported_store
 */
export function pruneWithGit(repository: Repository): void {
  const list = runQuietly(repository, ['prune', '-n', '--expire=2.weeks.ago'], { most: Number.POSITIVE_INFINITY });
  const found = [...(list?.matchAll(/^([0-9a-f]{40}) (\w+)$/gm) ?? [])].map(([, oid = '', type = '']) => {
    return { path: loosePath(repository.layout.objects, oid), type };
  });
  const old = found.filter(({ path }) => isOld(path));
  // An object of unknown type may be a commit.
  const hasCommits = old.some(({ type }) => !['blob', 'tree', 'tag'].includes(type));
  if (hasCommits) forgetGraphs(repository);
  for (const { path } of old) if (isOld(path)) removeFile(path);
  // A concurrent Git may have written one from older data.
  if (hasCommits) dropCommitGraphs(repository);
}

/** Removes commit graphs before the commits that they may name: after an interruption no graph names a missing commit. */
function forgetGraphs(repository: Repository): void {
  const { layout, lockWait } = repository;
  for (const name of COMMIT_GRAPH_LOCKS)
    waitForRefLock({ path: below(layout.root, name), root: layout.root, wait: lockWait });
  dropCommitGraphs(repository);
}

/** A concurrent Git may have renewed its times since it was listed. */
function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > YOUNGEST * 1000;
}
