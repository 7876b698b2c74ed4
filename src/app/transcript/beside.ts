/** What a reader may ask of what stands beside its transcript. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Agent, Beside } from '../../agents/agent.ts';

/** An id that may be a part of a file's name. */
const PLAIN = /^[\w-]{1,128}$/;

/** What stands beside the transcript of an agent; each sub-agent is looked for once. */
export function besideOf(agent: Agent, file: string): Beside {
  const known = new Map<string, boolean>();
  const look = (id: string): boolean => {
    const places = PLAIN.test(id) ? agent.companion?.transcriptsOf?.(basename(file), id) : undefined;
    return places?.some((place) => existsSync(join(dirname(file), place))) === true;
  };
  return {
    hasTranscriptOf: (id) => {
      const found = known.get(id) ?? look(id);
      known.set(id, found);
      return found;
    },
  };
}
