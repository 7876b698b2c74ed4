/** Taking a damaged pack apart: what it holds is written anew, one object a file, and then the pack is set aside. */
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { plural } from '../core/text.ts';
import { below } from '../platform/below.ts';
import { isAbsent, listFolder, readIfThere } from '../platform/files.ts';
import { type BulkStore, inBulk } from './bulk.ts';
import { decodeLoose, type GitObject, LOOSE_LIMIT, loosePath, missing } from './loose.ts';
import { openPack, type Pack } from './pack.ts';
import { packPaths } from './pack-faults.ts';
import type { Repository } from './repository.ts';
import { isDamaged, setAside } from './set-aside.ts';

/** How many objects are written before the disk is waited for. */
const AT_ONCE = 2000;

/**
 * Does so where each of its objects can be read, from it or from elsewhere; gives a sentence. Only with what keeps others from
 * packing in hand. May be cut off and run again.
 * @throws {CtxError} damaged, io
 */
export function takeApart(repository: Repository, path: string): string {
  const name = basename(path);
  const pack = openPack(path);
  try {
    const rotten = new Set<string>();
    for (const { oid, error } of pack.check(() => true)) if (error !== null) rotten.add(oid);
    const lost = [...rotten].filter((oid) => copyElsewhere(repository, path, oid) === null).length;
    if (lost > 0) return `Left ${name} as it is: ${plural(lost, 'object')} of it can be read nowhere.`;
    const read = (oid: string): GitObject | null =>
      rotten.has(oid) ? copyElsewhere(repository, path, oid) : pack.read(oid);
    inBulk(repository, (store) => writeAnew(repository, pack, read, store), { copies: true });
    // Nothing goes before what was written has been read.
    for (const { oid } of pack.index.entries()) if (readLoose(repository, oid) === null) throw missing(oid);
  } finally {
    pack.close();
  }
  setPackAside(repository, name);
  return `Wrote all that ${name} holds anew, and set it aside in lost/: it was damaged.`;
}

function writeAnew(
  repository: Repository,
  pack: Pack,
  read: (oid: string) => GitObject | null,
  store: BulkStore,
): void {
  let waiting = 0;
  for (const { oid } of pack.index.inOrder()) {
    if (isDamaged(() => readLoose(repository, oid))) setAside(repository, loosePath(repository.layout.objects, oid));
    const object = read(oid);
    if (object === null) throw missing(oid);
    store.write(object.type, object.content);
    waiting += 1;
    if (waiting % AT_ONCE === 0) store.settle();
  }
  store.settle();
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
    if (error instanceof CtxError || isAbsent(error)) return null;
    throw error;
  }
}
