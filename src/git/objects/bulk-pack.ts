/** Writes the objects of a large piece of work, such as a transcript: a few as loose objects, many as a pack of their own. */
import { RunningHash } from '../../platform/hash.ts';
import { type BulkStore, bulkStore, busyIfPruned } from './bulk.ts';
import { releasePacks } from './keep-file.ts';
import { contentAs, frame, type GitObject, type ObjectType, sha1 } from './loose.ts';
import { ObjectCache } from './object-cache.ts';
import type { ObjectFiles } from './objects.ts';
import { type PackWriter, packWriter } from './pack-writer.ts';

/** From so many objects, or bytes of content, they are written as a pack: a file for each takes more than its content. */
const MANY = 256;
const MUCH = 2 * 1024 * 1024;
/** Most objects of one pack: some 200 bytes about each are held until its pack is written. */
const MOST = 40_000;

/** Trees up to this size are cached, up to so many bytes in total: a step reads those of the step before. */
const HELD_SIZE = 16 * 1024;
const HELD_TOTAL = 256 * 1024;

/** Returns the id of an object, without copying a long content. */
const idOf = (type: ObjectType, content: Buffer): string =>
  content.length <= HELD_SIZE
    ? sha1(frame(type, content))
    : new RunningHash('sha1')
        .update(Buffer.from(`${type} ${content.length}\0`))
        .update(content)
        .digest();

export interface PackStore extends BulkStore {
  /**
   * Returns the `.keep` files of the published packs, which no pointer names yet: the caller removes them after it has moved
   * the pointers.
   */
  kept: () => readonly string[];
}

/** Runs work on an object store whose writes are published together. If the work fails, its objects are discarded. */
export function inPack<T>(repository: ObjectFiles, work: (objects: PackStore) => T): T {
  const objects = packStore(repository);
  try {
    return work(objects);
  } catch (error) {
    objects.discard();
    throw error;
  }
}

/**
 * Makes such a store over the repository's own. Objects that exist already are written to the pack again, so that no
 * concurrent prune removes them.
 */
export function packStore(repository: ObjectFiles): PackStore {
  const loose = bulkStore(repository);
  const held = new ObjectCache(HELD_SIZE, HELD_TOTAL);
  /** Objects that were written before it is known whether there will be many. */
  const first = new Map<string, GitObject>();
  let firstBytes = 0;
  let pack: PackWriter | null = null;
  const kept: string[] = [];

  const begin = (): void => {
    pack = packWriter(repository);
    for (const [oid, { type, content }] of first) pack.add(oid, type, content);
    first.clear();
  };

  const publish = (): void => {
    const keep = busyIfPruned(() => pack?.publish());
    if (keep) kept.push(keep);
    pack = null;
  };

  const hold = (oid: string, object: GitObject): void => {
    if (object.type === 'tree') held.put(oid, object);
  };

  const write = (type: ObjectType, content: Buffer): string => {
    const oid = idOf(type, content);
    if (pack ? pack.has(oid) : first.has(oid)) return oid;
    if (pack) {
      pack.add(oid, type, content);
      hold(oid, { type, content });
      if (pack.count() >= MOST) publish();
      return oid;
    }
    const object = { type, content: Buffer.from(content) };
    hold(oid, object);
    first.set(oid, object);
    firstBytes += content.length;
    if (first.size >= MANY || firstBytes >= MUCH) begin();
    return oid;
  };

  const read = (oid: string): GitObject => held.get(oid) ?? first.get(oid) ?? pack?.read(oid) ?? loose.read(oid);

  return {
    ...loose,
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    holds: (oid) => first.has(oid) || pack?.has(oid) === true || loose.holds(oid),
    write,
    loosen: (oid) => {
      // Objects outside a pack become loose anyway.
      if (first.has(oid)) return;
      if (!pack?.has(oid)) return loose.loosen(oid);
      const { type, content } = read(oid);
      loose.write(type, content);
    },
    publish: () => {
      for (const { type, content } of first.values()) loose.write(type, content);
      first.clear();
      firstBytes = 0;
      loose.publish();
      publish();
    },
    kept: () => kept,
    discard: () => {
      loose.discard();
      pack?.discard();
      pack = null;
      releasePacks(kept);
    },
  };
}
