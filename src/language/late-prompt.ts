/** What a prompt does that is heard late, since the store was busy when it came: pure, as `messagePlan`. */

import { type Deed, lastWordsOf, messagePlan } from '../core/session/user-message.ts';
import type { SessionState } from '../core/state.ts';
import { classifyMessage } from './classify.ts';

/** @param task the task of the session that it was said to */
export function latePrompt(message: string, state: SessionState, task: string): Deed[] {
  const { classification } = classifyMessage({ state: state.kind, message, lastMessage: lastWordsOf(state), task });
  // Its turn is over, or under way: what would have been asked about is asked no more.
  const isAsked = classification === 'NewTask' || classification === 'Unclear';
  const heard = isAsked ? 'Modification' : classification;
  return messagePlan({ state: state.kind, classification: heard, message, hook: true }).deeds;
}
