/** What has happened while a session could not move: a note keeps it, and the next message or event makes up for it. */
import type { Happening } from './hook-event.ts';
import { type HookCircumstances, hookPlan } from './hook-plan.ts';
import { type AnyBody, isKind, type StoredRecord } from './record.ts';
import { hasEnded, type SessionState } from './state.ts';
import { type Deed, stateAfter } from './user-message.ts';
import { agentNote, userNote, wordsOfAgent, wordsOfUser } from './words-note.ts';

/** What moves a session and is told only once: a question is followed by what answers it. */
type Missed = Extract<Happening, { what: 'prompt' | 'turn_end' | 'interrupt' }>;

/** The same, with what the words of a turn's end ask. */
interface Told {
  happened: Missed;
  asks: string | null;
}

/**
 * The note of an event that has to be made up for; null where an event is none of these.
 * @param asks what the words of a turn's end ask of the user
 */
export function missedNote(happened: Happening, asks: string | null = null): AnyBody | null {
  const { what } = happened;
  if (what === 'prompt') return { ...userNote(happened.text), missed: what };
  if (what === 'interrupt') return { ...agentNote(''), missed: what };
  if (what !== 'turn_end') return null;
  return { ...agentNote(happened.text?.trim() ?? ''), missed: what, ...(asks === null ? {} : { asks }) };
}

/** The events that have to be made up for, of the records that wait, in their order. */
function missedIn(records: readonly StoredRecord[]): Told[] {
  return records.flatMap((record): Told[] => {
    if (!isKind(record, 'note')) return [];
    const { missed: what, asks: told } = record;
    const asks = typeof told === 'string' ? told : null;
    if (what === 'prompt') return [{ happened: { what, text: wordsOfUser(record) ?? '' }, asks }];
    if (what === 'turn_end') return [{ happened: { what, text: wordsOfAgent(record) }, asks }];
    return what === 'interrupt' ? [{ happened: { what }, asks }] : [];
  });
}

/**
 * What makes up for the events that waiting records tell of, from the state that their session stands in.
 * @param at Unix seconds
 */
export function missedDeeds(
  records: readonly StoredRecord[],
  state: SessionState,
  circumstances: Pick<HookCircumstances, 'lastPrompt' | 'isToolsQuestion'>,
  at: number,
): Deed[] {
  const deeds: Deed[] = [];
  for (const { happened, asks } of missedIn(records)) {
    const now = stateAfter(state, deeds, at);
    if (now === null) break;
    // The note has the words already.
    const event = hasEnded(now.kind) && happened.what === 'turn_end' ? { ...happened, text: null } : happened;
    deeds.push(...hookPlan(event, { ...circumstances, state: now, cutOff: null, questionIn: () => asks }));
  }
  return deeds;
}
