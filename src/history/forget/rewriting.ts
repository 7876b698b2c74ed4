/** What the parts of a rewriting of history share. */
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
  /** Records out of which something was taken. */
  cleaned: number;
}

/** Everything that the parts of a rewriting share. */
export interface Rewriting {
  objects: ObjectStore;
  ids: IdSource;
  forgetting: Forgetting;
  cleaner: Cleaner;
  contents: Contents;
  /** What a commit has become; itself where it stays. It must have been rewritten before. */
  mapped: (oid: string) => string;
  /** Steps, by their old ids, in whose chain up to there words, or files, have changed. */
  reworded: Set<string>;
  refiled: Set<string>;
  /** The head of the chain of each session that goes. */
  heads: ReadonlyMap<string, string>;
  tally: Tally;
}
