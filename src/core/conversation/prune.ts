/** Selects the outputs of finished calls that can go out of the model's view: the oldest first. */
import { isStub } from '../externalise.ts';
import type { ToolPart } from '../message.ts';
import type { Conversation, FoldedMessage } from './conversation.ts';
import { isUsers } from './rewind.ts';

/** Smallest output that is worth a note in its place, in bytes. */
const SMALLEST = 1024;

/** Tools whose outputs say where the task is: they stay. */
const OF_THE_TASK = /^(?:todo|task|plan|update_plan|exit_plan)|todos?$/i;

/** Rules that select the outputs to prune. */
export interface PruneRules {
  /** Tokens to free; all that can be freed if absent. */
  tokens?: number | undefined;
  /** Names of tools whose outputs stay, in upper or lower case. */
  protect?: readonly string[] | undefined;
  /** Number of the last turns of the user that are left alone. */
  turns: number;
}

/** An output that goes. */
export interface Prunable {
  call: string;
  tool: string;
  message_id: string;
  tokens: number;
}

/** The length of an output as text; of a text that lies in a payload, the bytes of the payload. */
export function outputLength(output: unknown): number {
  if (typeof output === 'string') return output.length;
  return isStub(output) ? output.bytes : (JSON.stringify(output) ?? '').length;
}

/**
 * Selects outputs, oldest first, until enough tokens are freed.
 * @param seen the messages that the model sees, in their order
 */
export function prunable(
  { pruned }: Conversation,
  seen: readonly FoldedMessage[],
  { tokens = Number.POSITIVE_INFINITY, protect = [], turns }: PruneRules,
  tokensOf: (part: ToolPart) => number,
): Prunable[] {
  const starts = seen.flatMap((message, index) => (isUsers(message) ? [index] : []));
  const kept = new Set(protect.map((name) => name.toLowerCase()));
  const end = turns === 0 ? seen.length : (starts.at(-turns) ?? 0);
  const found: Prunable[] = [];
  let freed = 0;
  for (const { id, parts } of seen.slice(0, end))
    for (const { part } of parts) {
      if (freed >= tokens) return found;
      if (part.type !== 'dynamic-tool' || part.state !== 'output-available') continue;
      const { toolCallId: call, toolName: tool } = part as ToolPart;
      if (pruned.has(call) || pruned.has(id) || OF_THE_TASK.test(tool) || kept.has(tool.toLowerCase())) continue;
      if (outputLength((part as { output?: unknown }).output) <= SMALLEST) continue;
      const size = tokensOf(part as ToolPart);
      found.push({ call, tool, message_id: id, tokens: size });
      freed += size;
    }
  return found;
}
