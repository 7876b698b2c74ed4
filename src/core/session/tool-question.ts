/** Makes notes of a question that an agent's tool puts to the user, and of the answer that the end of its call brings. */

import { type ToolQuestion, wordsOfQuestion } from '../intake/notes.ts';
import type { Verdict } from '../intake/reconcile.ts';
import type { AnyBody } from '../records/record.ts';
import type { ToolUse } from './hook-event.ts';
import type { Deed } from './user-message.ts';

type NoteDeed = Extract<Deed, { do: 'note' }>;

/** The notes of what is not noted yet. */
export function notesFor({ asked, call, answer }: ToolQuestion, verdict: Verdict): NoteDeed[] {
  const of = call === null ? {} : { call };
  const question: NoteDeed = { do: 'note', content: wordsOfQuestion('ask', asked), role: 'question', ...of };
  if (answer === null) return verdict === 'new' ? [question] : [];
  const response: NoteDeed = { do: 'note', content: wordsOfQuestion('respond', answer), role: 'response', ...of };
  if (verdict === 'same') return [];
  return verdict === 'new' ? [question, response] : [response];
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
  const notes = notesFor({ asked, call, answer }, 'new').map((note) => ({ body: bodyOfNote(note) }));
  return { ...use, records: [...records, ...notes] };
}
