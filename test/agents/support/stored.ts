// Counts the stored records of a session one by one.
import type { JsonObject } from '../../../src/core/json.ts';
import { readSteps } from '../../../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../../src/history/names/layout.ts';
import type { Repository } from '../../../src/history/store/repository.ts';

export interface Stored {
  ids: string[];
  /** Records of the agent that stand in a message, in a part of one, or as they are; those kept as they are alone. */
  lines: number;
  raw: number;
  messages: number;
  /** Ids of tool calls, each once. */
  calls: Set<string>;
  usage: Record<string, number>;
}

export function storedIn(repository: Repository, session: string): Stored {
  const head = repository.refs.read(sessionRef(session)) ?? repository.refs.read(archiveRef(session));
  const stored: Stored = { ids: [], lines: 0, raw: 0, messages: 0, calls: new Set(), usage: {} };
  for (const step of readSteps(repository.objects, head as string, true)) {
    for (const record of step.records as unknown as JsonObject[]) take(stored, record);
    stored.usage = (step.session.usage ?? {}) as Record<string, number>;
  }
  return stored;
}

interface Told {
  id: string;
  kind: string;
  message?: { parts: JsonObject[]; metadata: { lines?: unknown[] } };
  part?: JsonObject;
  lines?: unknown[];
}

function take(stored: Stored, record: JsonObject): void {
  const { id, kind, message, part, lines } = record as unknown as Told;
  stored.ids.push(id);
  if (kind === 'raw') stored.raw += 1;
  if (message) stored.messages += 1;
  stored.lines += kind === 'raw' ? 1 : (message?.metadata.lines?.length ?? lines?.length ?? 0);
  for (const { toolCallId } of [...(message?.parts ?? []), ...(part ? [part] : [])])
    if (typeof toolCallId === 'string') stored.calls.add(toolCallId);
}
