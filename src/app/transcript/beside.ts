/** What a reader may ask of what stands beside its transcript. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Agent, Beside } from '../../agents/agent.ts';
import { otherOf } from './others.ts';

/** An id that may be a part of a file's name. */
const PLAIN = /^[\w-]{1,128}$/;

/** Whether there is a file with something in it. */
function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

/** The folder beside a transcript in which those of its sub-agents stand; null where there are none. */
export function subAgentsBeside(agent: Agent, file: string): string | null {
  const place = agent.companion?.subAgents?.(basename(file)) ?? null;
  if (place === null) return null;
  const folder = join(dirname(file), place);
  try {
    return readdirSync(folder).some((name) => name.endsWith('.jsonl')) ? folder : null;
  } catch {
    return null;
  }
}

/** What stands beside the transcript of an agent; each sub-agent is looked for once. */
export function besideOf(agent: Agent, file: string): Beside {
  const known = new Map<string, boolean>();
  const look = (id: string): boolean => {
    const places = PLAIN.test(id) ? agent.companion?.transcriptsOf?.(basename(file), id) : undefined;
    return places?.some((place) => isFilled(join(dirname(file), place))) === true;
  };
  return {
    hasTranscriptOf: (id) => {
      const found = known.get(id) ?? look(id);
      known.set(id, found);
      return found;
    },
    isBelowCaller: agent.aboutPath?.(resolve(file).replaceAll('\\', '/')).parent_agent_session_id !== undefined,
    other: (id, from) => (PLAIN.test(id) ? otherOf(agent, from?.file ?? file, id) : null),
  };
}
