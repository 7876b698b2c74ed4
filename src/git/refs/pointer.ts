/** A move of one pointer, and its reflog message. */

/** A pointer with its old and new value: a ref for `STAGE`, an object id for a ref; null if the pointer does not exist. */
export interface PointerMove {
  pointer: string;
  old: string | null;
  new: string | null;
}

/** The time and message of a reflog line. */
export interface Story {
  /** Unix seconds. */
  at: number;
  message: string;
}
