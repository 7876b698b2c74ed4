/** Agents whose hooks ctx takes: what each payload means, who reads the transcript, and how the agent is answered. */

import type { JsonObject } from '../core/json.ts';
import type { HookEvent } from '../core/session/hook-event.ts';
import type { Agent } from './contract/agent.ts';
import type { AgentHooks } from './contract/hook-settings.ts';

/** What the agent is told: text for its model, at an event by the agent's own name of it. */
export interface HookAnswer {
  event: string;
  context: string;
}

/** What takes the payloads of one agent. */
export interface HookReader {
  /** What a payload tells; null where it is none of this agent's. */
  readHook: (payload: JsonObject) => HookEvent | null;
  /** What the agent takes on standard output, null where it takes nothing at this event; absent where it takes what most do. */
  replyOf?: (answer: HookAnswer) => JsonObject | null;
}

export interface HookedAgent {
  name: string;
  /** Whether its hooks tell what the user answers to a question that a tool of its own puts. */
  tellsAnswers?: true;
  /** Where it also runs the hooks that others were given: keys that its payloads have and no other's, and its own hooks. */
  abroad?: { signs: readonly string[]; hooks: () => Promise<AgentHooks> };
  /** Loaded for this agent alone: a hook pays for no other. */
  reader: () => Promise<HookReader>;
  /** The reader of its transcript, loaded only where there is something to read. */
  agent: () => Promise<Agent>;
}

/** How Claude Code is answered, and who has copied it. */
export const replyToMost = ({ event, context }: HookAnswer): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: context },
});

export const HOOKED: readonly HookedAgent[] = [
  {
    name: 'claude-code',
    tellsAnswers: true,
    reader: () => import('./claude-code/hook.ts'),
    agent: async () => (await import('./claude-code/index.ts')).claudeCode,
  },
  {
    name: 'codex',
    reader: () => import('./codex/hook.ts'),
    agent: async () => (await import('./codex/index.ts')).codex,
  },
  {
    name: 'gemini',
    tellsAnswers: true,
    reader: () => import('./gemini/hook.ts'),
    agent: async () => (await import('./gemini/index.ts')).gemini,
  },
  { name: 'pi', reader: () => import('./pi/hook.ts'), agent: async () => (await import('./pi/index.ts')).pi },
  {
    name: 'opencode',
    tellsAnswers: true,
    reader: () => import('./opencode/hook.ts'),
    agent: async () => (await import('./opencode/index.ts')).opencode,
  },
  {
    name: 'cursor',
    abroad: {
      signs: ['conversation_id', 'workspace_roots'],
      hooks: async () => (await import('./cursor/hooks.ts')).cursorHooks,
    },
    reader: () => import('./cursor/hook.ts'),
    agent: async () => (await import('./cursor/index.ts')).cursor,
  },
];
