/** What is wrong with packs and their indexes as whole files, and which of the two it is. */
import { lstatSync } from 'node:fs';
import { CtxError, damaged, OR_FETCH } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { exists, ioError, listFolder, rootCode } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Layout } from '../layout.ts';
import { checksumOf, endsInItsChecksum, NOT_ITS_CHECKSUM } from './checksum.ts';
import { damagedIndex, openPackIndex } from './pack-index.ts';

export interface PackFault {
  /** The file that is wrong: a pack that has no index, or one that cannot be read, is whole, as far as anybody knows. */
  what: 'pack' | 'index' | 'no index' | 'unreadable index';
  error: CtxError;
}

/** What leads out of it: what is missing then is plainly missing, and Git fetches it, as it does not where a pack seems to hold it. */
export const TAKE_APART = `First: ctx fsck --full --repair, which rewrites all that can be read of it and sets it aside in lost/. Then, if an object is missing: ${OR_FETCH}`;

/** Paths of all packs, also of those whose names Git alone takes for one: it opens every one that has an index. */
export const packPaths = ({ pack }: Layout): string[] =>
  listFolder(pack)
    .filter((name) => /^(?!\.|tmp_).+\.pack$/.test(name))
    .map((name) => below(pack, name));

export const indexOf = (pack: string): string => pack.replace(/\.pack$/, '.idx');

/**
 * What is wrong with a pack, or with its index; nothing where Git has replaced it meanwhile.
 * @param full read every byte of the pack; it is read, too, where its index has another checksum of it than it has itself
 * @throws {CtxError} io
 */
export function faultsOf(pack: string, full: boolean): PackFault[] {
  // What is no file is named with everything else that is none: a pipe would be waited for.
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
  const told = hasIndex ? packToldBy(index) : undefined;
  if (told === undefined) yield { what: 'no index', error: damaged(`pack ${pack}`, 'it has no index') };
  else if (told instanceof CtxError)
    yield { what: told.code === 'damaged' ? 'index' : 'unreadable index', error: told };
  const differs = typeof told === 'string' && told !== checksumOf(pack);
  if (!full && !differs) return;
  if (!endsInItsChecksum(pack))
    yield { what: 'pack', error: damaged(`pack ${pack}`, NOT_ITS_CHECKSUM, { hint: TAKE_APART }) };
  else if (differs) yield { what: 'index', error: damagedIndex(index, 'it is that of another pack') };
}

/** The checksum of the pack that an index is of; what is wrong with the index where it cannot tell. */
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
    // Gone since it was seen, it is Git's to have replaced.
    if (error instanceof CtxError && rootCode(error) !== 'ENOENT') return error;
    throw error;
  }
}

/** Refuses a store that may not be packed anew: Git throws packs away by what their indexes say. @throws {CtxError} damaged */
export function checkPacks(layout: Layout): void {
  for (const pack of packPaths(layout))
    for (const { what, error } of faultsOf(pack, false)) if (what !== 'no index') throw error;
}
