/** Taking a damaged pack apart: what can be read of it is written anew, one object a file, and then the pack is set aside. */

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

/** How many objects are written before the disk is waited for. */
const AT_ONCE = 2000;

export interface Taken {
  /** What was done, in a sentence. */
  told: string;
  /** Whether objects may be missing now that were in the pack: as long as they may be fetched nothing is to go back behind them. */
  isLost: boolean;
}

/**
 * Takes a pack apart whose index is whole. What can be read of neither it nor anything else is missing then, and the pack is kept
 * in `lost/` as it was. Only with what keeps others from packing in hand. May be cut off and run again.
 * @throws {CtxError} damaged, io
 */
export function takeApart(repository: Repository, path: string): Taken {
  const name = basename(path);
  const pack = openTornPack(path, openPackIndex(indexOf(path)));
  try {
    const unread = { lost: 0, beyond: 0 };
    const written = writeAnew(repository, everyObject(repository, path, pack, unread));
    if (unread.beyond > 0) {
      const told = `Left ${name} as it is: ${plural(unread.beyond, 'object')} of it may be whole, and more than ctx reads.`;
      return { told, isLost: false };
    }
    setPackAside(repository, name);
    if (unread.lost > 0) return { told: toldOfLost(name, written, unread.lost), isLost: true };
    return { told: `Rewrote all that ${name} holds, and set it aside in lost/: it was damaged.`, isLost: false };
  } finally {
    pack.close();
  }
}

/** The same of a pack of which no index tells. Only those objects are found that read right. */
export function takeTornApart(repository: Repository, path: string): Taken {
  const name = basename(path);
  const written = writeAnew(repository, scanPack(path));
  const lost = (countOf(path) ?? Number.POSITIVE_INFINITY) - written;
  setPackAside(repository, name);
  return { told: toldOfLost(name, written, lost), isLost: lost > 0 };
}

function toldOfLost(name: string, written: number, lost: number): string {
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

/** Every object of a pack that can be read, from it or from elsewhere; what cannot is counted. */
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

/** Writes objects in files of their own, and reads each before anything may go that it was in; gives how many there are. */
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

/** The pack goes first: one without an index would be taken for one that is needed. An index without a pack is nobody's. */
function setPackAside(repository: Repository, name: string): void {
  const { pack } = repository.layout;
  const belongs = listFolder(pack).filter((other) => other.startsWith(name.replace(/pack$/, '')) && other !== name);
  for (const file of [name, ...belongs]) setAside(repository, below(pack, file));
  repository.objects.close();
}

/** An object that lies loose, or in another pack; null where it can be read nowhere. */
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

/** @throws {CtxError} damaged, where there is one that is torn */
function readLoose({ layout }: Repository, oid: string): GitObject | null {
  const file = readIfThere(loosePath(layout.objects, oid), LOOSE_LIMIT);
  return file === undefined ? null : decodeLoose(file, oid);
}

/** What cannot be read is none; a pack without an index cannot. */
function tried(read: () => GitObject | null): GitObject | null {
  try {
    return read();
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError || isAbsent(error)) return null;
    throw error;
  }
}
