/** The table of commit types: how a session may end. Everything that differs from type to type is asked of it. */
import type { Infer } from '../schema.ts';
import type { StateKind } from '../state.ts';
import { abandoned } from './abandoned.ts';
import { interruptedByNewTask } from './interrupted-by-new-task.ts';
import { normal } from './normal.ts';
import { staleAutoCompact } from './stale-auto-compact.ts';
import type { CommitTypeRow, GivenFields } from './type.ts';

/** Every type that `Ctx-Type` may name of the commit of a session, by its name. */
export const COMMIT_TYPES = {
  Normal: normal,
  Abandoned: abandoned,
  StaleAutoCompact: staleAutoCompact,
  InterruptedByNewTask: interruptedByNewTask,
} satisfies Record<string, CommitTypeRow>;

type Types = typeof COMMIT_TYPES;
export type CommitTypeKind = keyof Types;

/** The way in which a session ended: the type of its canonical commit. */
export type CommitType = Infer<Types[CommitTypeKind]['schema']>;

/** A commit type as a stored document has it: a field may have the name that an earlier version gave it. */
export type StoredCommitType = Infer<Types[CommitTypeKind]['storedSchema']>;

/** A type that this ctx does not know: a newer one has written it. */
export interface UnknownCommitType {
  kind: 'Unknown';
  /** The name that the commit has for it. */
  type: string;
}

/** The types of commits that end no session: the first commit, and one that joins two histories. */
export const ROOT = 'Root';
export const MERGE = 'Merge';
export type CommitWithoutSession = { kind: typeof ROOT | typeof MERGE };

const isWithoutSession = (name: unknown): boolean => name === ROOT || name === MERGE;

/** The names of all types. */
export const COMMIT_TYPE_KINDS = Object.keys(COMMIT_TYPES) as readonly CommitTypeKind[];

/** Checks if a name is that of a type which this ctx knows. */
export const isCommitTypeKind = (kind: unknown): kind is CommitTypeKind =>
  typeof kind === 'string' && Object.hasOwn(COMMIT_TYPES, kind);

/** Returns the row of a type; undefined if this ctx does not know the type. */
export const commitTypeNamed = (name: string): CommitTypeRow | undefined =>
  isCommitTypeKind(name) ? COMMIT_TYPES[name] : undefined;

/** Checks if a name may be that of a type which a newer ctx has. */
export const mayBeNewer = (kind: unknown): boolean =>
  typeof kind === 'string' && kind !== '' && !isWithoutSession(kind) && !isCommitTypeKind(kind);

/** Returns a stored type under the names of today. */
export const currentType = (type: StoredCommitType): CommitType =>
  (commitTypeNamed(type.kind)?.current(type) ?? type) as CommitType;

/** Returns the type of a commit that says no more of its ending than a name: one of a session, of the root, or of a merge. */
export const namedType = (name: string): CommitType | UnknownCommitType | CommitWithoutSession =>
  isCommitTypeKind(name) || isWithoutSession(name)
    ? ({ kind: name } as CommitType | CommitWithoutSession)
    : { kind: 'Unknown', type: name };

/** Names a stored type as people and scripts see it: under the fields of today, or as unknown. */
export const shownType = (type: StoredCommitType): CommitType | UnknownCommitType =>
  isCommitTypeKind(type.kind) ? currentType(type) : { kind: 'Unknown', type: type.kind };

/** Returns the type that a compaction has if none is asked for. */
export const defaultCommitType = (state: StateKind): CommitType => (state === 'Aborted' ? abandoned : normal).make();

/** Returns the name that each type has on the command line. */
export const typeOptions = (): Map<string, CommitTypeKind> =>
  new Map(COMMIT_TYPE_KINDS.map((kind) => [COMMIT_TYPES[kind].option, kind]));

/** Makes the type that a user has named on the command line. */
export const typeGiven = (kind: CommitTypeKind, given: GivenFields): CommitType => COMMIT_TYPES[kind].make(given);
