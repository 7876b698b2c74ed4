/** Packs that no pointer names yet: a file beside each tells Git, which knows it as its own, to leave them where it packs anew. */
import { CtxError } from '../../core/errors.ts';
import { createFile, type Durability, errorCode, readIfThere, removeFile } from '../../platform/files.ts';

/** What stands in ours: the user's own are the user's. */
const MARK = 'ctx: a pack that is being ingested\n';

/**
 * Keeps a pack from `git repack -a -d` beside us, which throws away what nothing reaches. To be made before the pack has its name.
 * @param pack its path, without an ending
 * @returns what to let go of once a pointer names it; null where somebody else keeps it
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

/** Lets packs go. Where that fails Git keeps them a while longer, which is harmless: `ctx gc` comes back to them. */
export function letGo(kept: readonly string[]): void {
  for (const path of kept) {
    try {
      removeFile(path);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
}

/** Whether a file is one of ours. */
export const isOurKeep = (path: string): boolean =>
  /^pack-[0-9a-f]{40}\.keep$/.test(path.replace(/^.*[/\\]/, '')) && readIfThere(path)?.toString('latin1') === MARK;
