/** How a session ended, as a stored document says it: read by checks alone, off the hot path. */
import { isCommitTypeKind, mayBeNewer, newTaskField } from '../commit-types/commit-type.ts';
import { isCount } from '../counts.ts';
import { isObject, type JsonValue } from '../json.ts';
import type { Ending } from './session.ts';

/** Whether a session.json says how its session ended, and all of it. */
export function isEnding(value: unknown): value is Ending {
  if (!isObject(value)) return false;
  const { type, message, at, files_changed, summary_version = 1 } = value;
  const isVersion = isCount(summary_version) && summary_version > 0;
  return isVersion && isCommitType(type) && typeof message === 'string' && isCount(at) && isCount(files_changed);
}

/** Whether a value of a stored document is a commit type. */
function isCommitType(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  if (value.kind === 'StaleAutoCompact') return isCount(value.idle_duration_secs);
  if (value.kind === 'InterruptedByNewTask') return typeof value[newTaskField(value)] === 'string';
  return isCommitTypeKind(value.kind) || mayBeNewer(value.kind);
}
