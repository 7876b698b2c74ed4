/** A stranger's folders in folders in folders, which Git must not be let into. */
import { spawn } from 'node:child_process';
import { checkForGit, gitCommand } from './git.ts';
import type { Repository } from './repository.ts';

/** Longest path of a file that Git packs, in bytes: those of ctx have at most 1,024 below their first folder. */
const LONGEST = 4096;

/**
 * Whether Git would come upon a path over 4,096 bytes when it packs. It remembers the path of each folder that it is in: for one
 * in 20,000 others it took 445 MB (measured with 2.39; from 2.43 on it refuses so many itself). What it cannot list it cannot
 * pack either, and says so then.
 */
export async function hasLongPath(repository: Repository): Promise<boolean> {
  checkForGit(repository);
  const { file, options, env } = gitCommand(repository);
  // As `git repack` asks: each object is met at one path only, and must be met at the same one.
  const words = ['rev-list', '--objects', '--all', '--reflog', '--indexed-objects'];
  const child = spawn(file, [...options, ...words], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  child.on('error', () => undefined);
  let length = 0;
  for await (const piece of child.stdout as AsyncIterable<Buffer>) {
    for (let from = 0, end = 0; end !== -1; from = end + 1) {
      end = piece.indexOf('\n', from);
      length += (end === -1 ? piece.length : end) - from;
      // In front of the path stands the id.
      if (length > 41 + LONGEST) return true;
      if (end !== -1) length = 0;
    }
  }
  return false;
}
