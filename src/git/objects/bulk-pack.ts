/** The objects of much work, such as a transcript: few are written loose, many into a pack of their own. */
import { RunningHash } from '../../platform/hash.ts';
import { type BulkStore, bulkStore, orTidiedAway } from './bulk.ts';
import { HeldObjects } from './held.ts';
import { letGo } from './keep.ts';
import { contentAs, frame, type GitObject, type ObjectType, sha1 } from './loose.ts';
import type { ObjectFiles } from './objects.ts';
import { type PackWriter, packWriter } from './pack-writer.ts';

/** From so many objects, or bytes of content, on they go into a pack: a file for each costs more than what is in it. */
const MANY = 256;
const MUCH = 2 * 1024 * 1024;
/** Most objects of one pack: what is known of each is held, some 200 bytes, until its pack is written. */
const MOST = 40_000;

/** Trees up to this size stay at hand, up to so many bytes: a step reads those of the one before. */
const HELD_SIZE = 16 * 1024;
const HELD_TOTAL = 256 * 1024;

/** The id of an object. A long content is not copied for it. */
const idOf = (type: ObjectType, content: Buffer): string =>
  content.length <= HELD_SIZE
    ? sha1(frame(type, content))
    : new RunningHash('sha1')
        .update(Buffer.from(`${type} ${content.length}\0`))
        .update(content)
        .digest();

export interface PackStore extends BulkStore {
  /** What keeps the packs that were settled, since nothing names them yet: whoever has moved the pointers lets go of it. */
  kept: () => readonly string[];
}

/** Works on an object store whose writes are settled together. What a work that fails has written goes with it. */
export function inPack<T>(repository: ObjectFiles, work: (objects: PackStore) => T): T {
  const objects = packStore(repository);
  try {
    return work(objects);
  } catch (error) {
    objects.discard();
    throw error;
  }
}

/** Over the repository's own store. What stands there already goes into the pack once more: no prune beside us can take it. */
export function packStore(repository: ObjectFiles): PackStore {
  const loose = bulkStore(repository);
  const held = new HeldObjects(HELD_SIZE, HELD_TOTAL);
  /** What was written while it is not yet known whether it will be much. */
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
    const keep = orTidiedAway(() => pack?.publish());
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
      // What does not go into a pack becomes loose anyway.
      if (first.has(oid)) return;
      if (!pack?.has(oid)) return loose.loosen(oid);
      const { type, content } = read(oid);
      loose.write(type, content);
    },
    settle: () => {
      for (const { type, content } of first.values()) loose.write(type, content);
      first.clear();
      firstBytes = 0;
      loose.settle();
      publish();
    },
    kept: () => kept,
    discard: () => {
      loose.discard();
      pack?.discard();
      pack = null;
      letGo(kept);
    },
  };
}
