/** Handles all hooks other than prompts and plain tools: the session of the conversation reads its transcript, and moves. */
import { passesOn } from '../../../core/choice.ts';
import type { Counts } from '../../../core/counts.ts';
import { reconcile } from '../../../core/intake/reconcile.ts';
import { agentNote } from '../../../core/intake/words.ts';
import type { AnyBody, StoredRecord } from '../../../core/records/record.ts';
import type { Happening } from '../../../core/session/hook-event.ts';
import { hookPlan } from '../../../core/session/hook-plan.ts';
import { hasMissedPrompt, missedCount, missedNote, wasAskedByTool } from '../../../core/session/missed.ts';
import { type Deed, stateAfter, withWords } from '../../../core/session/user-message.ts';
import type { SessionState } from '../../../core/state.ts';
import { waitingChoice } from '../../../history/pending/choices.ts';
import { type Transaction, transact } from '../../../history/transaction.ts';
import { questionIn } from '../../../language/questions/question.ts';
import { redactionFor } from '../../redaction/redact.ts';
import type { ActiveSession } from '../../session/active.ts';
import { saveEndedCurrent } from '../../session/compact.ts';
import { transcriptText } from '../../transcript/text.ts';
import {
  endedSessionOf,
  type Hook,
  lastKnownOf,
  NONE,
  openSessionOf,
  remember,
  rememberAtWork,
} from '../conversation.ts';
import {
  AT_LEAST,
  agentSaid,
  confirmingWords,
  hasSpoken,
  type Increment,
  isToolsQuestion,
  lastPrompt,
  openQuestion,
  sizeOf,
} from '../increment.ts';
import { carryOut, mustSaveFirst } from '../message/deeds.ts';
import { catchUpDeeds, keepNote, type LatePrompt, withPending } from '../message/missed.ts';
import { hasNoTranscript, incrementOf, isEndedByUser, keepIfBusy, unansweredOf, waitsForPredecessors } from './part.ts';
import { askingCall, notedOf, notesOfQuestion } from './tool-questions.ts';
import { beginUnprompted } from './unprompted-session.ts';

/** Handles an event that returns nothing to the agent. */
export async function handleEvent(hook: Hook): Promise<void> {
  const { happened } = hook.event;
  const redaction = redactionFor(hook.repository);
  const clean = redaction.value(happened);
  // The output of a tool is counted by its own records.
  const found = clean.what === 'tool' ? undefined : redaction.counts;
  const isBegun = beginsByAsking(hook);
  const isUnheard = (clean.what === 'turn_end' || isBegun) && (await isUnknown(hook));
  if (isBegun && !isUnheard) beginUnprompted(hook);
  await (isUnheard ? ingestUnknown(hook, clean, found) : advance(hook, clean, found));
}

/**
 * Returns whether the agent asks for something in a conversation without a session: it is at work, whatever its prompt
 * was.
 */
const beginsByAsking = ({ repository, conversation, event: { happened, sub_agent } }: Hook): boolean =>
  happened.what === 'question' &&
  happened.isNotice !== true &&
  sub_agent === null &&
  lastKnownOf(repository, conversation) === NONE;

/** Returns whether only the transcript shows what a conversation is about: its hooks were installed later. */
async function isUnknown(hook: Hook): Promise<boolean> {
  const known = lastKnownOf(hook.repository, hook.conversation);
  if (known !== NONE) return known === null;
  const { hadEarlierTask } = await import('./late-turns.ts');
  return hadEarlierTask(hook);
}

/** Returns whether events of a session are pending that it has not followed yet. */
export const hasMissed = (active: ActiveSession | null): boolean =>
  active !== null && missedCount(active.session.session_id, recordsIn(active)) > 0;

/** An event on its way to a session. */
interface IncomingEvent {
  happened: Happening;
  /** The question to the user in the last words of a turn. */
  asks: string | null;
  /** Counts of secrets that were redacted in it. */
  found: Counts | undefined;
  /** Returns the deeds of a late prompt: much code, which nearly no event needs. */
  hear: LatePrompt | null;
  /** True if the session that makes room for a new one was saved, or cannot be. */
  isWayFree: boolean;
}

/**
 * Lets the session read its transcript and the pending records, and move by the event: one step, under LOCK.
 * @param found what was redacted in the event
 */
export async function advance(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation } = hook;
  const change = { command: 'hook', message: `hook ${event.event}`, pauses: true };
  const asks = happened.what === 'turn_end' ? questionIn(wordsOf(happened)) : null;
  const incoming: IncomingEvent = { happened, asks, found, hear: null, isWayFree: false };
  const notes = (session: string): AnyBody[] => notesOf(hook, incoming, session);
  let { from, endOf } = hook;
  const follow = (): Followed =>
    keepIfBusy(hook, notes, found, () =>
      transact(repository, change, (transaction) => {
        const active = openSessionOf(repository, conversation);
        return active ? followEvent({ ...hook, from, endOf }, transaction, active, incoming) : 'ended';
      }),
    );
  let followedBy = follow();
  if (followedBy === 'behind') {
    from = (await import('./late-turns.ts')).nextPosition(hook, change);
    followedBy = follow();
  }
  if (followedBy === 'unheard') {
    incoming.hear = (await import('../../../language/index.ts')).latePrompt;
    followedBy = follow();
  }
  if (followedBy === 'over') {
    endOf = (await import('./late-turns.ts')).endOfOwnPart;
    followedBy = follow();
  }
  if (followedBy === 'in the way') {
    saveEndedCurrent(repository, change, hook.note);
    incoming.isWayFree = true;
    followedBy = follow();
  }
  if (followedBy === 'ended') await handleEnded(hook, change, incoming);
}

/**
 * The outcome of an event: its session has followed it, or has ended, or must first wait for predecessors, load the
 * code of a late prompt or of the end of its own part, or make room.
 */
type Followed = 'followed' | 'ended' | 'behind' | 'unheard' | 'over' | 'in the way';

function followEvent(hook: Hook, transaction: Transaction, active: ActiveSession, incoming: IncomingEvent): Followed {
  const { repository, conversation } = hook;
  const { session_id } = active.session;
  if (waitsForPredecessors(hook, active.chain)) return 'behind';
  if (!incoming.hear && hasMissedPrompt(session_id, recordsIn(active))) return 'unheard';
  // Records after a question of ctx's own belong to the session that the answer picks.
  const isAsked = waitingChoice(repository, session_id) !== null;
  const notes = isAsked ? notesOf(hook, incoming, session_id) : [];
  // Written before anything moves: the answer finds them by their ids, which are in order.
  const last = isAsked ? recordsIn(active).at(-1) : undefined;
  for (const note of notes)
    if (reconcile({ before: last }, { kind: 'end', from: 'hook', note }) === 'new')
      keepNote(repository, session_id, note, incoming.found);
  const increment = isAsked ? null : incrementOf(hook, active.chain);
  if (!hook.endOf && increment && hasOtherPrompts(hook, active, increment)) return 'over';
  const { what } = incoming.happened;
  // The turn that has ended is one of another task.
  const isPast = what === 'turn_end' && increment?.isCut === true;
  const itself = isPast ? { ...incoming, happened: { what: 'end' } as const } : incoming;
  const deeds = increment ? planned(hook, active, increment, itself) : [];
  // Of several tools that finish at once only the first one changes anything.
  if (what === 'tool' && deeds.length === 0) return 'followed';
  // A session that is only saved need not become the current one.
  const beCurrent = what !== 'pause' && what !== 'end';
  if (beCurrent && !incoming.isWayFree && mustSaveFirst(repository, transaction, active, deeds)) return 'in the way';
  const { at_work } = carryOut(repository, transaction, {
    active,
    deeds,
    answers: null,
    message: '',
    // Begun under LOCK: what was forgotten while the hook waited must not come back.
    redaction: redactionFor(repository, undefined, incoming.found),
    as: null,
    beginning: () => ({}),
    increment,
    flush: true,
    beCurrent,
    stageTrouble: hook.note,
  });
  remember(repository, conversation, session_id);
  if (at_work !== null) transaction.afterwards(() => rememberAtWork(repository, conversation, at_work));
  return isPast ? 'ended' : 'followed';
}

/**
 * Returns whether the new part of the transcript of a session that its user has ended has more prompts than the one
 * that ended it.
 */
function hasOtherPrompts(hook: Hook, { chain }: ActiveSession, { prompts = [] }: Increment): boolean {
  if (prompts.length === 0 || !isEndedByUser(hook, chain)) return false;
  const words = redactionFor(hook.repository);
  const own = confirmingWords(hook.repository, chain)?.trim();
  return prompts.some((prompt) => words.text(prompt).trim() !== own);
}

/** Handles an event of a conversation whose session has ended: it belongs to that session. */
async function handleEnded(
  hook: Hook,
  change: { command: string; message: string },
  incoming: IncomingEvent,
): Promise<void> {
  const { repository, conversation } = hook;
  const { happened, found } = incoming;
  const left = unansweredOf(hook);
  if (left) {
    // A record after its question belongs to the session that the answer picks, which reads the transcript, too.
    const { session_id } = left.session;
    for (const note of notesOf(hook, incoming, session_id)) keepNote(repository, session_id, note, found);
    return;
  }
  if (hasNoTranscript(hook)) {
    const words = wordsOf(happened);
    const last = words === '' ? null : endedSessionOf(repository, conversation);
    if (last !== null) keepNote(repository, last, agentNote(words), found);
    return;
  }
  // There is no transcript that ctx can read.
  if (!hook.agent) return;
  const { keepAllLateTurns, hasUnreadTask } = await import('./late-turns.ts');
  keepAllLateTurns(hook, change);
  // The hook of the prompt was interrupted, or found the store busy: its task is ingested at the end of the turn.
  if (happened.what === 'turn_end' && hasUnreadTask(hook)) await ingestAndAdvance(hook, happened, found);
}

/**
 * Returns the notes of an event that its session cannot follow now: a tool's question, a missed event, or only the
 * words.
 */
function notesOf(hook: Hook, incoming: IncomingEvent, session: string): AnyBody[] {
  const note = noteOf(hook, incoming, session);
  return note ? [note] : notesOfQuestion(hook, incoming.happened);
}

function noteOf(hook: Hook, incoming: IncomingEvent, session: string): AnyBody | null {
  const active = hasAllWords(hook, incoming) ? null : openSessionOf(hook.repository, hook.conversation);
  const { happened, asks } = active ? withWordsRead(incoming, incrementOf(hook, active.chain)) : incoming;
  const text = wordsOf(happened);
  const isAsked = text !== '' && waitingChoice(hook.repository, session) !== null;
  if (!isAsked || !passesOn(text, asks)) return missedNote(happened, session, asks);
  // It has ended no work.
  return hasNoTranscript(hook) ? agentNote(text) : null;
}

/** Returns the agent's last words, if its turn has ended with some. */
const wordsOf = (happened: Happening): string => (happened.what === 'turn_end' ? happened.text?.trim() : '') ?? '';

/** Returns whether the event itself has all of the agent's last words. */
const hasAllWords = (hook: Hook, { happened }: IncomingEvent): boolean =>
  happened.what !== 'turn_end' || happened.text !== null || hasNoTranscript(hook);

/**
 * Adds the last words in the transcript if the hook of the turn's end has none; or if that hook was lost
 * and the conversation has ended during a turn.
 */
function withWordsRead(incoming: IncomingEvent, { lastWords }: Increment, state?: SessionState): IncomingEvent {
  const { happened } = incoming;
  const isLost = happened.what === 'end' && state?.kind === 'Running';
  const words = isLost || (happened.what === 'turn_end' && happened.text === null) ? lastWords?.() : null;
  if (!words) return incoming;
  const { text, isQuestion } = words;
  return { ...incoming, happened: { what: 'turn_end', text }, asks: isQuestion ? text : null };
}

const recordsIn = ({ pending }: ActiveSession): StoredRecord[] => pending.map(({ record }) => record);

/** Returns the deeds of missed events, followed by those of the event. */
function planned(hook: Hook, active: ActiveSession, increment: Increment, incoming: IncomingEvent): Deed[] {
  const { repository } = hook;
  const stood = active.session.session_state;
  const late = catchUpDeeds(repository, active, stood, incoming.hear ?? (() => []));
  const state = stateAfter(stood, late, repository.clock());
  const { happened, asks } = withWordsRead(incoming, increment, state ?? stood);
  if (state === null) return hasNoTranscript(hook) ? withWords(late, wordsOf(happened), 'agent') : late;
  const said = { ...increment, records: [...withPending(active, recordsIn(active)).records, ...increment.records] };
  const plan = hookPlan(happened, {
    state,
    cutOff: increment.interrupted,
    lastPrompt: () => lastPrompt(repository, said),
    asks,
    isNew: increment.tally !== undefined,
    agentSaid: () => agentSaid(repository, said),
    askingCall: () => (late.length === 0 ? askingCall(repository, active) : null),
    noted: (question) => notedOf(repository, active, question),
    isToolsQuestion: () => wasAskedByTool(late) ?? isToolsQuestion(repository, active.chain),
    standing: () => (late.length === 0 ? openQuestion(repository, said) : null),
    hasSpoken: () => late.length === 0 && hasSpoken(repository, said),
    isUntold: hasNoTranscript(hook),
  });
  return [...late, ...plan];
}

/**
 * Handles the end of a turn in an unknown conversation, whose hooks were installed later: its transcript becomes its
 * session; without one, its last words begin one.
 */
async function ingestUnknown(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { event, agent } = hook;
  const file = event.transcript;
  const size = file === null ? 0 : sizeOf(file);
  if (size === 0 && happened.what === 'turn_end' && happened.text?.trim()) {
    beginUnprompted(hook);
    return advance(hook, happened, found);
  }
  if (!agent || file === null || size === 0 || size > AT_LEAST) return;
  const { beginsSession } = await import('../../capture/count.ts');
  if (!beginsSession(transcriptText(file, agent), agent)) return;
  return ingestAndAdvance(hook, happened, found);
}

/** Ingests the transcript; if the result is an open session, the event moves it. */
async function ingestAndAdvance(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation, agent } = hook;
  if (!agent || event.transcript === null) return;
  const { ingestTranscript } = await import('../ingest.ts');
  const { session_id } = ingestTranscript(repository, event.transcript, {
    agent: agent.name,
    stageTrouble: hook.note,
  });
  remember(repository, conversation, session_id);
  if (openSessionOf(repository, conversation)) await advance(hook, happened, found);
}
