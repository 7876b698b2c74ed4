/** Finds damaged packs and indexes as whole files, and which of the two is damaged. */
import { lstatSync } from 'node:fs';
import { CtxError, damaged, FETCH, OR_FETCH } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { exists, ioError, listFolder, rootCode } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Layout } from '../layout.ts';
import { checksumOf, endsInItsChecksum, NOT_ITS_CHECKSUM } from './checksum.ts';
import { damagedIndex, openPackIndex } from './pack-index.ts';

export interface PackFault {
  /** The damaged file: a pack without a readable index is assumed to be whole. */
  what: 'pack' | 'index' | 'no index' | 'unreadable index';
  error: CtxError;
}

/**
 * The hint that leads out of it: afterwards a missing object is plainly missing, and Git fetches it, which it does not if a
 * pack seems to have it.
 */
export const TAKE_APART = `First: ctx fsck --full --repair, which rewrites all that can be read of it and sets it aside in lost/. Then, if an object is missing: ${OR_FETCH}`;

/** Returns the paths of all packs, including those with names that only Git accepts: Git opens every pack that has an index. */
export const packPaths = ({ pack }: Layout): string[] =>
  listFolder(pack)
    .filter((name) => /^(?!\.|tmp_).+\.pack$/.test(name))
    .map((name) => below(pack, name));

export const indexOf = (pack: string): string => pack.replace(/\.pack$/, '.idx');

/**
 * Returns the faults of a pack and its index; empty if Git has replaced it meanwhile.
 * @param full reads every byte of the pack; otherwise the pack is read only if its index names another checksum
 * @throws {CtxError} io
 */
export function faultsOf(pack: string, full: boolean): PackFault[] {
  // An entry that is no regular file is reported elsewhere; opening a pipe would wait.
  if (!lstatSync(pack, { throwIfNoEntry: false })?.isFile()) return [];
  const hasIndex = exists(indexOf(pack));
  try {
    return [...look(pack, hasIndex, full)];
  } catch (error) {
    if (!exists(pack) || hasIndex !== exists(indexOf(pack))) return [];
    throw ioError('read', pack, error);
  }
}

function* look(pack: string, hasIndex: boolean, full: boolean): Generator<PackFault> {
  const index = indexOf(pack);
  const named = hasIndex ? packToldBy(index) : undefined;
  if (named === undefined) yield { what: 'no index', error: damaged(`pack ${pack}`, 'it has no index') };
  else if (named instanceof CtxError)
    yield { what: named.code === 'damaged' ? 'index' : 'unreadable index', error: named };
  const differs = typeof named === 'string' && named !== checksumOf(pack);
  if (!full && !differs) return;
  if (!endsInItsChecksum(pack))
    yield { what: 'pack', error: damaged(`pack ${pack}`, NOT_ITS_CHECKSUM, { hint: TAKE_APART }) };
  else if (differs) yield { what: 'index', error: damagedIndex(index, 'it is that of another pack') };
}

/** Returns the checksum of the pack that an index names; the error if the index is damaged. */
function packToldBy(path: string): string | CtxError {
  try {
    const index = openPackIndex(path);
    try {
      index.check();
      return index.pack;
    } finally {
      index.close();
    }
  } catch (error) {
    throwResourceError(error);
    // It is gone since it was seen: Git has replaced it.
    if (error instanceof CtxError && rootCode(error) !== 'ENOENT') return error;
    throw error;
  }
}

/** Refuses a store that may not be packed again: Git drops packs by what their indexes say. @throws {CtxError} damaged */
export function checkPacks(layout: Layout): void {
  for (const pack of packPaths(layout))
    for (const { what, error } of faultsOf(pack, false)) if (what !== 'no index') throw error;
}

/** Returns the paths of packs without an index: their objects cannot be read, but are not lost. */
export const packsWithoutIndex = (layout: Layout): string[] =>
  packPaths(layout).filter((path) => !exists(indexOf(path)));

/** The hint for an object that may be in such a pack. */
const INDEX_HINT = `A pack has no index, and may hold it: ctx fsck --repair makes one. Otherwise, ${OR_FETCH}`;

/** Returns the hint for a missing object. */
export const hintForMissing = (layout: Layout): string => (packsWithoutIndex(layout).length > 0 ? INDEX_HINT : FETCH);
