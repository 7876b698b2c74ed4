/** Looks objects up when they may be absent or damaged. */
import { CtxError } from '../../core/errors.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { GitObject, ObjectType } from './loose.ts';
import type { ObjectStore } from './objects.ts';

/** Returns the type of an object; `absent` if the store has none with that id, or the error if it is damaged. */
export function kindOf(objects: ObjectStore, oid: string): ObjectType | 'absent' | CtxError {
  try {
    return objects.read(oid).type;
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    // Only an error about an absent object has its id: an object in a damaged pack may exist.
    return error.data?.oid === oid ? 'absent' : error;
  }
}

/** Returns an object; null if it is absent or damaged. */
export function readIfWhole(objects: ObjectStore, oid: string): GitObject | null {
  try {
    return objects.read(oid);
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return null;
    throw error;
  }
}
