/** How a session ended: the type of its canonical commit. */
import type { StateKind } from '../state.ts';

export type CommitType =
  | { kind: 'Normal' }
  | { kind: 'Abandoned' }
  | { kind: 'StaleAutoCompact'; idle_duration_secs: number }
  | { kind: 'InterruptedByNewTask'; new_task_summary: string };

/** A commit type as a stored document says it: the field had another name before. What is stored is never rewritten. */
export type StoredCommitType = CommitType | { kind: 'InterruptedByNewTask'; new_task: string };

/** The name by which a stored type has the words of the new task. */
export const newTaskField = (type: object): 'new_task' | 'new_task_summary' =>
  'new_task' in type ? 'new_task' : 'new_task_summary';

/** What the new task was that interrupted a session. */
export const newTaskOf = (type: StoredCommitType & { kind: 'InterruptedByNewTask' }): string =>
  'new_task' in type ? type.new_task : type.new_task_summary;

/** A stored type under the names of today. */
export const currentType = (type: StoredCommitType): CommitType =>
  'new_task' in type ? { kind: type.kind, new_task_summary: type.new_task } : type;

export type CommitTypeKind = CommitType['kind'];

/** A type that this ctx does not know: a newer one has written it. */
export interface UnknownCommitType {
  kind: 'Unknown';
  /** The name that the commit has for it. */
  type: string;
}

/** Everything `Ctx-Type` may say on the main line; `Root` is the first commit, `Merge` joins two histories. */
export const COMMIT_TYPE_KINDS: readonly CommitTypeKind[] = [
  'Normal',
  'Abandoned',
  'StaleAutoCompact',
  'InterruptedByNewTask',
];

/** Whether a name is that of a type which this ctx knows. */
export const isCommitTypeKind = (kind: unknown): kind is CommitTypeKind =>
  (COMMIT_TYPE_KINDS as readonly unknown[]).includes(kind);

/** Whether a name may be that of a type which a newer ctx has; `Root` and `Merge` are of commits that end no session. */
export const mayBeNewer = (kind: unknown): boolean =>
  typeof kind === 'string' && !['', 'Root', 'Merge'].includes(kind) && !isCommitTypeKind(kind);

/** The type of a commit that says no more of its ending than a name: one of a session, of the root, or of a merge. */
export function namedType(name: string): CommitType | UnknownCommitType | { kind: 'Root' | 'Merge' } {
  const isKnown = isCommitTypeKind(name) || name === 'Root' || name === 'Merge';
  return isKnown ? ({ kind: name } as CommitType) : { kind: 'Unknown', type: name };
}

/** Names a stored type as people and scripts see it: under the fields of today, or as unknown. */
export function shownType(type: StoredCommitType): CommitType | UnknownCommitType {
  const { kind }: { kind: string } = type;
  return isCommitTypeKind(kind) ? currentType(type) : { kind: 'Unknown', type: kind };
}

/** The type that a compaction has where none is asked for. */
export function defaultCommitType(state: StateKind): CommitType {
  return state === 'Aborted' ? { kind: 'Abandoned' } : { kind: 'Normal' };
}
