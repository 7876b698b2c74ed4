/** Finds texts of a record that a later record continues: a stream repeats its text, each time with all that there is so far. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { wordSet } from '../core/word-set.ts';

/** The part that a record reports at a path; undefined if it is none of a part. */
function partIn(path: readonly string[], whole: JsonObject): JsonValue | undefined {
  if (path[0] === 'part') return whole.part;
  if (path[1] !== 'parts' || path[2] === undefined || !isObject(whole.message)) return undefined;
  return Array.isArray(whole.message.parts) ? whole.message.parts[Number(path[2])] : undefined;
}

/**
 * Returns whether a text is one of what a tool has given so far, as the Agent Client Protocol says it: the next update has all
 * of it.
 */
function isInterim(key: string, path: readonly string[], { data }: JsonObject): boolean {
  if (!isObject(data)) return false;
  const { params } = isObject(data.message) ? data.message : data;
  const update = isObject(params) ? params.update : undefined;
  if (!isObject(update) || update.sessionUpdate !== 'tool_call_update') return false;
  if (update.status === 'completed' || update.status === 'failed') return false;
  return (key === 'text' && path.includes('content')) || key === 'rawOutput' || path.includes('rawOutput');
}

/** Keys of a call at which is what it has taken and given so far. */
const SO_FAR = wordSet('output result raw');

/**
 * Checks if the text at a key in a record continues: that of a text or a thought, unless it says that it is done; what a tool takes or
 * gives while that is only begun; and the data of a part of an agent's own, of which nobody can say.
 * @param path leads from the record to the object that has the key
 */
export function grows(key: string, path: readonly string[], whole: JsonValue): boolean {
  if (!isObject(whole)) return false;
  if (path[0] === 'data') return whole.kind === 'raw' && whole.agent === 'acp' && isInterim(key, path, whole);
  if (path[0] !== 'part' && path[0] !== 'message') return false;
  const part = partIn(path, whole);
  if (!isObject(part)) return false;
  // Index in the path at which the part's own keys begin.
  const from = path[0] === 'part' ? 1 : 3;
  const own = path[from] ?? key;
  const { type, state } = part;
  if (type === 'text' || type === 'reasoning') return path.length === from && key === 'text' && state !== 'done';
  if (type === 'dynamic-tool')
    return (SO_FAR.has(own) && part.preliminary === true) || (own === 'input' && state === 'input-streaming');
  return from === 1 && typeof type === 'string' && type.startsWith('data-') && own === 'data';
}
