/** Declares what a kind of records is: each file of a kind keeps this contract. */
import type * as zod from 'zod/mini';
import type { Zod } from '../schema.ts';
import type { Place } from '../structure.ts';
import type { Digest } from './digest.ts';

/** Fields of every record: format version, UUIDv7, kind, Unix seconds. */
export interface Envelope {
  version: number;
  id: string;
  kind: string;
  at: number;
  /** Number of secrets that were taken out of the record, by rule; absent if none was. */
  redacted?: Record<string, number> | undefined;
}

/** A record of any kind, as it is stored. Each of its texts may be a stub. */
export type StoredRecord = Envelope & { [key: string]: unknown };

/** Returns the kind of a record; of a record that was forgotten, the kind that it had. */
export const kindOf = ({ kind, was }: StoredRecord): string =>
  kind === 'forgotten' && typeof was === 'string' ? was : kind;

/** One kind of records. Nothing of it runs when the table is loaded, and the hot path asks for its structure alone. */
export interface RecordKind {
  /** The format of the fields, without the envelope. */
  schema(z: Zod): zod.ZodMiniType<{ kind: string }>;
  /**
   * Records that a batch may have under the name of the kind: records that are checked; none, because ctx alone writes them; or records that are
   * carried as they are, like those of a kind that nobody knows.
   */
  readonly batch: 'checked' | 'refused' | 'carried';
  /** Fields that are structure, which redaction leaves as they are. */
  structure(): Place;
  /** True if the record says what was done to a file. */
  readonly isOfFile: boolean;
  /** True if the record shows that the user or the agent did something. */
  readonly isActivity: boolean;
  /** Checks if its time moves the last activity of the session. */
  isDated(record: StoredRecord): boolean;
  /** The count of a session that the record adds to, beside the count of all records. */
  readonly counted: 'notes' | 'plans' | 'commands' | 'relations' | 'messages' | null;
  /** Nouns for its number in the subject of a step: for one, and for several. */
  readonly nouns: readonly [one: string, many: string] | null;
  /** Words that are put before the content of the record to make it the subject of a step; null if the record is no subject. */
  readonly headline: string | null;
  /** Adds the record to the digest of a session, which the canonical commit is made of. */
  digest(digest: Digest, record: StoredRecord): void;
  /** Fate of the record when an archived chain is squashed: it stays, stays if no canonical commit has it, or goes. */
  readonly squash: 'stays' | 'stays unless saved' | 'goes';
  /** The record in one line, for people. */
  line(record: StoredRecord): string;
}

/** The facets of a kind that says nothing in digests and subjects: most kinds begin with these. */
export const SILENT = {
  batch: 'checked',
  isOfFile: false,
  isActivity: true,
  isDated: () => true,
  counted: null,
  nouns: null,
  headline: null,
  digest: () => {},
  squash: 'stays unless saved',
} as const satisfies Partial<RecordKind>;
