/** Writes many objects without waiting for the disk, then publishes them together before a pointer may name them. */
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import {
  createFile,
  discard,
  exists,
  freshen,
  readIfThere,
  removeEmptyFolder,
  rootCode,
  syncFile,
  syncFolder,
} from '../../platform/files.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { checkFolder } from '../guard.ts';
import { contentAs, decodeLoose, deflate, frame, type GitObject, loosePath, sha1 } from './loose.ts';
import { ObjectCache } from './object-cache.ts';
import { type ObjectFiles, type ObjectStore, plainStore } from './objects.ts';

export interface BulkStore extends ObjectStore {
  /** Makes all written objects durable, under their own names. Only then may a pointer be moved. */
  publish: () => void;
  /** Removes objects that were written and not published, or that are in quarantine. */
  discard: () => void;
}

export interface BulkOptions {
  /** Writes an object loose even if the store has it, because a pack will be removed. */
  copies?: boolean;
  /** A folder in which published objects stay, each in a file named by its id, to be published later. */
  quarantine?: string;
}

/** Runs work on such a store. If the work fails, its objects are discarded: on a full disk they would take up the free space. */
export function inBulk<T>(repository: ObjectFiles, work: (objects: BulkStore) => T, how: BulkOptions = {}): T {
  const objects = bulkStore(repository, how);
  try {
    return work(objects);
  } catch (error) {
    objects.discard();
    throw error;
  }
}

/**
 * Runs a function that publishes objects. A concurrent `git prune` or `ctx forget` may take an unnamed file for a leftover
 * and remove it: the error is then `busy`, and a retry writes the objects again.
 * @throws {CtxError} busy
 */
export function busyIfPruned<T>(publish: () => T): T {
  try {
    return publish();
  } catch (cause) {
    if (rootCode(cause) !== 'ENOENT') throw cause;
    throw new CtxError('busy', 'What was being written has been removed meanwhile, perhaps by Git.', {
      hint: 'Run the command again.',
      data: { pointer: 'objects' },
      cause,
    });
  }
}

/** Contents up to this size are cached until they are published: the next step reads the trees of the step before. */
const HELD_SIZE = 16 * 1024;
/** Most bytes in the cache; the oldest are dropped first. */
const HELD_TOTAL = 8 * 1024 * 1024;

/** Makes an object store over the repository's own whose writes are published together. */
export function bulkStore(repository: ObjectFiles, { copies = false, quarantine }: BulkOptions = {}): BulkStore {
  const { layout, objects, secondNames, durability } = repository;
  const waiting = new Map<string, string>();
  /** Published objects in the quarantine. */
  const apart = new Map<string, string>();
  /** Loose objects that existed already: their writer may have been killed before their names were on disk. */
  const found = new Set<string>();
  const held = new ObjectCache(HELD_SIZE, HELD_TOTAL);
  const unsynced = { fsync: false };

  /**
   * Returns whether an object is loose and whole. Its times are set to now: no pointer names it until everything is written,
   * and a concurrent prune must not remove it. An object that only a pack has is written again, since the pack may be
   * removed.
   */
  const isThere = (oid: string): boolean => {
    const path = loosePath(layout.objects, oid);
    // An object that is not loose is not searched in packs, of which there may be hundreds.
    if (!exists(path) || !objects.holds(oid) || !secondNames.add(path, oid) || !freshen(path, unsynced)) return false;
    found.add(oid);
    return true;
  };

  const write: ObjectStore['write'] = (type, content) => {
    const framed = frame(type, content);
    const oid = sha1(framed);
    if (waiting.has(oid) || apart.has(oid) || found.has(oid) || (!copies && (held.has(oid) || isThere(oid))))
      return oid;
    // The object gets its own name after its bytes are on disk: no torn object ever has a name.
    const folder = quarantine ?? below(layout.objects, oid.slice(0, 2));
    checkFolder(layout, folder);
    const temporary = quarantine === undefined ? secondNames.temporary(oid) : below(quarantine, oid);
    createFile(temporary, deflate(framed), unsynced);
    waiting.set(oid, temporary);
    held.put(oid, { type, content });
    tidyAfter(content.length);
    return oid;
  };

  const syncIfThere = (folder: string): void => {
    try {
      syncFolder(folder, durability);
    } catch (error) {
      // Git has packed all objects of the folder and removed it.
      if (rootCode(error) !== 'ENOENT') throw error;
    }
  };

  const read = (oid: string): GitObject => {
    const object = held.get(oid);
    if (object) return object;
    const temporary = waiting.get(oid) ?? apart.get(oid);
    const file = temporary === undefined ? undefined : readIfThere(temporary);
    return file ? decodeLoose(file, oid) : objects.read(oid);
  };

  return {
    ...plainStore(objects),
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    holds: (oid) => waiting.has(oid) || apart.has(oid) || objects.holds(oid),
    write,
    publish: () => {
      busyIfPruned(() => {
        if (durability.fsync) for (const temporary of waiting.values()) syncFile(temporary);
        for (const [oid, temporary] of waiting) {
          if (quarantine === undefined) secondNames.publish(temporary, oid, unsynced);
          else apart.set(oid, temporary);
        }
      });
      const published = quarantine === undefined ? [...waiting.keys(), ...found] : found;
      for (const folder of new Set(Array.from(published, (oid) => oid.slice(0, 2)))) {
        syncIfThere(below(layout.objects, folder));
      }
      if (apart.size > 0 && quarantine !== undefined) syncFolder(quarantine, durability);
      secondNames.sync();
      // The folders themselves may be new.
      syncFolder(layout.objects, durability);
      waiting.clear();
      found.clear();
    },
    discard: () => {
      for (const temporary of [...waiting.values(), ...apart.values()]) discard(temporary);
      waiting.clear();
      apart.clear();
      if (quarantine !== undefined) removeEmptyFolder(quarantine);
    },
  };
}
