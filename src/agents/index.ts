/** The agents that ctx knows: one value for each. */
import type { JsonObject } from '../core/json.ts';
import { acp } from './acp/index.ts';
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import type { Agent } from './contract/agent.ts';
import type { AgentHooks, HookContract } from './contract/hook-settings.ts';
import type { AgentCollections, AgentTranscripts } from './contract/transcript-places.ts';
import { copilot } from './copilot/index.ts';
import { cursor } from './cursor/index.ts';
import { droid } from './droid/index.ts';
import { gemini } from './gemini/index.ts';
import { opencode } from './opencode/index.ts';
import { pi } from './pi/index.ts';

/** Every agent, in the order in which they are listed, and asked whether a transcript is theirs. */
export const AGENTS: readonly Agent[] = [claudeCode, codex, gemini, pi, opencode, cursor, copilot, droid, acp];

/** Returns the agent of a transcript that begins with this text, by its content; undefined if none recognises it. */
export const recogniseAgent = (beginning: string): Agent | undefined =>
  AGENTS.find((agent) => agent.recognises(beginning));

/** Returns the agent that alone writes such a record; undefined if there is none. */
export const agentOfRecord = (record: JsonObject): Agent | undefined => AGENTS.find((agent) => agent.isOurs(record));

/** Returns the agent of a name, as `--agent` takes it. */
export const agentNamed = (name: string | null): Agent | undefined => AGENTS.find((agent) => agent.name === name);

/** An agent whose hooks call ctx. */
export type HookedAgent = Agent & { hooks: HookContract };

/** Returns whether ctx has hooks for an agent. */
export const isHooked = (agent: Agent): agent is HookedAgent => agent.hooks !== undefined;

/** Returns the settings of all hooks that ctx installs. */
export const hookSettings = (): readonly AgentHooks[] => AGENTS.filter(isHooked).map(({ hooks }) => hooks.settings());

/** Returns the places of all agents' transcripts. */
export const transcriptPlaces = (): readonly AgentTranscripts[] => AGENTS.flatMap(({ places }) => places?.() ?? []);

/** Returns the places with many conversations each. */
export const collectionPlaces = (): readonly AgentCollections[] =>
  AGENTS.flatMap(({ collections }) => collections?.() ?? []);

/**
 * Returns the user's own words in a message; null if a program wrote all of it.
 * @param name the agent of the message's session
 * @param texts the texts of the message, in order
 */
export function usersWords(name: string | null, texts: readonly string[]): string | null {
  const agent = agentNamed(name);
  return agent?.usersWords ? agent.usersWords(texts) : texts.join('\n\n');
}
