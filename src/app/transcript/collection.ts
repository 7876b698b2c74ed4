/** What a collection is: a folder or a file that holds several conversations. */
import type { Belonging } from '../../agents/contract/transcript-places.ts';
import type { Recognised } from './text.ts';

/** One conversation of a collection. */
export interface Collected {
  /** Where it lies, for people and for the session that keeps it: no two of one collection have the same. */
  file: string;
  /** When it was last written, in Unix seconds; null where the collection does not tell. */
  written_at: number | null;
  /** The agent's own id of it, and where it belongs; null where only reading all of it tells. @throws {CtxError} io */
  about?: () => (Belonging & { id: string }) | null;
  /** Reads it; called when its turn has come, and perhaps more than once. @throws {CtxError} invalid_input, io */
  open: () => Recognised;
}

/** A kind of collection. */
export interface Collection {
  /** Name of the agent that writes it. */
  agent: string;
  /**
   * What stands at a path, told by its content; null where that is no such collection. A folder that is one is not walked.
   * @throws {CtxError} invalid_input, where it is one and cannot be read here; io
   */
  look: (path: string, isFolder: boolean) => Iterable<Collected> | null;
}
