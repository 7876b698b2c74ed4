/** Mending packs and their indexes, so that all that is in them can be read: what is wrong is set aside, never deleted. */
import { basename } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { endsInItsChecksum } from '../../git/objects/checksum.ts';
import { indexPack } from '../../git/objects/index-pack.ts';
import { faultsOf, type PackFault, packPaths } from '../../git/objects/pack-faults.ts';
import { takePacking } from '../../git/packing.ts';
import type { Repository } from '../../history/store/repository.ts';
import { rootCode } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { type Taken, takeApart, takeTornApart } from './take-apart.ts';

export interface MendedPacks {
  /** A sentence for each. */
  told: string[];
  /** Whether objects may be missing now that were in one. */
  isLost: boolean;
}

/**
 * Gives a pack an index that has none, or a wrong one, and takes one apart that is damaged itself.
 * @param full read every byte of every pack
 * @throws {CtxError} busy, while others pack or forget; io, where the disk refuses what is to be written
 */
export async function mendPacks(repository: Repository, full: boolean): Promise<MendedPacks> {
  const done: Taken[] = [];
  let release: (() => void) | undefined;
  try {
    for (const path of packPaths(repository.layout)) {
      if (!faultOf(path, full)) continue;
      release ??= takePacking(repository);
      // Whoever packed until now may have replaced it, or published its index.
      const fault = faultOf(path, full);
      if (fault) done.push(await mended(repository, path, fault.what));
    }
    return { told: done.map(({ told }) => told), isLost: done.some(({ isLost }) => isLost) };
  } finally {
    release?.();
  }
}

/** What is to be mended first; nothing where it cannot be read, which the check tells. */
function faultOf(path: string, full: boolean): PackFault | undefined {
  try {
    const [first] = faultsOf(path, full);
    return first?.what === 'unreadable index' ? undefined : first;
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Makes the index of a pack anew that is whole, or seems so. @throws {CtxError} io, where the disk refuses what is to be written */
export const mendIndex = (repository: Repository, path: string): Promise<Taken> => mended(repository, path, 'index');

async function mended(repository: Repository, path: string, what: PackFault['what']): Promise<Taken> {
  const isTorn = what === 'pack' || !endsInItsChecksum(path);
  try {
    if (!isTorn) return { told: await indexPack(repository, path), isLost: false };
    return what === 'pack' ? takeApart(repository, path) : takeTornApart(repository, path);
  } catch (error) {
    throwResourceError(error);
    // What the disk refuses is no word about the pack.
    if (!(error instanceof CtxError) || /^E[A-Z]+$/.test(rootCode(error))) throw error;
    const why = error.message.replace(/\.?$/, '.');
    const failed = isTorn ? `Left ${basename(path)} as it is` : `Could not make an index of ${basename(path)}`;
    return { told: `${failed}: ${why}`, isLost: false };
  }
}
