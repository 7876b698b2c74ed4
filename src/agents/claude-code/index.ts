import type { Agent } from '../agent.ts';
/** Stand-in until the real one is written. */
export const claudeCode = {} as Agent;
