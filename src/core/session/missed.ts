/** Finds the events of a time in which a session could not move: a note keeps it, and the session's next message or event makes up for it. */

import { type Prompt, reconcile } from '../intake/reconcile.ts';
import { agentNote, userNote, wordsOfAgent, wordsOfUser } from '../intake/words.ts';
import { type AnyBody, isKind, type StoredRecord } from '../records/record.ts';
import { hasEnded, type SessionState } from '../state.ts';
import type { Happening } from './hook-event.ts';
import { hookPlan } from './hook-plan.ts';
import { type Deed, stateAfter } from './user-message.ts';

/** The events that move a session and are reported only once: a question is followed by what answers it. */
type Missed = Extract<Happening, { what: 'prompt' | 'turn_end' | 'interrupt' }>;

/** The same, with what the words of a turn's end ask. */
interface Told {
  happened: Missed;
  asks: string | null;
}

/**
 * Returns the note of an event that has to be made up for; null if the event is none of these.
 * @param session the session that it belongs to: whichever other one the note comes to is not moved by it
 * @param asks what the words of a turn's end ask of the user
 */
export function missedNote(happened: Happening, session: string, asks: string | null = null): AnyBody | null {
  const { what } = happened;
  const mark = { missed: what, missed_in: session };
  if (what === 'prompt')
    return { ...userNote(happened.text), ...mark, ...(happened.id === undefined ? {} : { prompt_id: happened.id }) };
  if (what === 'interrupt') return { ...agentNote(''), ...mark };
  if (what !== 'turn_end') return null;
  return { ...agentNote(happened.text?.trim() ?? ''), ...mark, ...(asks === null ? {} : { asks }) };
}

/** Returns the event that a record describes, if a session has missed it; else null. */
function missedBy(session: string, record: StoredRecord): Told | null {
  if (!isKind(record, 'note') || record.missed_in !== session) return null;
  const { missed: what, asks: told } = record;
  const asks = typeof told === 'string' ? told : null;
  if (what === 'prompt') return { happened: { what, text: wordsOfUser(record) ?? '' }, asks };
  if (what === 'turn_end') return { happened: { what, text: wordsOfAgent(record) }, asks };
  return what === 'interrupt' ? { happened: { what }, asks } : null;
}

/** Returns the words and the id of the prompt that a record describes, if a session has missed it; else null. */
export function missedPrompt(session: string, record: StoredRecord): Prompt | null {
  const told = missedBy(session, record);
  if (told?.happened.what !== 'prompt') return null;
  const id = record['prompt_id'];
  return { words: told.happened.text, id: typeof id === 'string' ? id : null };
}

/** Returns whether the record before it describes the same missed prompt: both hooks may have met a busy store. */
function isRepeated(session: string, waiting: readonly StoredRecord[], index: number): boolean {
  const [before, record] = [waiting[index - 1], waiting[index]];
  const prompt = record && missedPrompt(session, record);
  const last = before && missedPrompt(session, before);
  if (!prompt || !last) return false;
  return (
    reconcile({ missedPrompts: [{ ...last, isLatest: true }] }, { kind: 'prompt', from: 'hook', prompt }) === 'same'
  );
}

/** Facts about the session that are needed to make up for missed events. */
export interface MissedCircumstances {
  session: string;
  state: SessionState;
  /** The user's last words, with those in records that wait. */
  lastPrompt: (waiting: readonly StoredRecord[]) => string;
  isToolsQuestion: () => boolean;
  /** Checks if the user has said something since the session was interrupted, with what the records that wait hold. */
  hasSpoken: (waiting: readonly StoredRecord[]) => boolean;
  /** Decides the effect of a prompt that is heard late. */
  hear: (message: string, state: SessionState) => Deed[];
  /** Unix seconds. */
  at: number;
}

/** Counts the events that a session has to make up for. */
export const missedCount = (session: string, waiting: readonly StoredRecord[]): number =>
  waiting.filter((record) => missedBy(session, record) !== null).length;

/** Checks if a prompt is among what a session has missed. */
export const hasMissedPrompt = (session: string, waiting: readonly StoredRecord[]): boolean =>
  waiting.some((record) => missedBy(session, record)?.happened.what === 'prompt');

/** Returns what makes up for the events that waiting records describe, in their order. */
export function missedDeeds(waiting: readonly StoredRecord[], circumstances: MissedCircumstances): Deed[] {
  const { session, state, at } = circumstances;
  const deeds: Deed[] = [];
  for (const [index, record] of waiting.entries()) {
    const told = missedBy(session, record);
    if (!told || isRepeated(session, waiting, index)) continue;
    const now = stateAfter(state, deeds, at);
    // A session that has ended is saved by the next command; the notes have the words.
    if (now === null || hasEnded(now.kind)) break;
    if (told.happened.what === 'prompt') {
      deeds.push(...circumstances.hear(told.happened.text, now));
      continue;
    }
    const before = waiting.slice(0, index);
    const event = {
      state: now,
      cutOff: null,
      isNew: true,
      agentSaid: () => '',
      asks: told.asks,
      // The note has the words already.
      isUntold: false,
      lastPrompt: () => circumstances.lastPrompt(before),
      // None of these is a tool's.
      askingCall: () => null,
      noted: () => 'new' as const,
      isToolsQuestion: () => wasAskedByTool(deeds) ?? circumstances.isToolsQuestion(),
      hasSpoken: () => deeds.length === 0 && circumstances.hasSpoken(before),
      // The records that wait are in no step, and so say nothing of a turn that only explained.
      standing: () => null,
    };
    deeds.push(...hookPlan(told.happened, event).map((deed) => askedThen(deed, record.at)));
  }
  return deeds;
}

/** A question that was put when its note was written, and not when somebody makes up for it. */
const askedThen = (deed: Deed, at: number): Deed =>
  deed.do === 'move' && deed.verb === 'ask' ? { ...deed, at } : deed;

/** Checks if the last question among deeds is a tool's; null if they put none. */
export function wasAskedByTool(deeds: readonly Deed[]): boolean | null {
  const asked = deeds.findLast((deed) => deed.do === 'move' && deed.verb === 'ask');
  return asked?.do === 'move' ? asked.ofTool === true : null;
}
