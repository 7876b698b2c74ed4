/** How a session ended, as a stored document says it: read by checks alone, off the hot path. */
import { COMMIT_TYPE_KINDS, newTaskField } from './commit-type.ts';
import { isCount } from './counts.ts';
import { isObject, type JsonValue } from './json.ts';
import type { Ending } from './session.ts';

/** Whether a session.json says how its session ended, and all of it. */
export function isEnding(value: unknown): value is Ending {
  if (!isObject(value)) return false;
  const { type, message, at, files_changed } = value;
  return isCommitType(type) && typeof message === 'string' && isCount(at) && isCount(files_changed);
}

/** Whether a value of a stored document is a commit type. */
function isCommitType(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  if (value.kind === 'StaleAutoCompact') return isCount(value.idle_duration_secs);
  if (value.kind === 'InterruptedByNewTask') return typeof value[newTaskField(value)] === 'string';
  return (COMMIT_TYPE_KINDS as readonly unknown[]).includes(value.kind);
}
