/** What an id stands for: an object of a type, none at all, or one that cannot be read; and that object. */
import { CtxError } from '../../core/errors.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { GitObject, ObjectType } from './loose.ts';
import type { ObjectStore } from './objects.ts';

/** The type of an object; `absent` where the whole store has none of that id, the error where it is torn. */
export function kindOf(objects: ObjectStore, oid: string): ObjectType | 'absent' | CtxError {
  try {
    return objects.read(oid).type;
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    // Only what was looked for in vain is told by its id: an object in a pack that is torn may be there.
    return error.data?.oid === oid ? 'absent' : error;
  }
}

/** The object of an id; null where there is none, or none that can be read. */
export function readIfWhole(objects: ObjectStore, oid: string): GitObject | null {
  try {
    return objects.read(oid);
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return null;
    throw error;
  }
}
