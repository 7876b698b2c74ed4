/** The agents whose hooks call ctx: how each payload is read, which reader its transcript has, and how the agent is answered. */
import type { JsonObject } from '../core/json.ts';
import type { HookEvent } from '../core/session/hook-event.ts';
import type { Agent } from './contract/agent.ts';
import type { AgentHooks } from './contract/hook-settings.ts';

/** An answer to the agent: text for its model, at an event in the agent's own name of it. */
export interface HookAnswer {
  event: string;
  context: string;
}

/** A reader of one agent's payloads. */
export interface HookReader {
  /** Reads a payload; null if it is not one of this agent's. */
  readHook: (payload: JsonObject) => HookEvent | null;
  /** Returns the answer in the agent's form, null if it takes none at this event; absent if it takes the form of `replyToMost`. */
  replyOf?: (answer: HookAnswer) => JsonObject | null;
}

/** An agent whose hooks call ctx. */
export interface HookedAgent {
  name: string;
  /** Whether its hooks contain the user's answer to a question that one of its tools asks. */
  hasAnswers?: true;
  /** Set if it also runs the hooks of other agents: the keys that only its payloads have, and its own hooks. */
  runsOthers?: { signs: readonly string[]; hooks: () => Promise<AgentHooks> };
  /** Loads the reader of its payloads: a hook of another agent does not load it. */
  reader: () => Promise<HookReader>;
  /** Loads the reader of its transcript. */
  agent: () => Promise<Agent>;
}

/** Returns the answer in the form of Claude Code, which most agents have taken over. */
export const replyToMost = ({ event, context }: HookAnswer): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: context },
});

/** Every agent whose hooks call ctx. */
export const HOOKED: readonly HookedAgent[] = [
  {
    name: 'claude-code',
    hasAnswers: true,
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
    hasAnswers: true,
    reader: () => import('./gemini/hook.ts'),
    agent: async () => (await import('./gemini/index.ts')).gemini,
  },
  { name: 'pi', reader: () => import('./pi/hook.ts'), agent: async () => (await import('./pi/index.ts')).pi },
  {
    name: 'opencode',
    hasAnswers: true,
    reader: () => import('./opencode/hook.ts'),
    agent: async () => (await import('./opencode/index.ts')).opencode,
  },
  {
    name: 'cursor',
    runsOthers: {
      signs: ['conversation_id', 'workspace_roots'],
      hooks: async () => (await import('./cursor/hooks.ts')).cursorHooks,
    },
    reader: () => import('./cursor/hook.ts'),
    agent: async () => (await import('./cursor/index.ts')).cursor,
  },
];
