/** The shared state of a rewriting of history. */
import type { Cleaner, Forgetting } from '../../core/session/forgetting.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { IdSource } from '../../platform/ids.ts';
import type { Contents } from './contents.ts';

export interface Tally {
  steps: number;
  canonical: number;
  other: number;
  /** Records that became tombstones, by id. */
  records: Set<string>;
  /** Number of records of which a part was removed. */
  cleaned: number;
}

/** The shared state of a rewriting. */
export interface Rewriting {
  objects: ObjectStore;
  ids: IdSource;
  forgetting: Forgetting;
  cleaner: Cleaner;
  contents: Contents;
  /** Returns the rewritten commit, or the commit itself if it stays. It must have been rewritten before. */
  mapped: (oid: string) => string;
  /** Old ids of steps whose chain up to that step has changed texts, or changed files. */
  reworded: Set<string>;
  refiled: Set<string>;
  /** The head of the chain of each forgotten session. */
  heads: ReadonlyMap<string, string>;
  tally: Tally;
}
