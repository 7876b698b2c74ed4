/** Recordings of the Agent Client Protocol: how one is recognised, and what a message in it says. */
import { type JsonObject, textOf } from '../../core/json.ts';
import { isSecretFile } from '../../secrets/index.ts';
import type { Agent } from '../contract/agent.ts';
import { readLine } from '../shared/lines.ts';
import type { Heard, PlainAgent, Saying } from '../shared/plain-agent.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { derive } from './deeds.ts';
import { saysAnswer, saysRequest } from './requests.ts';
import { acpShape, answered, isOurs, rpcOf, typeOf } from './rpc.ts';
import { openedInterim, saysUpdate } from './updates.ts';

function says(heard: Heard): Saying[] {
  const rpc = rpcOf(heard.record);
  if (!rpc) return [];
  if (rpc.method === 'session/update') return saysUpdate(heard, rpc.params);
  if (rpc.method !== undefined) return saysRequest(heard, rpc);
  const found = answered(heard.memory, rpc);
  if (!found) return [];
  const memory = { ...heard.memory, ...found.memory };
  return [{ what: 'remembers', memory: found.memory }, ...saysAnswer(heard, found.request, rpc, memory)];
}

/** A record as it is kept: what a call has given so far is opened; an answer with the path beside it where that was asked for a file that is known to hold secrets: by itself it names none. */
function kept({ record, memory }: Heard): JsonObject {
  const rpc = rpcOf(record);
  if (rpc?.method === 'session/update') return openedInterim(record, rpc.message, rpc.params);
  if (!rpc || rpc.method !== undefined) return record;
  const path = textOf(answered(memory, rpc)?.request['path']);
  return path !== undefined && isSecretFile(path) ? { ...record, path } : record;
}

const plain: PlainAgent = {
  name: 'acp',
  shape: acpShape,
  typeOf,
  timeOf: (record) => record['ts'] ?? record['timestamp'],
  // Pieces of words are often the same.
  isRepetitive: true,
  says,
  kept,
  derive,
};

export const acp: Agent = {
  name: plain.name,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    return lines.some((line) => readLine(line, plain.shape).records.some(isOurs));
  },
  isOurs,
  reader: (resume) => new PlainReader(plain, resume),
};
