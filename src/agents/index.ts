/** The agents that ctx knows: whose transcripts it reads, and in whose hooks it can stand. */

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

/** The agent whose transcript begins with this text, by its content; undefined where none knows it. */
export function recogniseAgent(beginning: string): Agent | undefined {
  return AGENTS.find((agent) => agent.recognises(beginning));
}

/** The agent that alone writes such a record; undefined where none is known to. */
export function agentOfRecord(record: JsonObject): Agent | undefined {
  return AGENTS.find((agent) => agent.isOurs(record));
}

/** The agent of a name, as `--agent` takes it. */
export function agentNamed(name: string): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}

/** Every agent in whose hooks ctx can stand, in the order in which they are told. */
export const HOOKED_AGENTS: readonly AgentHooks[] = [
  claudeCodeHooks,
  codexHooks,
  geminiHooks,
  piHooks,
  opencodeHooks,
  cursorHooks,
];
