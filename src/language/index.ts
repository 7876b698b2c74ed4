/** Classifies a message of the user. Other rooms import this, and `questions/question.ts`, which needs no classification. */
import { CLASSES, type Classification } from '../core/message-class.ts';
import { type Deed, lastWordsOf, messagePlan } from '../core/session/user-message.ts';
import type { SessionState } from '../core/state.ts';
import { decide } from './rules.ts';
import { type ClassifyInput, viewOf } from './view.ts';

export { endsByName } from './ending.ts';
export { CLASSES, type Classification, type ClassifyInput };

interface ClassifiedMessage {
  classification: Classification;
  /** Certainty of the classification, 0 to 1; below 0.5 it leans to another classification. */
  confidence: number;
  /** One sentence for the user, with the words that decided. */
  reason: string;
}

/** Classifies a message of the user by the state of the session, its words and explicit markers. Pure, and never fails. */
export const classifyMessage = (input: ClassifyInput): ClassifiedMessage => decide(viewOf(input));
/** Kinds of what a tool has done: without a task it begins a session, too. */
export const DEEDS: readonly string[] = ['read', 'write', 'delete', 'command'];

/** @param task that of the session before it, which has ended */
export function beginsTask(message: string, task: string | null = null): boolean {
  const { classification } = classifyMessage({ state: null, message, lastMessage: null, task });
  return messagePlan({ state: null, classification, message, hook: true }).action === 'started';
}

/** @param task the task of the session that it was said to */
export function latePrompt(message: string, state: SessionState, task: string): Deed[] {
  const { classification } = classifyMessage({ state: state.kind, message, lastMessage: lastWordsOf(state), task });
  // Its turn is over, or under way: what would have been asked about is asked no more.
  const isAsked = classification === 'NewTask' || classification === 'Unclear';
  const taken = isAsked ? 'Modification' : classification;
  return messagePlan({ state: state.kind, classification: taken, message, hook: true }).deeds;
}
