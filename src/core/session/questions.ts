/** Decides when ctx asks the user what becomes of an open session, and what happens if it does not. */
import type { Classification } from '../message-class.ts';
import type { StateKind } from '../state.ts';

/**
 * The setting `questions`. `unfinished`: a finished session gives way to a new task by itself, and the user is asked about the
 * others. `always`: the user is asked about each. `never`: nobody is asked; a new task saves what is open, and anything else
 * continues it.
 */
export const QUESTIONS = ['unfinished', 'always', 'never'] as const;
export type Questions = (typeof QUESTIONS)[number];

interface Circumstances {
  state: StateKind | null;
  classification: Classification;
  questions: Questions;
  /** True if the message is the first prompt of a conversation that begins again. */
  beginsConversation?: boolean | undefined;
}

/** An approval of finished work, or an end of it, is about that work; anything else of a new conversation is not. */
const isAboutIt = (classification: Classification): boolean =>
  classification === 'Confirmation' || classification === 'Abandon';

/** Returns whether a session is saved without a question, and the message begins another one. */
export function savesItself({ state, classification, questions, beginsConversation }: Circumstances): boolean {
  if (state === null || questions === 'always') return false;
  const isFinished = state === 'PendingComplete';
  if (classification === 'NewTask') return isFinished || questions === 'never';
  return isFinished && beginsConversation === true && !isAboutIt(classification);
}
