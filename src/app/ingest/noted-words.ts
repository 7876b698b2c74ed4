/** What a user has said, as notes of the latest steps tell it. */
import { type AnyBody, isKind, kindOf, type StoredRecord } from '../../core/records/record.ts';
import { wordsOfUser } from '../../core/session/words-note.ts';
import { MOVES, type NoteRole } from '../../core/state.ts';
import { type Chain, readRecords, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { STEPS_BACK } from './observed.ts';

/** The records of the latest steps, long texts whole. */
export function* latestSteps(repository: Repository, chain: Chain): Generator<StoredRecord[]> {
  let steps = STEPS_BACK;
  for (const [oid, { tree }] of walkChain(repository.objects, chain.head)) {
    yield readRecords(repository.objects, tree, `step ${oid}`, true);
    steps -= 1;
    if (steps === 0) return;
  }
}

/** Roles of the notes that a user's words leave behind. */
const USERS: readonly unknown[] = ['response', 'intervention', 'continuation'] satisfies NoteRole[];

/** What the user said where a record is a note of it, or of the move that it came to; else null. */
export function wordsOfNote(record: StoredRecord): string | null {
  if (!isKind(record, 'note')) return null;
  const told = wordsOfUser(record);
  if (told !== null) return told;
  // A role may be that of several moves, one of which says nothing of its own before the words.
  const beginnings = MOVES.flatMap(({ note }) =>
    note?.role === record.role && USERS.includes(record.role) ? [note.content('')] : [],
  ).filter((beginning) => record.content.startsWith(beginning));
  const lengths = beginnings.map((beginning) => beginning.length);
  return lengths.length === 0 ? null : record.content.slice(Math.max(...lengths));
}

/** What the user said that has confirmed a session, in a conversation with an agent; null where a record is of no such move. */
export const wordsOfConfirmation = (record: StoredRecord): string | null =>
  isKind(record, 'transition') && typeof record.said === 'string' ? record.said : null;

/** The words that have confirmed a session that is Complete; null where it was done by hand. */
export function confirmingWords(repository: Repository, chain: Chain): string | null {
  for (const step of latestSteps(repository, chain)) {
    const move = step.find((record) => isKind(record, 'transition') && record.to.kind === 'Complete');
    if (move) return wordsOfConfirmation(move);
  }
  return null;
}

/** What the user said that raised a question of ctx's; null where a record is of none. */
export const wordsOfQuestion = (record: StoredRecord): string | null =>
  kindOf(record) === 'choice' && 'message' in record ? String(record.message) : null;

/** A note of what the user said while the agent was at work. */
export const intervention = (words: string): AnyBody => ({
  kind: 'note',
  role: 'intervention',
  content: MOVES.find(({ verb }) => verb === 'interrupt')?.note?.content(words) ?? words,
});

/** Whether a hook has told of what the user says within the turn that is going on. */
export function hasNoted(repository: Repository, chain: Chain, words: string): boolean {
  for (const step of latestSteps(repository, chain)) {
    if (step.some((record) => wordsOfNote(record)?.trim() === words.trim())) return true;
    if (step.some((record) => isKind(record, 'transition') && record.from?.kind === 'PendingComplete')) return false;
  }
  return false;
}
