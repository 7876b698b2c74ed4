/** What a hook other than that of a prompt or a plain tool does: the session of its conversation takes in the transcript, and moves. */
import { passesOn } from '../../core/choice.ts';
import type { Counts } from '../../core/counts.ts';
import type { AnyBody, StoredRecord } from '../../core/records/record.ts';
import type { Happening } from '../../core/session/hook-event.ts';
import { hookPlan } from '../../core/session/hook-plan.ts';
import { hasMissedPrompt, isEndToldBy, missedCount, missedNote, wasAskedByTool } from '../../core/session/missed.ts';
import { type Deed, stateAfter, withWords } from '../../core/session/user-message.ts';
import { agentNote } from '../../core/session/words-note.ts';
import type { SessionState } from '../../core/state.ts';
import { waitingChoice } from '../../history/pending/choices.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { questionIn } from '../../language/questions/question.ts';
import {
  endedSessionOf,
  type Hook,
  lastKnownOf,
  NONE,
  openSessionOf,
  remember,
  rememberAtWork,
} from '../ingest/hook-session.ts';
import {
  AT_LEAST,
  agentSaid,
  hasSpoken,
  type Increment,
  isToolsQuestion,
  lastPrompt,
  sizeOf,
  standingQuestion,
} from '../ingest/increment.ts';
import { confirmingWords } from '../ingest/noted-words.ts';
import { carryOut, isInTheWay } from '../message/deeds.ts';
import { type Hear, keepNote, madeUpFor, saidIn } from '../message/missed.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { ActiveSession } from '../session/active.ts';
import { saveOver } from '../session/compact.ts';
import { transcriptText } from '../transcript/text.ts';
import { askingCall, notedOf, notesOfQuestion } from './asked.ts';
import { incrementOf, isBehind, isOver, isUntold, leftOf, orKept } from './part.ts';
import { beginUntold } from './unprompted-session.ts';

/** Does what an event asks for that tells the agent nothing. */
export async function moveOn(hook: Hook): Promise<void> {
  const { happened } = hook.event;
  const redaction = redactionFor(hook.repository);
  const clean = redaction.value(happened);
  // What a tool gave is told by its own records.
  const found = clean.what === 'tool' ? undefined : redaction.counts;
  const isBegun = beginsByAsking(hook);
  const isUnheard = (clean.what === 'turn_end' || isBegun) && (await isUnheardOf(hook));
  if (isBegun && !isUnheard) beginUntold(hook);
  await (isUnheard ? takeIn(hook, clean, found) : advance(hook, clean, found));
}

/** Whether the agent asks for something in a conversation that has no session yet: it is at work, whatever its prompt was. */
const beginsByAsking = ({ repository, conversation, event: { happened, sub_agent } }: Hook): boolean =>
  happened.what === 'question' &&
  happened.isNotice !== true &&
  sub_agent === null &&
  lastKnownOf(repository, conversation) === NONE;

/** Whether the transcript of a conversation is all that tells what it is about: its hooks were installed in the middle of it. */
async function isUnheardOf(hook: Hook): Promise<boolean> {
  const known = lastKnownOf(hook.repository, hook.conversation);
  if (known !== NONE) return known === null;
  const { hadTaskBefore } = await import('./before.ts');
  return hadTaskBefore(hook);
}

/** Whether something has happened to a session that it has not followed yet. */
export const hasMissed = (active: ActiveSession | null): boolean =>
  active !== null && missedCount(active.session.session_id, recordsIn(active)) > 0;

/** An event on its way to a session. */
interface Told {
  happened: Happening;
  /** What the words of a turn's end ask of the user. */
  asks: string | null;
  /** What was taken out of it. */
  found: Counts | undefined;
  /** What a prompt does that is heard late: much code, and nearly no event needs it. */
  hear: Hear | null;
  /** Whether what gives way to a session that begins was saved, or cannot be. */
  isWayFree: boolean;
}

/**
 * The session takes in its transcript and what waits, and goes where the event leads it: one step, under LOCK.
 * @param found what was taken out of the event
 */
export async function advance(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation } = hook;
  const change = { command: 'hook', message: `hook ${event.event}` };
  const asks = happened.what === 'turn_end' ? questionIn(wordsOf(happened)) : null;
  const told: Told = { happened, asks, found, hear: null, isWayFree: false };
  const notes = (session: string): AnyBody[] => notesOf(hook, told, session);
  let { from, endOf } = hook;
  const follow = (): Followed =>
    orKept(hook, notes, found, () =>
      transact(repository, change, (transaction) => {
        const active = openSessionOf(repository, conversation);
        return active ? followed({ ...hook, from, endOf }, transaction, active, told) : 'ended';
      }),
    );
  let followedBy = follow();
  if (followedBy === 'behind') {
    from = (await import('./late-turns.ts')).readOnFrom(hook, change);
    followedBy = follow();
  }
  if (followedBy === 'unheard') {
    told.hear = (await import('../../language/index.ts')).latePrompt;
    followedBy = follow();
  }
  if (followedBy === 'over') {
    endOf = (await import('./late-turns.ts')).endOfOwn;
    followedBy = follow();
  }
  if (followedBy === 'in the way') {
    saveOver(repository, change, hook.note);
    told.isWayFree = true;
    followedBy = follow();
  }
  if (followedBy === 'ended') await ended(hook, change, told);
}

/**
 * What became of an event: its session has followed it, has ended, or has to wait for others, to hear a prompt, to know where its
 * own part ends or to make way first.
 */
type Followed = 'followed' | 'ended' | 'behind' | 'unheard' | 'over' | 'in the way';

function followed(hook: Hook, transaction: Transaction, active: ActiveSession, told: Told): Followed {
  const { repository, conversation } = hook;
  const { session_id } = active.session;
  if (isBehind(hook, active.chain)) return 'behind';
  if (!told.hear && hasMissedPrompt(session_id, recordsIn(active))) return 'unheard';
  // What comes after a question of ctx's own belongs to the session that the answer picks.
  const isAsked = waitingChoice(repository, session_id) !== null;
  const notes = isAsked ? notesOf(hook, told, session_id) : [];
  // Before anything moves: the answer finds them by their ids, whenever they were written.
  const last = isAsked ? recordsIn(active).at(-1) : undefined;
  for (const note of notes) if (!isEndToldBy(last, note)) keepNote(repository, session_id, note, told.found);
  const increment = isAsked ? null : incrementOf(hook, active.chain);
  if (!hook.endOf && increment && mayBeAnothers(hook, active, increment)) return 'over';
  const { what } = told.happened;
  // The turn that has ended is one of another task.
  const isPast = what === 'turn_end' && increment?.isCut === true;
  const itself = isPast ? { ...told, happened: { what: 'end' } as const } : told;
  const deeds = increment ? planned(hook, active, increment, itself) : [];
  // Of several tools that come back at once only the first one changes anything.
  if (what === 'tool' && deeds.length === 0) return 'followed';
  // One that is only saved need not be at work any more.
  const beCurrent = what !== 'pause' && what !== 'end';
  if (beCurrent && !told.isWayFree && isInTheWay(repository, transaction, active, deeds)) return 'in the way';
  const { at_work } = carryOut(repository, transaction, {
    active,
    deeds,
    answers: null,
    message: '',
    // Begun under LOCK: what was forgotten while the hook waited for it must not come back.
    redaction: redactionFor(repository, undefined, told.found),
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

/** Whether what the transcript adds to a session that its user has ended has more prompts than the one that has ended it. */
function mayBeAnothers(hook: Hook, { chain }: ActiveSession, { prompts = [] }: Increment): boolean {
  if (prompts.length === 0 || !isOver(hook, chain)) return false;
  const words = redactionFor(hook.repository);
  const own = confirmingWords(hook.repository, chain)?.trim();
  return prompts.some((prompt) => words.text(prompt).trim() !== own);
}

/** What is told of a conversation whose session has ended: it stays with that one. */
async function ended(hook: Hook, change: { command: string; message: string }, told: Told): Promise<void> {
  const { repository, conversation } = hook;
  const { happened, found } = told;
  const left = leftOf(hook);
  if (left) {
    // What comes after its question belongs to the session that the answer picks, which reads the transcript, too.
    const { session_id } = left.session;
    for (const note of notesOf(hook, told, session_id)) keepNote(repository, session_id, note, found);
    return;
  }
  if (isUntold(hook)) {
    const words = wordsOf(happened);
    const last = words === '' ? null : endedSessionOf(repository, conversation);
    if (last !== null) keepNote(repository, last, agentNote(words), found);
    return;
  }
  // There is no transcript that ctx could read.
  if (!hook.agent) return;
  const { restsKept, isMoreLeft } = await import('./late-turns.ts');
  restsKept(hook, change);
  // The hook of the prompt was cut off, or met a busy store: with the end of the turn its task is taken up all the same.
  if (happened.what === 'turn_end' && isMoreLeft(hook)) await ingested(hook, happened, found);
}

/** What is kept of an event that its session cannot follow now: what a tool asks, what has to be made up for, or only the words. */
function notesOf(hook: Hook, told: Told, session: string): AnyBody[] {
  const note = noteOf(hook, told, session);
  return note ? [note] : notesOfQuestion(hook, told.happened);
}

function noteOf(hook: Hook, told: Told, session: string): AnyBody | null {
  const active = hasAllWords(hook, told) ? null : openSessionOf(hook.repository, hook.conversation);
  const { happened, asks } = active ? withWordsRead(told, incrementOf(hook, active.chain)) : told;
  const text = wordsOf(happened);
  const isAsked = text !== '' && waitingChoice(hook.repository, session) !== null;
  if (!isAsked || !passesOn(text, asks)) return missedNote(happened, session, asks);
  // It has ended no work.
  return isUntold(hook) ? agentNote(text) : null;
}

/** The agent's last words, where its turn has ended with some. */
const wordsOf = (happened: Happening): string => (happened.what === 'turn_end' ? happened.text?.trim() : '') ?? '';

/** Whether nothing tells more of the agent's last words than the event itself. */
const hasAllWords = (hook: Hook, { happened }: Told): boolean =>
  happened.what !== 'turn_end' || happened.text !== null || isUntold(hook);

/**
 * The same with the last words that the transcript tells, where the hook of the turn's end names none, as Cursor's; or was lost,
 * and the conversation is over in the midst of a turn.
 */
function withWordsRead(told: Told, { lastWords }: Increment, state?: SessionState): Told {
  const { happened } = told;
  const isLost = happened.what === 'end' && state?.kind === 'Running';
  const words = isLost || (happened.what === 'turn_end' && happened.text === null) ? lastWords?.() : null;
  if (!words) return told;
  const { text, isQuestion } = words;
  return { ...told, happened: { what: 'turn_end', text }, asks: isQuestion ? text : null };
}

const recordsIn = ({ pending }: ActiveSession): StoredRecord[] => pending.map(({ record }) => record);

/** What makes up for what was missed, and then what the event does. */
function planned(hook: Hook, active: ActiveSession, increment: Increment, told: Told): Deed[] {
  const { repository } = hook;
  const stood = active.session.session_state;
  const late = madeUpFor(repository, active, stood, told.hear ?? (() => []));
  const state = stateAfter(stood, late, repository.clock());
  const { happened, asks } = withWordsRead(told, increment, state ?? stood);
  if (state === null) return isUntold(hook) ? withWords(late, wordsOf(happened), 'agent') : late;
  const said = { ...increment, records: [...saidIn(active, recordsIn(active)).records, ...increment.records] };
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
    standing: () => (late.length === 0 ? standingQuestion(repository, said) : null),
    hasSpoken: () => late.length === 0 && hasSpoken(repository, said),
    isUntold: isUntold(hook),
  });
  return [...late, ...plan];
}

/**
 * A turn has ended in a conversation that ctx knows nothing of: the hooks were installed in the middle of it. What the
 * transcript tells becomes its session; where there is none, its last words begin one.
 */
async function takeIn(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { event, agent } = hook;
  const file = event.transcript;
  const size = file === null ? 0 : sizeOf(file);
  if (size === 0 && happened.what === 'turn_end' && happened.text?.trim()) {
    beginUntold(hook);
    return advance(hook, happened, found);
  }
  if (!agent || file === null || size === 0 || size > AT_LEAST) return;
  const { beginsSession } = await import('../capture/count.ts');
  if (!beginsSession(transcriptText(file, agent), agent)) return;
  return ingested(hook, happened, found);
}

/** Takes in what the transcript tells; where that is a session at work, the event moves it. */
async function ingested(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation, agent } = hook;
  if (!agent || event.transcript === null) return;
  const { ingestTranscript } = await import('../ingest/ingest.ts');
  const { session_id } = ingestTranscript(repository, event.transcript, {
    agent: agent.name,
    stageTrouble: hook.note,
  });
  remember(repository, conversation, session_id);
  if (openSessionOf(repository, conversation)) await advance(hook, happened, found);
}
