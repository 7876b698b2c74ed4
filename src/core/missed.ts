/** What has happened while a session could not move: a note keeps it, and the next message or event makes up for it. */
import type { Happening } from './hook-event.ts';
import { type HookCircumstances, hookPlan } from './hook-plan.ts';
import { type AnyBody, isKind, type StoredRecord } from './record.ts';
import { hasEnded, type SessionState } from './state.ts';
import { type Deed, stateAfter } from './user-message.ts';
import { agentNote, userNote, wordsOfAgent, wordsOfUser } from './words-note.ts';

/** What moves a session and is told only once: a question is followed by what answers it. */
type Missed = Extract<Happening, { what: 'prompt' | 'turn_end' | 'interrupt' }>;

/** The note of an event that has to be made up for; null where an event is none of these. */
export function missedNote(happened: Happening): AnyBody | null {
  const { what } = happened;
  if (what === 'prompt') return { ...userNote(happened.text), missed: what };
  if (what === 'turn_end') return { ...agentNote(happened.text?.trim() ?? ''), missed: what };
  return what === 'interrupt' ? { ...agentNote(''), missed: what } : null;
}

/** The events that have to be made up for, of the records that wait, in their order. */
function missedIn(records: readonly StoredRecord[]): Missed[] {
  return records.flatMap((record): Missed[] => {
    if (!isKind(record, 'note')) return [];
    if (record.missed === 'prompt') return [{ what: 'prompt', text: wordsOfUser(record) ?? '' }];
    if (record.missed === 'turn_end') return [{ what: 'turn_end', text: wordsOfAgent(record) }];
    return record.missed === 'interrupt' ? [{ what: 'interrupt' }] : [];
  });
}

/**
 * What makes up for the events that waiting records tell of, from the state that their session stands in.
 * @param at Unix seconds
 */
export function missedDeeds(
  records: readonly StoredRecord[],
  state: SessionState,
  circumstances: Omit<HookCircumstances, 'state' | 'cutOff'>,
  at: number,
): Deed[] {
  const deeds: Deed[] = [];
  for (const event of missedIn(records)) {
    const now = stateAfter(state, deeds, at);
    if (now === null) break;
    // The note has the words already.
    const happened = hasEnded(now.kind) && event.what === 'turn_end' ? { ...event, text: null } : event;
    deeds.push(...hookPlan(happened, { ...circumstances, state: now, cutOff: null }));
  }
  return deeds;
}
