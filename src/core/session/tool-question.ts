/** Makes notes of a question that an agent's tool puts to the user, and of the answer that the end of its call brings. */

import { type AnyBody, isKind, type StoredRecord } from '../records/record.ts';
import { moveOf, type Verb } from '../state.ts';
import type { ToolUse } from './hook-event.ts';
import type { Deed } from './user-message.ts';

/** What the notes of a session have of such a question. */
export type Noted = 'nothing' | 'question' | 'answer';

/** What was asked, by which call where that is known, and what was answered. */
export interface ToolQuestion {
  asked: string;
  call: string | null;
  answer: string | null;
}

type NoteDeed = Extract<Deed, { do: 'note' }>;

const wordsOf = (verb: Verb, text: string): string => moveOf(verb).note?.content(text) ?? text;

/** The notes of what is not noted yet. */
export function notesFor({ asked, call, answer }: ToolQuestion, noted: Noted): NoteDeed[] {
  const of = call === null ? {} : { call };
  const question: NoteDeed = { do: 'note', content: wordsOf('ask', asked), role: 'question', ...of };
  if (answer === null) return noted === 'nothing' ? [question] : [];
  const response: NoteDeed = { do: 'note', content: wordsOf('respond', answer), role: 'response', ...of };
  if (noted === 'answer') return [];
  return noted === 'nothing' ? [question, response] : [response];
}

/** A note as it is recorded. */
export const bodyOfNote = ({ content, role, call }: NoteDeed): AnyBody => ({
  kind: 'note',
  content,
  role,
  ...(call === undefined ? {} : { of_call: call }),
});

/** A call with what the user has answered to it as records, for a session that takes no moves any more. */
export function withNotes(use: ToolUse): ToolUse {
  const { asked, call_id: call, answer, records } = use;
  if (asked === undefined || answer === null) return use;
  const notes = notesFor({ asked, call, answer }, 'nothing').map((note) => ({ body: bodyOfNote(note) }));
  return { ...use, records: [...records, ...notes] };
}

/** Whether a record is of a call that has put a question to the user, or of the answer that it brought. */
export const isOfCall = (record: StoredRecord, call: string): boolean => record['of_call'] === call;

/** Whether a note has what the user has answered to a tool, within a turn. */
export const answersTool = (record: StoredRecord): boolean =>
  isKind(record, 'note') && record.role === 'response' && typeof record['of_call'] === 'string';

/** Whether a record ends or begins a turn: a question that a tool has put, and its answer, lie within one. */
export const movesTurn = (record: StoredRecord): boolean =>
  isKind(record, 'transition') && record.from?.kind !== 'AwaitingUser' && record.to.kind !== 'AwaitingUser';

/** What notes have of a question. @param latest records, the latest first; a long text may lie elsewhere */
export function notedIn(latest: Iterable<StoredRecord>, { asked, call, answer }: ToolQuestion): Noted {
  /** A question without its call is an earlier one where something was answered since. */
  let isOpen = true;
  /** Whether an agent that names no calls has reported the same answer in this turn. */
  let isAnswered = false;
  let isThisTurn = true;
  for (const record of latest) {
    isThisTurn &&= !movesTurn(record);
    if (!isKind(record, 'note')) continue;
    const isOwn = call !== null && isOfCall(record, call);
    const content: unknown = record.content;
    const says = (words: string): boolean => content === words || (isOwn && typeof content !== 'string');
    if (record.role === 'response') {
      if (isOwn && (answer === null || says(wordsOf('respond', answer)))) return 'answer';
      isAnswered = isOpen && isThisTurn && call === null && answer !== null && says(wordsOf('respond', answer));
      isOpen = isAnswered;
    }
    const isUnnamed = isOpen && (call === null || record['of_call'] === undefined);
    if (record.role !== 'question' || !(isOwn || isUnnamed)) continue;
    if (says(wordsOf('ask', asked))) return isAnswered ? 'answer' : 'question';
    if (isAnswered) isOpen = false;
  }
  return 'nothing';
}
