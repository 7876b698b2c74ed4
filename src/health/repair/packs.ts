/** Repairs packs and their indexes, so that their objects can be read: damaged files are moved aside, never deleted. */
import { basename } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { endsInItsChecksum } from '../../git/objects/checksum.ts';
import { indexPack } from '../../git/objects/index-pack.ts';
import { faultsOf, type PackFault, packPaths } from '../../git/objects/pack-faults.ts';
import { takePacking } from '../../git/packing.ts';
import type { Repository } from '../../history/store/repository.ts';
import { rootCode } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { rewritePack, rewriteTornPack, type Taken } from './rewrite-pack.ts';

export interface RepairedPacks {
  /** A sentence for each repair. */
  report: string[];
  /** True if objects of a pack may be missing now. */
  isLost: boolean;
}

/**
 * Rebuilds a missing or wrong index of a pack, and rewrites the objects of a damaged pack.
 * @param full reads every byte of every pack
 * @throws {CtxError} busy, while others pack or forget; io, if the disk refuses a write
 */
export async function repairPacks(repository: Repository, full: boolean): Promise<RepairedPacks> {
  const done: Taken[] = [];
  let release: (() => void) | undefined;
  try {
    for (const path of packPaths(repository.layout)) {
      if (!faultOf(path, full)) continue;
      release ??= takePacking(repository);
      // Another process may have replaced the pack, or published its index.
      const fault = faultOf(path, full);
      if (fault) done.push(await repaired(repository, path, fault.what));
    }
    return { report: done.map(({ report }) => report), isLost: done.some(({ isLost }) => isLost) };
  } finally {
    release?.();
  }
}

/** Returns the first fault to repair; undefined if the pack cannot be read, which the check reports. */
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

/** Rebuilds the index of a pack that seems whole. @throws {CtxError} io, if the disk refuses a write */
export const repairIndex = (repository: Repository, path: string): Promise<Taken> =>
  repaired(repository, path, 'index');

async function repaired(repository: Repository, path: string, what: PackFault['what']): Promise<Taken> {
  const isTorn = what === 'pack' || !endsInItsChecksum(path);
  try {
    if (!isTorn) return { report: await indexPack(repository, path), isLost: false };
    return what === 'pack' ? rewritePack(repository, path) : rewriteTornPack(repository, path);
  } catch (error) {
    throwResourceError(error);
    // A refusal by the disk says nothing about the pack.
    if (!(error instanceof CtxError) || /^E[A-Z]+$/.test(rootCode(error))) throw error;
    const why = error.message.replace(/\.?$/, '.');
    const failed = isTorn ? `Left ${basename(path)} as it is` : `Could not make an index of ${basename(path)}`;
    return { report: `${failed}: ${why}`, isLost: false };
  }
}
