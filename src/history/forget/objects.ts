/** Removes objects: loose ones, and packs that have any, after their other objects were rewritten. */
import { lstatSync } from 'node:fs';
import { checkFolder, entriesOf } from '../../git/guard.ts';
import { type BulkStore, inBulk } from '../../git/objects/bulk.ts';
import { decodeLoose, loosePath } from '../../git/objects/loose.ts';
import { openPack } from '../../git/objects/pack.ts';
import { packOf } from '../../git/objects/pack-names.ts';
import { below } from '../../platform/below.ts';
import { exists, listFolder, makeOld, readIfThere, removeFile, syncFolder } from '../../platform/files.ts';
import type { Repository } from '../store/repository.ts';
import { looseOids, packedOids, packNames, packsWith } from './store-listing.ts';

/** Number of objects that are written before the disk is waited for. */
const AT_ONCE = 2000;
/** Number of rounds, since a concurrent Git may pack the objects again. */
const ROUNDS = 5;

/** Writes the quarantined objects into the store, except unneeded ones. May be interrupted and repeated. */
export function publishObjects(repository: Repository, unneeded: ReadonlySet<string>): void {
  const { layout } = repository;
  inBulk(repository, (store) => {
    let waiting = 0;
    for (const { name: oid } of entriesOf(layout.forgetting)) {
      if (!/^[0-9a-f]{40}$/.test(oid) || unneeded.has(oid)) continue;
      const path = below(layout.forgetting, oid);
      checkFolder(layout, path);
      const { type, content } = decodeLoose(readIfThere(path) ?? Buffer.alloc(0), oid);
      store.write(type, content);
      waiting += 1;
      if (waiting % AT_ONCE === 0) store.publish();
    }
    store.publish();
  });
}

/** Removes objects, loose and packed, that no pointer names any more. May be interrupted and repeated. */
export function removeObjects(repository: Repository, gone: ReadonlySet<string>): void {
  const { layout, durability, objects } = repository;
  if (gone.size === 0) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const packs = packsWith(layout, gone);
    for (const pack of packs) rewritePack(repository, pack, packs, gone);
    removeStrays(repository);
    const folders = new Set<string>();
    for (const oid of looseOids(layout))
      if (gone.has(oid) && removeFile(loosePath(layout.objects, oid))) folders.add(oid.slice(0, 2));
    for (const folder of folders)
      if (exists(below(layout.objects, folder))) syncFolder(below(layout.objects, folder), durability);
    objects.close();
    if (packs.length === 0) return;
  }
}

/**
 * Writes the remaining objects of a pack loose, durably; then removes the pack, its index first, since a pack without an
 * index is not read.
 */
function rewritePack(repository: Repository, pack: string, packs: readonly string[], gone: ReadonlySet<string>): void {
  const { layout, durability } = repository;
  const kept = new Set(looseOids(layout));
  for (const other of packNames(layout))
    if (!packs.includes(other)) for (const oid of packedOids(layout, other)) kept.add(oid);
  const opened = openPack(below(layout.pack, `${pack}.pack`));
  try {
    const writeKept = (store: BulkStore): void => {
      let waiting = 0;
      for (const { oid } of opened.index.entries()) {
        if (gone.has(oid) || kept.has(oid)) continue;
        const object = opened.read(oid);
        if (object) store.write(object.type, object.content);
        waiting += 1;
        if (waiting % AT_ONCE === 0) store.publish();
      }
      store.publish();
    };
    inBulk(repository, writeKept, { copies: true });
  } finally {
    opened.close();
  }
  const files = listFolder(layout.pack).filter((name) => packOf(name) === pack);
  // After a kill they must not look like files of a pack that Git is about to name.
  for (const name of files) makeOld(below(layout.pack, name));
  removeFile(below(layout.pack, `${pack}.idx`));
  syncFolder(layout.pack, durability);
  for (const name of files) removeFile(below(layout.pack, name));
  syncFolder(layout.pack, durability);
}

/** Period in milliseconds in which Git may still be naming a pack: it names the pack first, and its index last. */
const STILL_NAMED = 3600 * 1000;

/** Older than Git: marks the leftovers of a pack that a forgetting has removed. */
const BEFORE_GIT = Date.UTC(2005, 0);

/** Removes the leftovers of packs that a killed forgetting was removing, and of killed packing: recent ones may be in use. */
function removeStrays({ layout, durability }: Repository): void {
  const whole = new Set(packNames(layout));
  let removed = false;
  for (const name of listFolder(layout.pack)) {
    const pack = packOf(name);
    const path = below(layout.pack, name);
    const stray =
      pack === undefined
        ? /^(tmp_|\.tmp-)/.test(name) && isOld(path)
        : !whole.has(pack) && isTakenApart(path) && !exists(below(layout.pack, `${pack}.idx`));
    if (stray && removeFile(path)) removed = true;
  }
  if (removed) syncFolder(layout.pack, durability);
}

/** Returns whether a file without an index is the leftover of a pack that a forgetting has removed; no other is ours to remove. */
export const isTakenApart = (path: string): boolean =>
  (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? BEFORE_GIT) < BEFORE_GIT;

/** Returns whether a file is too old to belong to a pack that Git is about to name. */
export function isOld(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs < Date.now() - STILL_NAMED;
}
