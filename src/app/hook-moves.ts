/** What a hook other than that of a prompt or a plain tool does: the session of its conversation takes in the transcript, and moves. */
import type { HookAnswer } from '../agents/hooks.ts';
import { passesOn, questionOf } from '../core/choice.ts';
import type { Counts } from '../core/counts.ts';
import type { Happening } from '../core/hook-event.ts';
import { hookPlan } from '../core/hook-plan.ts';
import { hasMissedPrompt, missedNote, wasAskedByTool } from '../core/missed.ts';
import { questionIn } from '../core/question.ts';
import type { AnyBody, StoredRecord } from '../core/record.ts';
import { type Deed, stateAfter } from '../core/user-message.ts';
import { agentNote } from '../core/words-note.ts';
import { waitingChoice } from '../store/choices.ts';
import { sessionRef } from '../store/layout.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { type ActiveSession, activeSession } from './active.ts';
import { carryOut } from './deeds.ts';
import { asHistory, asQuestion } from './hook-context.ts';
import { beginning, incrementOf, isUntold, orKept } from './hook-part.ts';
import {
  endedSessionOf,
  type Hook,
  isKnown,
  openSessionOf,
  openStateOf,
  remember,
  rememberAtWork,
} from './hook-session.ts';
import { AT_LEAST, hasSpoken, type Increment, isToolsQuestion, lastPrompt, sizeOf } from './increment.ts';
import { type Hear, keepNote, madeUpFor, saidIn } from './missed.ts';
import { recoveryText } from './recover.ts';
import { redactionFor } from './redact.ts';
import { beginSession } from './start.ts';
import { UNTITLED } from './turns.ts';
import { answerCommand } from './waiting.ts';

/** Does what an event asks for; gives what the agent is told. */
export async function moveOn(hook: Hook): Promise<HookAnswer | null> {
  const { happened } = hook.event;
  if (happened.what === 'start') return started(hook, happened.source);
  const redaction = redactionFor(hook.repository);
  const clean = redaction.value(happened);
  // What a tool gave is told by its own records.
  const found = clean.what === 'tool' ? undefined : redaction.counts;
  const isUnknown = clean.what === 'turn_end' && !isKnown(hook.repository, hook.conversation);
  await (isUnknown ? takeIn(hook, clean, found) : advance(hook, clean, found));
  return null;
}

/** A conversation begins or goes on: the agent is told where its session stands, or the current one, and what ctx asks. */
async function started(hook: Hook, source: string): Promise<HookAnswer | null> {
  const { repository, event, conversation } = hook;
  // Confirmed, and the turn never ended: there is no answer to wait for.
  const isOver = source !== 'compact' && openStateOf(repository, conversation)?.state.kind === 'Complete';
  if (isOver) await advance(hook, { what: 'turn_end', text: null });
  const own = openSessionOf(repository, conversation);
  const active = own ?? activeSession(repository);
  // A conversation that was cleared begins with nothing, since the user wanted it so.
  if (!active || source === 'clear') return null;
  const { session_id, task_description } = active.session;
  const choice = waitingChoice(repository, session_id);
  const question = choice && questionOf(choice.kind, task_description).message;
  const asked = question === null ? [] : [asQuestion(question, answerCommand(repository, session_id), own !== null)];
  return { event: event.event, context: [asHistory(recoveryText(repository, active)), ...asked].join('\n\n') };
}

/**
 * The session takes in its transcript and what waits, and goes where the event leads it: one step, under LOCK.
 * @param found what was taken out of the event
 */
async function advance(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation } = hook;
  const change = { command: 'hook', message: `hook ${event.event}` };
  const asks = happened.what === 'turn_end' ? questionIn(happened.text?.trim() ?? '') : null;
  let hasNone = false;
  // What words mean is much code, and nearly no event needs it.
  let hear: Hear | null = null;
  let isUnheard = false;
  const make = (transaction: Transaction): void => {
    const active = openSessionOf(repository, conversation);
    hasNone = !active;
    if (!active) return;
    isUnheard = hear === null && hasMissedPrompt(active.session.session_id, recordsIn(active));
    if (isUnheard) return;
    // What comes after a question of ctx's own belongs to the session that the answer picks.
    const isAsked = waitingChoice(repository, active.session.session_id) !== null;
    const note = isAsked ? noteOf(hook, happened, asks, active.session.session_id) : null;
    // Before anything moves: the answer finds it by its id, whenever it was written.
    if (note) keepNote(repository, active.session.session_id, note, found);
    const increment = isAsked ? null : incrementOf(hook, active.chain);
    const deeds = increment ? planned(hook, active, increment, { happened, asks, hear }) : [];
    // Of several tools that come back at once only the first one changes anything.
    if (happened.what === 'tool' && deeds.length === 0) return;
    const { at_work } = carryOut(repository, transaction, {
      active,
      deeds,
      answers: null,
      message: '',
      // Begun under LOCK: what was forgotten while the hook waited for it must not come back.
      redaction: redactionFor(repository, undefined, found),
      as: null,
      beginning: () => ({}),
      increment,
      flush: true,
      // One that is only saved need not be at work any more.
      beCurrent: happened.what !== 'pause' && happened.what !== 'end',
    });
    remember(repository, conversation, active.session.session_id);
    if (at_work !== null) transaction.afterwards(() => rememberAtWork(repository, conversation, at_work));
  };
  const move = (): void =>
    orKept(
      hook,
      (session) => noteOf(hook, happened, asks, session),
      found,
      () => transact(repository, change, make),
    );
  move();
  if (isUnheard) {
    hear = (await import('../core/late-prompt.ts')).latePrompt;
    move();
  }
  if (hasNone) await ended(hook, happened, change, found);
}

/** What is told of a conversation whose session has ended: it stays with that one. */
async function ended(
  hook: Hook,
  happened: Happening,
  change: { command: string; message: string },
  found: Counts | undefined,
): Promise<void> {
  const { repository, conversation } = hook;
  if (isUntold(hook)) {
    const words = happened.what === 'turn_end' ? happened.text?.trim() : '';
    const last = words ? endedSessionOf(repository, conversation) : null;
    if (words && last !== null) keepNote(repository, last, agentNote(words), found);
    return;
  }
  if (!tellsMore(hook)) return;
  const { restKept } = await import('./hook-rest.ts');
  transact(repository, change, (transaction) => {
    // Another hook may have begun one meanwhile.
    if (!openSessionOf(repository, conversation)) restKept(hook, transaction);
  });
}

/** Whether there is a transcript that may tell of a session that has ended. */
const tellsMore = ({ event: { transcript }, agent }: Hook): boolean =>
  agent !== null && transcript !== null && sizeOf(transcript) > 0;

/** What is kept of an event that its session cannot follow now: what has to be made up for, or only the words. */
function noteOf(hook: Hook, happened: Happening, asks: string | null, session: string): AnyBody | null {
  const text = (happened.what === 'turn_end' && happened.text?.trim()) || '';
  const isAsked = text !== '' && waitingChoice(hook.repository, session) !== null;
  if (!isAsked || !passesOn(text, asks)) return missedNote(happened, session, asks);
  // It has ended no work.
  return isUntold(hook) ? agentNote(text) : null;
}

const recordsIn = ({ pending }: ActiveSession): StoredRecord[] => pending.map(({ record }) => record);

/** What makes up for what was missed, and then what the event does. */
function planned(
  hook: Hook,
  active: ActiveSession,
  increment: Increment,
  { happened, asks, hear }: { happened: Happening; asks: string | null; hear: Hear | null },
): Deed[] {
  const { repository } = hook;
  const stood = active.session.session_state;
  const late = madeUpFor(repository, active, stood, hear ?? (() => []));
  const state = stateAfter(stood, late, repository.clock());
  if (state === null) return late;
  const said = { ...increment, records: [...saidIn(active, recordsIn(active)).records, ...increment.records] };
  const plan = hookPlan(happened, {
    state,
    cutOff: increment.interrupted,
    lastPrompt: () => lastPrompt(repository, said),
    asks,
    isToolsQuestion: () => wasAskedByTool(late) ?? isToolsQuestion(repository, active.chain),
    hasSpoken: () => late.length === 0 && hasSpoken(repository, said),
    isUntold: isUntold(hook),
  });
  return [...late, ...plan];
}

/** Begins the session of a conversation that has none, and whose prompts tell nothing of what it is about. */
export function beginUntold(hook: Hook): void {
  const { repository, conversation } = hook;
  transact(repository, { command: 'hook', message: 'start' }, (transaction) => {
    // Another hook may have done the same meanwhile.
    if (openStateOf(repository, conversation)) return;
    const { session_id } = beginSession(repository, transaction, UNTITLED, beginning(hook, null));
    if (transaction.stage() === null) transaction.move('STAGE', null, sessionRef(session_id));
    remember(repository, conversation, session_id);
  });
}

/**
 * A turn has ended in a conversation that ctx knows nothing of: the hooks were installed in the middle of it. What the
 * transcript tells becomes its session; where there is none, its last words begin one.
 */
async function takeIn(hook: Hook, happened: Happening, found?: Counts): Promise<void> {
  const { repository, event, conversation, agent } = hook;
  const file = event.transcript;
  const size = file === null ? 0 : sizeOf(file);
  if (size === 0 && happened.what === 'turn_end' && happened.text?.trim()) {
    beginUntold(hook);
    return advance(hook, happened, found);
  }
  if (!agent || file === null || size === 0 || size > AT_LEAST) return;
  const { ingestTranscript } = await import('./ingest.ts');
  const { session_id } = ingestTranscript(repository, file, { agent: agent.name });
  remember(repository, conversation, session_id);
  return advance(hook, happened, found);
}
