/** The agents that ctx knows: those with transcripts that it reads, and those with hooks that it installs. */

import type { JsonObject } from '../core/json.ts';
import { acp } from './acp/index.ts';
import { claudeCodeHooks } from './claude-code/hooks.ts';
import { claudeCode } from './claude-code/index.ts';
import { codexHooks } from './codex/hooks.ts';
import { codex } from './codex/index.ts';
import type { Agent } from './contract/agent.ts';
import type { AgentHooks } from './contract/hook-settings.ts';
import { copilot } from './copilot/index.ts';
import { cursorHooks } from './cursor/hooks.ts';
import { cursor } from './cursor/index.ts';
import { geminiHooks } from './gemini/hooks.ts';
import { gemini } from './gemini/index.ts';
import { opencodeHooks } from './opencode/hooks.ts';
import { opencode } from './opencode/index.ts';
import { piHooks } from './pi/hooks.ts';
import { pi } from './pi/index.ts';

/** Every agent, in the order in which they are asked whether a transcript is theirs. */
export const AGENTS: readonly Agent[] = [claudeCode, codex, copilot, cursor, gemini, opencode, pi, acp];

/** Returns the agent of a transcript that begins with this text, by its content; undefined if none recognises it. */
export function recogniseAgent(beginning: string): Agent | undefined {
  return AGENTS.find((agent) => agent.recognises(beginning));
}

/** Returns the agent that alone writes such a record; undefined if there is none. */
export function agentOfRecord(record: JsonObject): Agent | undefined {
  return AGENTS.find((agent) => agent.isOurs(record));
}

/** Returns the agent of a name, as `--agent` takes it. */
export function agentNamed(name: string): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}

/** Every agent with hooks that ctx installs, in the order in which they are listed. */
export const HOOKED_AGENTS: readonly AgentHooks[] = [
  claudeCodeHooks,
  codexHooks,
  geminiHooks,
  piHooks,
  opencodeHooks,
  cursorHooks,
];
