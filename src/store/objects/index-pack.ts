/** Making the index of a pack anew: by Git where it is installed, by isomorphic-git where it is not. The pack stays as it is. */
import { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { discard, exists, ioError, publishTemporary } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { writeIndex } from '../gc/gc.ts';
import { hasGit, runQuietly } from '../git.ts';
import { keepCopy } from '../repair/set-aside.ts';
import type { Repository } from '../repository.ts';
import { indexOf } from './pack-faults.ts';

/** Where a pack says how many objects it holds. */
const COUNT_AT = 8;

/** Makes the index of a pack that ends in its checksum; one that stands there stays until then, and is kept. @throws {CtxError} io, unsupported_store */
export async function indexPack(repository: Repository, path: string): Promise<string> {
  const made = hasGit(repository) ? indexWithGit(repository, path) : await indexWithoutGit(repository, path);
  const index = indexOf(path);
  const was = exists(index);
  try {
    if (was) keepCopy(repository, index);
  } catch (error) {
    discard(made);
    throw error;
  }
  publishTemporary(made, index, repository.durability);
  return `Made a new index of ${basename(path)}${was ? '; the wrong one is in lost/' : ''}.`;
}

function indexWithGit(repository: Repository, path: string): string {
  // Git takes no other ending, and removes such a file in time.
  const made = below(repository.layout.pack, `tmp_idx_${repository.ids()}.idx`);
  try {
    // In a folder without objects: Git holds each object against the one that a wrong index gives it for that.
    runQuietly(repository, ['index-pack', '-o', made, path], { objects: repository.layout.oplog });
    // Under a name of ours Git lets everybody read it.
    chmodSync(made, 0o400);
  } catch (error) {
    discard(made);
    throw ioError('change', made, error);
  } finally {
    // A newer Git makes a reverse index too, which would have the wrong name.
    discard(made.replace(/idx$/, 'rev'));
  }
  return made;
}

async function indexWithoutGit(repository: Repository, path: string): Promise<string> {
  const { index, oids } = await writeIndex(repository, basename(path)).catch((cause: unknown) => {
    throw cause instanceof CtxError ? cause : new CtxError('io', 'it cannot be read without Git', { cause });
  });
  // What it cannot read it leaves out.
  const count = readBeginning(path, COUNT_AT + 4).readUInt32BE(COUNT_AT);
  if (oids.length === count) return index;
  discard(index);
  throw new CtxError('io', `only ${oids.length} of its ${count} objects can be read`);
}
