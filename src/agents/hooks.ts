/** Agents whose hooks ctx takes: what each payload means, who reads the transcript, and how the agent is answered. */
import type { HookEvent } from '../core/hook-event.ts';
import type { JsonObject } from '../core/json.ts';
import type { Agent } from './agent.ts';
import { readHook as readClaudeCode } from './claude-code/hook.ts';
import { readHook as readCodex } from './codex/hook.ts';
import { readHook as readCursor, replyOf as replyToCursor } from './cursor/hook.ts';
import { readHook as readGemini } from './gemini/hook.ts';
import { readHook as readOpencode } from './opencode/hook.ts';
import { readHook as readPi } from './pi/hook.ts';

/** What the agent is told: text for its model, at an event by the agent's own name of it. */
export interface HookAnswer {
  event: string;
  context: string;
}

export interface HookedAgent {
  name: string;
  /** What a payload tells; null where it is none of this agent's. */
  read: (payload: JsonObject) => HookEvent | null;
  /** The reader of its transcript, loaded only where there is something to read; null where ctx knows none. */
  agent: () => Promise<Agent | null>;
  /** What the agent takes on standard output; null where it takes nothing at this event. */
  reply: (answer: HookAnswer) => JsonObject | null;
}

type Read = HookedAgent['read'];

/** How Claude Code is answered, and who has copied it. */
const replyToMost = ({ event, context }: HookAnswer): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: context },
});

const hooked = (name: string, read: Read, reply: HookedAgent['reply'] = replyToMost): HookedAgent => ({
  name,
  read,
  agent: async () => (await import('./index.ts')).agentNamed(name) ?? null,
  reply,
});

export const HOOKED: readonly HookedAgent[] = [
  hooked('claude-code', readClaudeCode),
  hooked('codex', readCodex),
  hooked('gemini', readGemini),
  hooked('pi', readPi),
  hooked('opencode', readOpencode),
  hooked('cursor', readCursor, replyToCursor),
];
