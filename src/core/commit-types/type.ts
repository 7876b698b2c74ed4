/** Declares what a type of commits is: each file of a type keeps this contract. */
import type * as zod from 'zod/mini';
import type { Trailer } from '../commit.ts';
import type { Zod } from '../schema.ts';
import type { SessionState } from '../state.ts';

/** A type as a commit has it, with the fields that it has of its own. */
export interface AnyCommitType {
  kind: string;
}

/** Values that a user gives for a type on the command line; each is asked for if the type has such a field. */
export interface GivenFields {
  /** Seconds for which the session was idle. */
  idle(): number;
  /** The task that came in between. */
  newTask(): string;
}

/** One type of the canonical commits of sessions. */
export interface CommitTypeRow {
  /** The format of the type as ctx writes it. */
  schema(z: Zod): zod.ZodMiniType<AnyCommitType>;
  /** The format of the type as any version of ctx has written it. */
  storedSchema(z: Zod): zod.ZodMiniType<AnyCommitType>;
  /** Returns a stored type under the names of today. */
  current(type: AnyCommitType): AnyCommitType;
  /** The name of the type on the command line. */
  readonly option: string;
  /** Makes a type of what a user gives. */
  make(given: GivenFields): AnyCommitType;
  /**
   * Words the message of a commit for which none is given.
   * @param template the beginning for a session that was saved for its idleness; `{duration}` and `{task}` are filled in
   */
  message(type: AnyCommitType, task: string, template: string): string;
  /** Returns the trailers that the type adds to those of every commit. */
  trailers(type: AnyCommitType): Trailer[];
  /** Words how the session ended, in a sentence. */
  ending(type: AnyCommitType, state: SessionState): string;
  /** The type in one line, for people; a commit that was not read whole has no more of it than its name. */
  words(type: AnyCommitType): string;
  /** Returns the type with each of its texts changed; the same one if none was. */
  withTexts(type: AnyCommitType, change: (text: string) => string): AnyCommitType;
}

/** The facets of a type that has no fields of its own. */
export const WITHOUT_FIELDS = {
  current: (type) => type,
  message: (_type, task) => task,
  trailers: () => [],
  words: ({ kind }) => kind,
  withTexts: (type) => type,
} satisfies Partial<CommitTypeRow>;
