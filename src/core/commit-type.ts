/** How a session ended: the type of its canonical commit. */
import type { StateKind } from './state.ts';

export type CommitType =
  | { kind: 'Normal' }
  | { kind: 'Abandoned' }
  | { kind: 'StaleAutoCompact'; idle_duration_secs: number }
  | { kind: 'InterruptedByNewTask'; new_task: string };

export type CommitTypeKind = CommitType['kind'];

/** Everything `Ctx-Type` may say on the main line; `Root` is the first commit, `Merge` joins two histories. */
export const COMMIT_TYPE_KINDS: readonly CommitTypeKind[] = [
  'Normal',
  'Abandoned',
  'StaleAutoCompact',
  'InterruptedByNewTask',
];

/** The type that a compaction has where none is asked for. */
export function defaultCommitType(state: StateKind): CommitType {
  return state === 'Aborted' ? { kind: 'Abandoned' } : { kind: 'Normal' };
}
