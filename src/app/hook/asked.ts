/** Questions that tools of an agent put to the user: what a session has of them, and the notes where it cannot move by them. */
import { offersChoice } from '../../core/choice.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Happening } from '../../core/session/hook-event.ts';
import {
  answersTool,
  bodyOfNote,
  isOfCall,
  type Noted,
  notedIn,
  notesFor,
  type ToolQuestion,
} from '../../core/session/tool-question.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Hook, openSessionOf } from '../ingest/hook-session.ts';
import { waitingQuestion } from '../ingest/increment.ts';
import { latestRecords } from '../ingest/noted-questions.ts';
import type { ActiveSession } from '../session/active.ts';

/** What the notes of a session have of a question. */
export const notedOf = (repository: Repository, active: ActiveSession, question: ToolQuestion): Noted =>
  notedIn(latestRecords(repository, active.chain, active.pending), question);

/** The call that has put the question which waits, where its end brings the answer, and it has not yet; else null. */
export function askingCall(repository: Repository, { chain, pending }: ActiveSession): string | null {
  const call = waitingQuestion(repository, chain)?.['of_call'];
  if (typeof call !== 'string') return null;
  return pending.some(({ record }) => answersTool(record) && isOfCall(record, call)) ? null : call;
}

/** The question of a tool's that an event puts or answers; null where it does neither. */
export function questionOfTool(happened: Happening): ToolQuestion | null {
  if (happened.what === 'question')
    return happened.call_id === undefined ? null : { asked: happened.text, call: happened.call_id, answer: null };
  if (happened.what !== 'tool' || happened.asked === undefined || happened.answer === null) return null;
  return { asked: happened.asked, call: happened.call_id, answer: happened.answer };
}

/** The notes of such an event for a session that cannot move by it now. */
export function notesOfQuestion(hook: Hook, happened: Happening): AnyBody[] {
  const question = questionOfTool(happened);
  // One of ctx's own stands in the store, and its answer picks the session: noted only where the user says something else.
  if (question === null || (question.answer === null && offersChoice(question.asked))) return [];
  const active = openSessionOf(hook.repository, hook.conversation);
  return notesFor(question, active ? notedOf(hook.repository, active, question) : 'nothing').map(bodyOfNote);
}
