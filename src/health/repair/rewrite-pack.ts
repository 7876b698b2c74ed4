/** Rewrites the readable objects of a damaged pack as loose objects, and then moves the pack aside. */

import { basename } from 'node:path';
import { CtxError, OR_FETCH } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { LOOSE_LIMIT } from '../../git/layout.ts';
import { inBulk } from '../../git/objects/bulk.ts';
import { decodeLoose, type GitObject, loosePath, missing } from '../../git/objects/loose.ts';
import { openPack, openTornPack, type Pack } from '../../git/objects/pack.ts';
import { indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { openPackIndex } from '../../git/objects/pack-index.ts';
import { isDamaged, setAside } from '../../git/set-aside.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { isAbsent, listFolder, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { countOf, scanPack } from './scan-pack.ts';

/** Number of objects that are written before the disk is waited for. */
const AT_ONCE = 2000;

export interface Taken {
  /** Description of the repair, in a sentence. */
  report: string;
  /** True if objects of the pack may be missing now: as long as they may be fetched, no pointer must be set back. */
  isLost: boolean;
}

/**
 * Rewrites a pack whose index is whole. Objects that are readable nowhere are missing afterwards, and the pack is kept in
 * `lost/`. Only while the packing lock is held. May be interrupted and repeated.
 * @throws {CtxError} damaged, io
 */
export function rewritePack(repository: Repository, path: string): Taken {
  const name = basename(path);
  const pack = openTornPack(path, openPackIndex(indexOf(path)));
  try {
    const unread = { lost: 0, beyond: 0 };
    const written = writeAnew(repository, everyObject(repository, path, pack, unread));
    if (unread.beyond > 0) {
      const report = `Left ${name} as it is: ${plural(unread.beyond, 'object')} of it may be whole, and more than ctx reads.`;
      return { report, isLost: false };
    }
    setPackAside(repository, name);
    if (unread.lost > 0) return { report: lostReport(name, written, unread.lost), isLost: true };
    return { report: `Rewrote all that ${name} holds, and set it aside in lost/: it was damaged.`, isLost: false };
  } finally {
    pack.close();
  }
}

/** Rewrites a pack without a valid index. Only objects that are recognisable as valid are found. */
export function rewriteTornPack(repository: Repository, path: string): Taken {
  const name = basename(path);
  const written = writeAnew(repository, scanPack(path));
  const lost = (countOf(path) ?? Number.POSITIVE_INFINITY) - written;
  setPackAside(repository, name);
  return { report: lostReport(name, written, lost), isLost: lost > 0 };
}

function lostReport(name: string, written: number, lost: number): string {
  const read =
    written === 0
      ? 'Nothing of it could be read'
      : `What could be read of it, ${plural(written, 'object')}, is rewritten`;
  const what = `Set ${name} aside in lost/: it was damaged. ${read}`;
  if (lost <= 0) return `${what}.`;
  const which = Number.isFinite(lost)
    ? `${plural(lost, 'object')} can be read nowhere`
    : 'what else it held nobody knows';
  return `${what}; ${which}. Before another repair works on what is left, if anything is missing: ${OR_FETCH}`;
}

/** Yields every readable object of a pack, from the pack or from elsewhere; counts the others. */
function* everyObject(
  repository: Repository,
  path: string,
  pack: Pack,
  unread: { lost: number; beyond: number },
): Generator<{ oid: string; object: GitObject }> {
  for (const { oid } of pack.index.inOrder()) {
    let isBeyond = false;
    const object =
      tried(() => {
        try {
          return pack.read(oid);
        } catch (error) {
          isBeyond = error instanceof CtxError && error.data?.beyond === true;
          throw error;
        }
      }) ?? copyElsewhere(repository, path, oid);
    if (object) yield { oid, object };
    else unread[isBeyond ? 'beyond' : 'lost'] += 1;
  }
}

/** Writes objects loose, and reads each of them before the pack may be moved; returns their number. */
function writeAnew(repository: Repository, found: Iterable<{ oid: string; object: GitObject }>): number {
  const written = new Set<string>();
  inBulk(
    repository,
    (store) => {
      for (const { oid, object } of found) {
        if (isDamaged(() => readLoose(repository, oid)))
          setAside(repository, loosePath(repository.layout.objects, oid));
        store.write(object.type, object.content);
        written.add(oid);
        if (written.size % AT_ONCE === 0) store.publish();
      }
      store.publish();
    },
    { copies: true },
  );
  for (const oid of written) if (readLoose(repository, oid) === null) throw missing(oid);
  return written.size;
}

/**
 * The pack is moved first: a pack without an index would look like one that is needed, while an index without a pack is
 * ignored.
 */
function setPackAside(repository: Repository, name: string): void {
  const { pack } = repository.layout;
  const belongs = listFolder(pack).filter((other) => other.startsWith(name.replace(/pack$/, '')) && other !== name);
  for (const file of [name, ...belongs]) setAside(repository, below(pack, file));
  repository.objects.close();
}

/** Reads an object that is loose, or in another pack; returns null if it is readable nowhere. */
function copyElsewhere(repository: Repository, path: string, oid: string): GitObject | null {
  const loose = tried(() => readLoose(repository, oid));
  if (loose) return loose;
  for (const other of packPaths(repository.layout)) {
    const copy = other === path ? null : tried(() => readFrom(other, oid));
    if (copy) return copy;
  }
  return null;
}

function readFrom(path: string, oid: string): GitObject | null {
  const pack = openPack(path);
  try {
    return pack.read(oid);
  } finally {
    pack.close();
  }
}

/** Reads a loose object. @throws {CtxError} damaged, if it is torn */
function readLoose({ layout }: Repository, oid: string): GitObject | null {
  const file = readIfThere(loosePath(layout.objects, oid), LOOSE_LIMIT);
  return file === undefined ? null : decodeLoose(file, oid);
}

/** Returns null for an unreadable object, also of a pack without an index. */
function tried(read: () => GitObject | null): GitObject | null {
  try {
    return read();
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError || isAbsent(error)) return null;
    throw error;
  }
}
