/** Handles questions that an agent's tools put to the user: what a session has of them, and the notes if it cannot move by them. */
import { offersChoice } from '../../../core/choice.ts';
import { answersTool, isOfCall, type ToolQuestion } from '../../../core/intake/notes.ts';
import { reconcile, type Verdict } from '../../../core/intake/reconcile.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import type { Happening } from '../../../core/session/hook-event.ts';
import { bodyOfNote, notesFor } from '../../../core/session/tool-question.ts';
import type { Repository } from '../../../history/store/repository.ts';
import type { ActiveSession } from '../../session/active.ts';
import { type Hook, openSessionOf } from '../conversation.ts';
import { waitingQuestion } from '../increment.ts';
import { storedNotes } from '../stored-events.ts';

/** Returns whether the notes of a session have a question, and its answer. */
export const notedOf = (repository: Repository, { chain, pending }: ActiveSession, question: ToolQuestion): Verdict =>
  reconcile(storedNotes(repository, chain, pending), { kind: 'question', from: 'hook', question });

/** Returns the call that has put the waiting question, if its end brings the answer and has not come yet; else null. */
export function askingCall(repository: Repository, { chain, pending }: ActiveSession): string | null {
  const call = waitingQuestion(repository, chain)?.['of_call'];
  if (typeof call !== 'string') return null;
  return pending.some(({ record }) => answersTool(record) && isOfCall(record, call)) ? null : call;
}

/** Returns the tool's question that an event puts or answers; null if it does neither. */
function questionOfTool(happened: Happening): ToolQuestion | null {
  if (happened.what === 'question')
    return happened.call_id === undefined ? null : { asked: happened.text, call: happened.call_id, answer: null };
  if (happened.what !== 'tool' || happened.asked === undefined || happened.answer === null) return null;
  return { asked: happened.asked, call: happened.call_id, answer: happened.answer };
}

/** Returns the notes of such an event for a session that cannot move by it now. */
export function notesOfQuestion(hook: Hook, happened: Happening): AnyBody[] {
  const question = questionOfTool(happened);
  // A question of ctx's own is in the store, and its answer picks the session: it is noted only if the user says
  // something else.
  if (question === null || (question.answer === null && offersChoice(question.asked))) return [];
  const active = openSessionOf(hook.repository, hook.conversation);
  return notesFor(question, active ? notedOf(hook.repository, active, question) : 'new').map(bodyOfNote);
}
