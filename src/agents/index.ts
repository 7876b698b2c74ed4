/** The agents that ctx reads transcripts of, and which of them wrote a text. */
import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code/index.ts';

/** Every agent, in the order in which they are asked whether a transcript is theirs. */
export const AGENTS: readonly Agent[] = [claudeCode];

/** The agent whose transcript begins with this text, by its content; undefined where none knows it. */
export function recogniseAgent(beginning: string): Agent | undefined {
  return AGENTS.find((agent) => agent.recognises(beginning));
}

/** The agent of a name, as `--agent` takes it. */
export function agentNamed(name: string): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}
