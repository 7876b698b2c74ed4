/** Removing what nothing names any more, once it is old: Git tells what that is. */
import { statSync } from 'node:fs';
import { removeFile } from '../../platform/files.ts';
import { runQuietly } from '../git.ts';
import { loosePath } from '../objects/loose.ts';
import type { Repository } from '../repository.ts';

/** Nothing younger than this is ever removed, in seconds: two weeks. */
export const YOUNGEST = 1_209_600;

/**
 * Removes loose objects that nothing names and that are older than two weeks; only under LOCK, beside no write of ours. `git prune`
 * itself would also remove young ones that are packed as well, whose pack a `git gc` at this moment may be about to take away.
 * @throws {CtxError} io, unsupported_store
 */
export function pruneWithGit(repository: Repository): void {
  const list = runQuietly(repository, ['prune', '-n', '--expire=2.weeks.ago'], { most: Number.POSITIVE_INFINITY });
  for (const [oid] of list?.matchAll(/^[0-9a-f]{40}(?= )/gm) ?? []) {
    const path = loosePath(repository.layout.objects, oid);
    if (isOld(path)) removeFile(path);
  }
}

/** A Git beside us may have made it young since it was listed. */
function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > YOUNGEST * 1000;
}
