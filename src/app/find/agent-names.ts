/** The names of agents that filters take: loaded if one asks for an agent. */
import { AGENTS } from '../../agents/index.ts';
import { knownAgent } from '../../core/listing/filter-names.ts';
import type { Repository } from '../../history/store/repository.ts';
import { listAllSessions } from '../sessions.ts';

/** The agents that ctx knows. */
export const AGENT_NAMES: readonly string[] = AGENTS.map(({ name }) => name);

/** Returns the agent that is meant by its name, or a beginning of it. @throws {CtxError} usage, if it is none, or several */
export function agentAsked(repository: Repository, given: string): string {
  if (AGENT_NAMES.includes(given)) return given;
  const own = new Set<string>();
  for (const { agent } of listAllSessions(repository, { ephemeral: true }).sessions) if (agent !== null) own.add(agent);
  return knownAgent(given, own, AGENT_NAMES);
}
