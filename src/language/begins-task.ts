/** Decides whether a user's message to an agent begins a session when none is open: pure, as `messagePlan`. */
import { messagePlan } from '../core/session/user-message.ts';
import { classifyMessage } from './classify.ts';

/** Kinds of what a tool has done: without a task it begins a session, too. */
export const DEEDS: readonly string[] = ['read', 'write', 'delete', 'command'];

/** @param task that of the session before it, which has ended */
export function beginsTask(message: string, task: string | null = null): boolean {
  const { classification } = classifyMessage({ state: null, message, lastMessage: null, task });
  return messagePlan({ state: null, classification, message, hook: true }).action === 'started';
}
