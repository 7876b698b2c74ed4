/** An object store with a cache of recently read objects: a check reads the trees of a step, and of the one before it, repeatedly. */
import { CtxError } from '../../core/errors.ts';
import { contentAs, type GitObject, missing } from '../../git/objects/loose.ts';
import { type ObjectStore, plainStore } from '../../git/objects/objects.ts';

/** Largest cached object, in bytes, and most objects: 8 MiB at most. */
const SIZE = 16 * 1024;
const COUNT = 512;
/** Most cached absent ids: searching in vain takes longer than reading an object. */
const ABSENT = 100_000;

export function cachingStore(objects: ObjectStore): ObjectStore {
  const held = new Map<string, GitObject>();
  /** By id, the hint for each. */
  const absent = new Map<string, string | undefined>();
  const look = (oid: string): GitObject => {
    if (absent.has(oid)) throw missing(oid, absent.get(oid));
    try {
      return objects.read(oid);
    } catch (error) {
      if (error instanceof CtxError && error.data?.oid === oid && absent.size < ABSENT) absent.set(oid, error.hint);
      throw error;
    }
  };
  const read = (oid: string): GitObject => {
    const known = held.get(oid);
    const object = known ?? look(oid);
    if (object.content.length > SIZE) return object;
    // Moves it to the end, since the first ones are dropped first.
    if (known) held.delete(oid);
    held.set(oid, object);
    if (held.size > COUNT) held.delete(held.keys().next().value as string);
    return object;
  };
  return {
    ...plainStore(objects),
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
  };
}
