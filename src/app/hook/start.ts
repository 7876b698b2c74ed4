/** What the hook of a start does: a conversation begins, or goes on, and its agent is told where things stand. */

import type { HookAnswer } from '../../agents/hooks.ts';
import { questionOf } from '../../core/choice.ts';
import { CtxError } from '../../core/errors.ts';
import { waitsForTurn } from '../../core/session/session.ts';
import { sessionRef } from '../../git/layout.ts';
import { waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { type Hook, openSessionOf, openStateOf } from '../ingest/hook-session.ts';
import { type ActiveSession, activeOrNone, becomeActive } from '../session/active.ts';
import { currentOver, saveOver } from '../session/compact.ts';
import { recoveryText } from '../session/recover.ts';
import { answerCommand } from '../session/waiting.ts';
import { asHistory, asQuestion } from './context.ts';
import { advance, hasMissed } from './moves.ts';
import { leftOf } from './part.ts';

/** The agent is told where the session of its conversation stands, or the current one, and what ctx asks. */
export async function started(hook: Hook, source: string): Promise<HookAnswer | null> {
  const { repository, event, conversation } = hook;
  // Confirmed, and the turn never ended: there is no answer to wait for.
  const isOver = source !== 'compact' && openStateOf(repository, conversation)?.state.kind === 'Complete';
  if (isOver) await advance(hook, { what: 'end' });
  else if (hasMissed(openSessionOf(repository, conversation)))
    await ifFree(hook, () => advance(hook, hook.event.happened));
  if (source !== 'compact') await ifFree(hook, () => comeBack(hook));
  const own = openSessionOf(repository, conversation);
  const active = own ?? currentAtWork(repository);
  // A conversation that was cleared begins with nothing, since the user wanted it so.
  if (source === 'clear') return null;
  const left = own ? null : leftOf(hook);
  const asked = left?.session ?? active?.session;
  const choice = left?.choice ?? (active && waitingChoice(repository, active.session.session_id));
  const told = active ? [asHistory(recoveryText(repository, active))] : [];
  if (asked && choice) {
    const { message } = questionOf(choice.kind, asked.task_description);
    const command = answerCommand(repository, choice.session_id);
    told.push(asQuestion(message, command, conversation.agent, (own ?? left) !== null));
  }
  return told.length === 0 ? null : { event: event.event, context: told.join('\n\n') };
}

/** The current session, but for one that its user has ended: nobody goes on with that. */
function currentAtWork(repository: Repository): ActiveSession | null {
  const active = activeOrNone(repository);
  return active && waitsForTurn(active.session) ? null : active;
}

/** Makes a change if the store is free now: what the agent is told does not wait for it. */
async function ifFree(hook: Hook, change: () => Promise<void> | void): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    hook.note(error);
  }
}

/**
 * The session of this conversation is the current one where there is none, or where that was confirmed in another conversation,
 * whose agent never came to the end of that turn: it is saved first. One that has no session yet leaves it to its first task, for
 * that agent may only be about to answer.
 */
function comeBack({ repository, event, conversation, note }: Hook): void {
  const { refs } = repository;
  const open = openStateOf(repository, conversation);
  if (open === null) return;
  const own = sessionRef(open.session_id);
  const stage = stageOf(repository);
  if (stage === own || stage === undefined) return;
  const read = (ref: string): string | null => refs.read(ref);
  if (stage !== null && currentOver(repository, { stage: () => stage, read }) === null) return;
  const change = { command: 'hook', message: `hook ${event.event}` };
  if (stage !== null) saveOver(repository, change, note);
  transact(repository, change, (transaction) => {
    if (transaction.read(own) !== null) becomeActive(repository, transaction, own, note);
  });
}

/** The ref that STAGE names, if any; undefined where it cannot be read: what is to be done about that is told elsewhere. */
function stageOf({ refs }: Repository): string | null | undefined {
  try {
    return refs.stage();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}
