/** Lists how the programs of all agents are started: data, so that a command can show it. */
import { claudeCodeStart } from './claude-code/start.ts';
import { codexStart } from './codex/start.ts';
import type { AgentStart } from './contract/agent-start.ts';
import { copilotStart } from './copilot/start.ts';
import { cursorStart } from './cursor/start.ts';
import { geminiStart } from './gemini/start.ts';
import { opencodeStart } from './opencode/start.ts';
import { piStart } from './pi/start.ts';

/** Every agent that ctx can start. */
export const STARTS: readonly AgentStart[] = [
  claudeCodeStart,
  codexStart,
  geminiStart,
  opencodeStart,
  piStart,
  copilotStart,
  cursorStart,
];

/** Returns how an agent is started; undefined if ctx cannot start it. */
export const startOf = (agent: string): AgentStart | undefined => STARTS.find((start) => start.agent === agent);
