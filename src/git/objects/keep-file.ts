/** Git's `.keep` files for packs that no pointer names yet: they keep `git repack` from dropping those packs. */
import { CtxError } from '../../core/errors.ts';
import { createFile, type Durability, errorCode, readIfThere, removeFile } from '../../platform/files.ts';

/** Content of the files of ctx: other `.keep` files are the user's own. */
const MARK = 'ctx: a pack that is being ingested\n';

/**
 * Protects a pack from a concurrent `git repack -a -d`, which drops unreachable objects. To be called before the pack has
 * its name.
 * @param pack its path, without a suffix
 * @returns the `.keep` file, to be removed after a pointer names the pack; null if there is another one
 */
export function keepPack(pack: string, durability: Durability): string | null {
  const path = `${pack}.keep`;
  try {
    createFile(path, MARK, durability);
    return path;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return null;
    throw error;
  }
}

/** Removes `.keep` files. A file that cannot be removed is harmless: `ctx gc` removes it later. */
export function releasePacks(kept: readonly string[]): void {
  for (const path of kept) {
    try {
      removeFile(path);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
}

/** Returns whether a file is a `.keep` file of ctx. */
export const isOurKeep = (path: string): boolean =>
  /^pack-[0-9a-f]{40}\.keep$/.test(path.replace(/^.*[/\\]/, '')) && readIfThere(path)?.toString('latin1') === MARK;
