/** What of a session may lie where it is not read: a rollout that one goes on from, and what a history mode means that is not known. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { TranscriptEvent } from '../contract/agent.ts';
import type { Base } from './lineage.ts';

/** How Codex keeps the history of a session, as far as ctx knows. */
const MODES: readonly string[] = ['legacy', 'paginated'];

/** The problem that a `session_meta` has whose history mode is not known; null where it is. */
export function unknownMode(meta: JsonObject): TranscriptEvent | null {
  const mode = textOf(meta['history_mode']);
  if (mode === undefined || MODES.includes(mode)) return null;
  const message = `has the history mode ${JSON.stringify(mode)}, which ctx does not know: a part of the session may lie elsewhere`;
  return { type: 'problem', line: 1, message, all_read: true, beyond: { unknown: mode } };
}

/** The problem of a rollout whose base is not there. */
export const missing = ({ rollout }: Base): TranscriptEvent => ({
  type: 'problem',
  line: 1,
  message: `continues the rollout ${rollout}, which is not there or cannot be read: what was said before is missing`,
  all_read: true,
  beyond: { missing: rollout },
});
