/** Reads what a user has said from the notes in the latest steps. */
import { type AnyBody, isKind, kindOf, type StoredRecord } from '../../core/records/record.ts';
import { wordsOfUser } from '../../core/session/words-note.ts';
import { MOVES, type NoteRole } from '../../core/state.ts';
import { type Chain, readRecords, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { STEPS_BACK } from './observed.ts';

/** Yields the records of the latest steps, with long texts. */
export function* latestSteps(repository: Repository, chain: Chain): Generator<StoredRecord[]> {
  let steps = STEPS_BACK;
  for (const [oid, { tree }] of walkChain(repository.objects, chain.head)) {
    yield readRecords(repository.objects, tree, `step ${oid}`, true);
    steps -= 1;
    if (steps === 0) return;
  }
}

/** Roles of the notes that record a user's words. */
const USERS: readonly unknown[] = ['response', 'intervention', 'continuation'] satisfies NoteRole[];

/** Returns the user's words if a record is a note of them, or of the move that they caused; else null. */
export function wordsOfNote(record: StoredRecord): string | null {
  if (!isKind(record, 'note')) return null;
  const words = wordsOfUser(record);
  if (words !== null) return words;
  // Several moves may share a role, one of which adds nothing before the words.
  const beginnings = MOVES.flatMap(({ note }) =>
    note?.role === record.role && USERS.includes(record.role) ? [note.content('')] : [],
  ).filter((beginning) => record.content.startsWith(beginning));
  const lengths = beginnings.map((beginning) => beginning.length);
  return lengths.length === 0 ? null : record.content.slice(Math.max(...lengths));
}

/** Returns the words with which a user has confirmed a session in a conversation; null if a record is no such move. */
export const wordsOfConfirmation = (record: StoredRecord): string | null =>
  isKind(record, 'transition') && typeof record.said === 'string' ? record.said : null;

/** Returns the words that have confirmed a session that is Complete; null if it was confirmed by a command. */
export function confirmingWords(repository: Repository, chain: Chain): string | null {
  for (const step of latestSteps(repository, chain)) {
    const move = step.find((record) => isKind(record, 'transition') && record.to.kind === 'Complete');
    if (move) return wordsOfConfirmation(move);
  }
  return null;
}

/** Returns the user's message that raised a question of ctx's; null if a record is no such question. */
export const wordsOfQuestion = (record: StoredRecord): string | null =>
  kindOf(record) === 'choice' && 'message' in record ? String(record.message) : null;

/** Makes a note of what the user said while the agent was at work. */
export const intervention = (words: string): AnyBody => ({
  kind: 'note',
  role: 'intervention',
  content: MOVES.find(({ verb }) => verb === 'interrupt')?.note?.content(words) ?? words,
});

/** Returns whether a hook has recorded the user's words within the current turn. */
export function hasNoted(repository: Repository, chain: Chain, words: string): boolean {
  for (const step of latestSteps(repository, chain)) {
    if (step.some((record) => wordsOfNote(record)?.trim() === words.trim())) return true;
    if (step.some((record) => isKind(record, 'transition') && record.from?.kind === 'PendingComplete')) return false;
  }
  return false;
}
