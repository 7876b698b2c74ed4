/** Defines a collection: a folder or a file that holds several conversations. */
import type { Belonging } from '../../agents/contract/transcript-places.ts';
import type { Recognised } from './text.ts';

/** One conversation of a collection. */
export interface Collected {
  /** Its path, as people and sessions name it; unique within a collection. */
  file: string;
  /** When it was last written, in Unix seconds; null if the collection does not say. */
  written_at: number | null;
  /**
   * Returns the agent's own id of it, and the folder it belongs to; null if only reading all of it shows that.
   * @throws {CtxError} io
   */
  about?: () => (Belonging & { id: string }) | null;
  /** Reads it; may be called more than once. @throws {CtxError} invalid_input, io */
  open: () => Recognised;
}

/** A kind of collection. */
export interface Collection {
  /** Name of the agent that writes it. */
  agent: string;
  /**
   * Recognises a collection at a path by its content; null if it is none. A folder that is a collection is not walked.
   * @throws {CtxError} invalid_input, if it is a collection that cannot be read here; io
   */
  look: (path: string, isFolder: boolean) => Iterable<Collected> | null;
}
