/** A recording of the Agent Client Protocol: what each message in it says. */
import { type JsonObject, textOf } from '../../core/json.ts';
import { isSecretFile } from '../../secrets/index.ts';
import type { PlainAgent, RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { derive } from './call-records.ts';
import { answerEvents, requestEvents } from './requests.ts';
import { acpShape, answered, rpcOf, typeOf } from './rpc.ts';
import { openedInterim, updateEvents } from './updates.ts';

function eventsOf(context: RecordContext): RecordEvent[] {
  const rpc = rpcOf(context.record);
  if (!rpc) return [];
  if (rpc.method === 'session/update') return updateEvents(context, rpc.params);
  if (rpc.method !== undefined) return requestEvents(context, rpc);
  const found = answered(context.memory, rpc);
  if (!found) return [];
  const memory = { ...context.memory, ...found.memory };
  return [{ what: 'remembers', memory: found.memory }, ...answerEvents(context, found.request, rpc, memory)];
}

/**
 * Returns the kept form of a record: an interim result is opened, and an answer gets the path of its request if that is of a
 * file known to hold secrets, since the answer by itself names none.
 */
function kept({ record, memory }: RecordContext): JsonObject {
  const rpc = rpcOf(record);
  if (rpc?.method === 'session/update') return openedInterim(record, rpc.message, rpc.params);
  if (!rpc || rpc.method !== undefined) return record;
  const path = textOf(answered(memory, rpc)?.request['path']);
  return path !== undefined && isSecretFile(path) ? { ...record, path } : record;
}

export const acpFormat: PlainAgent = {
  name: 'acp',
  shape: acpShape,
  typeOf,
  timeOf: (record) => record['ts'] ?? record['timestamp'],
  // Pieces of words are often the same.
  isRepetitive: true,
  eventsOf,
  kept,
  derive,
};
