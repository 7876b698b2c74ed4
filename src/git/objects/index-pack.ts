/** Rebuilds the index of a pack: by Git if it is installed, otherwise by isomorphic-git. The pack stays as it is. */
import fs, { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { createFile, type Durability, discard, exists, ioError, publishTemporary } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { hasGit, runQuietly } from '../git.ts';
import { keepCopy } from '../set-aside.ts';
import type { ObjectFiles } from './objects.ts';
import { indexOf } from './pack-faults.ts';

/** Offset of the number of objects in a pack. */
const COUNT_AT = 8;

/**
 * Rebuilds the index of a pack whose checksum is right; an existing index stays until then, and is kept in `lost/`.
 * @throws {CtxError} io, unsupported_store
 */
export async function indexPack(repository: ObjectFiles, path: string): Promise<string> {
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

function indexWithGit(repository: ObjectFiles, path: string): string {
  // Git accepts no other suffix, and removes such a file in time.
  const made = below(repository.layout.pack, `tmp_idx_${repository.ids()}.idx`);
  try {
    // With a folder without objects: Git would compare each object with the one that a wrong index finds for its id.
    runQuietly(repository, ['index-pack', '-o', made, path], { objects: repository.layout.oplog });
    // Git makes a file with a name that it did not choose readable for everybody.
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

async function indexWithoutGit(repository: ObjectFiles, path: string): Promise<string> {
  const { index, oids } = await writeIndex(repository, basename(path)).catch((cause: unknown) => {
    throw cause instanceof CtxError ? cause : new CtxError('io', 'it cannot be read without Git', { cause });
  });
  // isomorphic-git omits objects that it cannot read.
  const count = readBeginning(path, COUNT_AT + 4).readUInt32BE(COUNT_AT);
  if (oids.length === count) return index;
  discard(index);
  throw new CtxError('io', `only ${oids.length} of its ${count} objects can be read`);
}

/** Builds the index of a pack without Git, under a temporary name; the caller publishes it. @param pack its file name */
export async function writeIndex(repository: ObjectFiles, pack: string): Promise<{ index: string; oids: string[] }> {
  const { layout, durability, ids } = repository;
  const { default: git } = await import('isomorphic-git');
  const index = below(layout.pack, `tmp_idx_${ids()}`);
  const { files, check } = writingTo(index, durability);
  const where = { dir: layout.root, gitdir: layout.root, filepath: `objects/pack/${pack}` };
  try {
    const { oids } = await git.indexPack({ fs: files, ...where });
    check();
    return { index, oids };
  } catch (error) {
    discard(index);
    throw error;
  }
}

/**
 * Makes a file system for isomorphic-git whose single write creates our file durably. isomorphic-git ignores a failed write
 * unless a second one fails too: the first error is kept here, and thrown by `check`.
 */
function writingTo(
  path: string,
  durability: Durability,
): { files: { promises: typeof fs.promises }; check: () => void } {
  let failed: unknown;
  const writeFile = async (_path: string, content: Uint8Array): Promise<void> => {
    try {
      createFile(path, Buffer.from(content), durability);
    } catch (error) {
      failed ??= error;
      throw error;
    }
  };
  const check = (): void => {
    if (failed !== undefined) throw failed;
  };
  return { files: { promises: { ...fs.promises, writeFile: writeFile as typeof fs.promises.writeFile } }, check };
}
