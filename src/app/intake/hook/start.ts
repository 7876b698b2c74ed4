/** Handles the hook of a start: a conversation begins or is resumed, and its agent reads the status. */

import type { HookAnswer } from '../../../agents/contract/hook-settings.ts';
import { questionOf } from '../../../core/choice.ts';
import { CtxError } from '../../../core/errors.ts';
import { ageInWords } from '../../../core/listing/age.ts';
import { titleOf } from '../../../core/listing/title.ts';
import { waitsForTurn } from '../../../core/session/session.ts';
import { sessionRef } from '../../../history/names/layout.ts';
import { waitingChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { transact } from '../../../history/transaction.ts';
import { type ActiveSession, activeOrNone, becomeActive } from '../../session/active.ts';
import { endedCurrent, saveEndedCurrent } from '../../session/compact.ts';
import { recoveryText } from '../../session/recover.ts';
import { answerCommand } from '../../session/waiting.ts';
import { type Hook, openSessionOf, openStateOf, rememberBegun } from '../conversation.ts';
import { asHistory, asOffer, asQuestion } from './context.ts';
import { advance, hasMissed } from './moves.ts';
import { lastPaused } from './open-sessions.ts';
import { unansweredOf } from './part.ts';

/** Returns the status of the conversation's session, or of the current one, and the question of ctx's. */
export async function handleStart(hook: Hook, source: string): Promise<HookAnswer | null> {
  const { repository, event, conversation } = hook;
  // The session was confirmed, and its turn never ended: no answer will come.
  const isOver = source !== 'compact' && openStateOf(repository, conversation)?.state.kind === 'Complete';
  if (isOver) await advance(hook, { what: 'end' });
  else if (hasMissed(openSessionOf(repository, conversation)))
    await unlessBusy(hook, () => advance(hook, hook.event.happened));
  if (source !== 'compact') await unlessBusy(hook, () => makeCurrent(hook));
  const own = openSessionOf(repository, conversation);
  // An agent that is started again in a conversation that it has continues that one.
  if (own && source === 'clear') rememberBegun(repository, conversation);
  const active = own ?? currentAtWork(repository);
  // A conversation that its user has cleared begins with nothing.
  if (source === 'clear') return null;
  const left = own ? null : unansweredOf(hook);
  // A question that was put to another conversation is not put to this one.
  const asked = left?.session ?? own?.session;
  const choice = left?.choice ?? (own && waitingChoice(repository, own.session.session_id));
  const context = active
    ? [asHistory(`Session: ${titleOf(active.session)}\n\n${recoveryText(repository, active)}`)]
    : [];
  if (asked && choice) {
    const { message } = questionOf(choice.kind, asked.task_description);
    const command = answerCommand(repository, choice.session_id);
    context.push(asQuestion(message, command, conversation.agent));
  }
  if (context.length === 0 && !active) context.push(...offers(repository));
  return context.length === 0 ? null : { event: event.event, context: context.join('\n\n') };
}

/** Length of the end of an id that is offered: no other session has the same, and none has to be looked up for that. */
const OFFERED = 12;

/** Offers the last paused session in one line: its user may have come back for it. */
function offers(repository: Repository): string[] {
  const last = lastPaused(repository);
  if (!last) return [];
  const age = ageInWords(last.last_activity, repository.clock());
  return [asOffer(titleOf(last), age, last.session_id.slice(-OFFERED))];
}

/** Returns the current session, unless its user has ended it: nobody continues that. */
function currentAtWork(repository: Repository): ActiveSession | null {
  const active = activeOrNone(repository);
  return active && waitsForTurn(active.session) ? null : active;
}

/** Makes a change if the store is free now: the agent does not wait for it. */
async function unlessBusy(hook: Hook, change: () => Promise<void> | void): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    hook.note(error);
  }
}

/**
 * Makes the session of this conversation the current one if there is none, or if the current one was confirmed in
 * another conversation whose turn never ended: that is saved first. A conversation without a session leaves this to its
 * first task, since the other agent may be about to answer.
 */
function makeCurrent({ repository, event, conversation, note }: Hook): void {
  const { refs } = repository;
  const open = openStateOf(repository, conversation);
  if (open === null) return;
  const own = sessionRef(open.session_id);
  const stage = stageOf(repository);
  if (stage === own || stage === undefined) return;
  const read = (ref: string): string | null => refs.read(ref);
  if (stage !== null && endedCurrent(repository, { stage: () => stage, read }) === null) return;
  const change = { command: 'hook', message: `hook ${event.event}`, pauses: true };
  if (stage !== null) saveEndedCurrent(repository, change, note);
  transact(repository, change, (transaction) => {
    if (transaction.read(own) !== null) becomeActive(repository, transaction, own, note);
  });
}

/** Returns the ref that STAGE names, if any; undefined if it cannot be read, which other commands report. */
function stageOf({ refs }: Repository): string | null | undefined {
  try {
    return refs.stage();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}
