/** Classifies a message of the user: an answer, a change, a confirmation, the end, a new task or a question. */
import { CLASSES, type Classification } from '../core/message-class.ts';
import { type Deed, lastWordsOf, messagePlan } from '../core/session/user-message.ts';
import type { SessionState } from '../core/state.ts';
import { COUNTS } from './counts.ts';
import { type ClassifyInput, type View, viewOf } from './message-view.ts';
import type { Rule } from './rule.ts';
import { LAST_RULE, RULES } from './rules.ts';

export { CLASSES, type Classification, type ClassifyInput };

interface ClassifiedMessage {
  classification: Classification;
  /** The probability that the classification is right, 0 to 1, from how often its rule was right on messages of real sessions. */
  confidence: number;
  /** One sentence for the user: what in the message decided. */
  reason: string;
}

/** The number of messages that each rule classified correctly, and of all that it classified. */
export type Counts = Readonly<Record<string, readonly [right: number, decided: number]>>;

/** As how many messages the prior of a rule counts; many, for the rules were written with the counted ones in view. */
const WEIGHT_OF_PRIOR = 20;

/** Returns how likely a rule is right: what was counted, and its prior as if it were a few messages more. From 0 to 1. */
export function confidenceOf({ name, prior }: Pick<Rule, 'name' | 'prior'>, counts: Counts): number {
  const [right, decided] = counts[name] ?? [0, 0];
  return Math.round(((right + prior * WEIGHT_OF_PRIOR) / (decided + WEIGHT_OF_PRIOR)) * 100) / 100;
}

/** The rule that decides a message, and what it looked at: the first rule that fits, and the last one fits always. */
export function decide(input: ClassifyInput): { rule: Rule; view: View } {
  const view = viewOf(input);
  return { rule: RULES.find((rule) => rule.fits(view)) ?? LAST_RULE, view };
}

/** Classifies a message of the user by the state of the session, its words and explicit markers. Pure, and never fails. */
export function classifyMessage(input: ClassifyInput): ClassifiedMessage {
  const { rule, view } = decide(input);
  return {
    classification: rule.classification,
    confidence: confidenceOf(rule, COUNTS),
    reason: rule.reason(view),
  };
}

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
  const heard = isAsked ? 'Modification' : classification;
  return messagePlan({ state: state.kind, classification: heard, message, hook: true }).deeds;
}
