/** A move of one pointer, and what is told of it. */

/** One pointer and what it says; `STAGE` says a ref, a ref says an object id; null where it does not exist. */
export interface PointerMove {
  pointer: string;
  old: string | null;
  new: string | null;
}

/** What a reflog line says of a move. */
export interface Story {
  /** Unix seconds. */
  at: number;
  message: string;
}
