/** Many objects at once: written without waiting for the disk, then settled together before a pointer may name them. */
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
import { HeldObjects } from './held.ts';
import { contentAs, decodeLoose, deflate, frame, type GitObject, loosePath, sha1 } from './loose.ts';
import type { ObjectFiles, ObjectStore } from './objects.ts';

export interface BulkStore extends ObjectStore {
  /** Makes everything that was written durable, under its own name. Only then may a pointer be moved. */
  settle: () => void;
  /** Takes away what was written and not settled, or is in quarantine: nobody needs it. */
  discard: () => void;
}

export interface How {
  /** Write an object loose although the store holds it: a pack is about to go. */
  copies?: boolean;
  /** A folder in which objects stay also when they are settled, each in a file of its id, for whoever publishes them later. */
  quarantine?: string;
}

/**
 * Does some work on such a store. Where the work fails, what it has written goes with it: on a full disk it would take up
 * what room there is.
 */
export function inBulk<T>(repository: ObjectFiles, work: (objects: BulkStore) => T, how: How = {}): T {
  const objects = bulkStore(repository, how);
  try {
    return work(objects);
  } catch (error) {
    objects.discard();
    throw error;
  }
}

/**
 * Publishes what was written. What has no name yet may be taken for what a dead process has left, by a `git prune` or a `ctx forget`
 * at work: it is written again then, by who tries again where a pointer has moved.
 * @throws {CtxError} busy
 */
export function orTidiedAway<T>(publish: () => T): T {
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

/** Contents up to this size stay at hand until they are settled: the next step reads the trees of the one before. */
const HELD_SIZE = 16 * 1024;
/** Most bytes that stay at hand; what was written longest ago goes first. */
const HELD_TOTAL = 8 * 1024 * 1024;

/** An object store over the repository's own whose writes are settled together. */
export function bulkStore(repository: ObjectFiles, { copies = false, quarantine }: How = {}): BulkStore {
  const { layout, objects, secondNames, durability } = repository;
  const waiting = new Map<string, string>();
  /** What is settled in the quarantine. */
  const apart = new Map<string, string>();
  /** Loose objects that stood there already: whoever wrote them may have been killed before the disk had their names. */
  const found = new Set<string>();
  const held = new HeldObjects(HELD_SIZE, HELD_TOTAL);
  const unsynced = { fsync: false };

  /**
   * Whether an object lies loose and whole. It is made young: nothing names what is written here before all of it is there, and
   * a prune beside us must not take it. One that only a pack holds is written once more, as that may be about to go.
   */
  const isThere = (oid: string): boolean => {
    const path = loosePath(layout.objects, oid);
    // What does not lie loose is not looked for in packs, of which there may be hundreds.
    if (!exists(path) || !objects.holds(oid) || !secondNames.add(path, oid) || !freshen(path, unsynced)) return false;
    found.add(oid);
    return true;
  };

  const write: ObjectStore['write'] = (type, content) => {
    const framed = frame(type, content);
    const oid = sha1(framed);
    if (waiting.has(oid) || apart.has(oid) || found.has(oid) || (!copies && (held.has(oid) || isThere(oid))))
      return oid;
    // Its own name comes when the disk has its bytes: a torn object never stands under a name.
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
      // Git has packed all that lay there, and removed it.
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
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    holds: (oid) => waiting.has(oid) || apart.has(oid) || objects.holds(oid),
    adopt: objects.adopt.bind(objects),
    loosen: objects.loosen.bind(objects),
    withPrefix: objects.withPrefix.bind(objects),
    close: objects.close.bind(objects),
    write,
    settle: () => {
      orTidiedAway(() => {
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
      secondNames.settle();
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
