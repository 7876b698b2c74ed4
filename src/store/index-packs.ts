/** Making the index of a pack anew: by Git where it is installed, by isomorphic-git where it is not. The pack stays as it is. */
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { publishTemporary, removeFile } from '../platform/files.ts';
import { readBeginning } from '../platform/plain-files.ts';
import { writeIndex } from './gc.ts';
import { hasGit, runQuietly } from './git.ts';
import { takePacking } from './packing.ts';
import type { Repository } from './repository.ts';
import { packsWithoutIndex } from './unindexed.ts';
import { endsInItsChecksum } from './verify/packs.ts';

/** Where a pack says how many objects it holds. */
const COUNT_AT = 8;

/** Gives every pack an index that has none; a sentence for each. @throws {CtxError} busy, while others pack or forget */
export async function indexPacks(repository: Repository): Promise<string[]> {
  if (packsWithoutIndex(repository.layout).length === 0) return [];
  const release = takePacking(repository);
  try {
    const done: string[] = [];
    // Whoever packed until now may have published one meanwhile.
    for (const path of packsWithoutIndex(repository.layout)) done.push(await indexPack(repository, path));
    return done;
  } finally {
    release();
  }
}

async function indexPack(repository: Repository, path: string): Promise<string> {
  const name = basename(path);
  try {
    if (!endsInItsChecksum(path)) return `Could not make an index of ${name}: its bytes are not those of its checksum.`;
    if (hasGit(repository)) runQuietly(repository, ['index-pack', path]);
    else await indexWithoutGit(repository, path);
    return `Made the index of ${name} anew.`;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return `Could not make an index of ${name}: ${error.message}`;
  }
}

async function indexWithoutGit(repository: Repository, path: string): Promise<void> {
  const { index, oids } = await writeIndex(repository, basename(path)).catch((cause: unknown) => {
    throw cause instanceof CtxError ? cause : new CtxError('io', 'it cannot be read without Git', { cause });
  });
  // What it cannot read it leaves out.
  const count = readBeginning(path, COUNT_AT + 4).readUInt32BE(COUNT_AT);
  if (oids.length !== count) {
    removeFile(index);
    throw new CtxError('io', `only ${oids.length} of its ${count} objects can be read`);
  }
  publishTemporary(index, path.replace(/\.pack$/, '.idx'), repository.durability);
}
