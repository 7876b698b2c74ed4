/** Whether a message answers a question of ctx's that waits, and with what. */
import { type Choice, choiceBy, choiceWithMore, isKey } from '../../core/choice.ts';
import type { Classification } from '../../core/message-class.ts';
import type { WaitingChoice } from '../../history/pending/choices.ts';

export interface Picked {
  chosen: Choice;
  /** The question, with what the answer says beyond it: what begins is about both. */
  choice: WaitingChoice;
  /** Whether that is all that the message says. */
  isAll: boolean;
}

/**
 * What a message answers; null where it is none, or only says more to the session that goes on.
 * @param task what the session that was asked is about
 * @param as the class that an agent gives the message: unless that is an answer, only an option's key is one
 */
export function pickedBy(
  choice: WaitingChoice,
  task: string,
  message: string,
  as: Classification | undefined,
): Picked | null {
  if (as !== undefined && as !== 'Response' && !isKey(message)) return null;
  const chosen = choiceBy(choice.kind, message);
  if (chosen !== null) return { chosen, choice, isAll: true };
  if (choiceWithMore(choice.kind, message, task) !== 'fresh') return null;
  return { chosen: 'fresh', choice: { ...choice, raised: `${choice.raised}\n\n${message}` }, isAll: false };
}
