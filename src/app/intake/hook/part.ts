/** Shares between all hooks the part of a transcript that a session reads, and the notes for a busy store. */
import type { Counts } from '../../../core/counts.ts';
import { CtxError } from '../../../core/errors.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { type Session, type Source, waitsForTurn } from '../../../core/session/session.ts';
import { sessionsWithChoice } from '../../../history/pending/choices.ts';
import { redactionFor } from '../../redaction/redact.ts';
import { configurationOf } from '../../session/configuration.ts';
import { type UnansweredQuestion, unansweredIn } from '../../session/left-question.ts';
import type { Beginning } from '../../session/start.ts';
import { continuationOf, findSource } from '../../transcript/source.ts';
import { sourceForSuccessor } from '../../transcript/source-file.ts';
import { endedSessionOf, type Hook, modelOf, openStateOf } from '../conversation.ts';
import { type Increment, newSource, sizeOf, sourceOf, takeIncrement } from '../increment.ts';
import { keepNote } from '../message/missed.ts';

/**
 * Makes a change. If the store is busy, notes of the event are kept in the open session.
 * @param notesIn returns the notes, none if there is nothing to keep; `found` is what was redacted in them before
 */
export function keepIfBusy<Made>(
  { repository, conversation }: Hook,
  notesIn: (session: string) => AnyBody[],
  found: Counts | undefined,
  change: () => Made,
): Made {
  try {
    return change();
  } catch (error) {
    const isBusy = error instanceof CtxError && error.code === 'busy';
    const open = isBusy ? openStateOf(repository, conversation) : null;
    if (open) for (const note of notesIn(open.session_id)) keepNote(repository, open.session_id, note, found);
    throw error;
  }
}

/** Returns whether there is no transcript, or an empty one. */
export const hasNoTranscript = ({ event: { transcript } }: Hook): boolean =>
  transcript === null || sizeOf(transcript) === 0;

/** Returns whether a session must first wait for its predecessors to read their own parts. */
export const waitsForPredecessors = (hook: Hook, { session }: Increment['chain']): boolean =>
  hook.agent !== null && hook.from === undefined && ownSource(hook, session)?.behind === true && !hasNoTranscript(hook);

const ownSource = ({ conversation: { agent, agent_session } }: Hook, session: Session): Source | undefined =>
  sourceOf(session, agent, agent_session);

/**
 * Returns the question that the last session of a conversation has left for its next message; null if it has left none.
 */
export function unansweredOf({ repository, conversation }: Hook): UnansweredQuestion | null {
  // There is nearly never one: without any, only this check is paid for.
  if (sessionsWithChoice(repository).length === 0) return null;
  const last = endedSessionOf(repository, conversation);
  return last === null ? null : unansweredIn(repository, last);
}

/** Returns whether a session was ended by its user, so that some of its transcript may not be its own. */
export const isEndedByUser = (hook: Hook, { session }: Increment['chain']): boolean =>
  hook.agent !== null && waitsForTurn(session) && !hasNoTranscript(hook);

/** Returns what the transcript adds to a session, and whether that ends before another task. */
export function incrementOf(hook: Hook, chain: Increment['chain']): Increment & { isCut?: boolean } {
  const { repository, event, agent, timeLeft } = hook;
  const { session } = chain;
  const own = ownSource(hook, session);
  const known = own?.behind ? hook.from : own;
  const file = event.transcript;
  const said = event.happened.what === 'prompt' ? event.happened.text : null;
  if (!agent || !known || !file) return { chain, session, records: [], interrupted: null };
  const { before, isPart, isTask } = (isEndedByUser(hook, chain) && hook.endOf?.(hook, chain, known)) || {};
  const increment = takeIncrement(repository, chain, { agent, known, file, said, timeLeft, before, isPart });
  return { ...increment, ...(isTask && { isCut: true }) };
}

/**
 * Returns the beginning of a session: the transcript, from the position of an earlier session of the same conversation.
 */
export function beginning(hook: Hook, replaced: Session | null): Beginning {
  const { repository, conversation, event } = hook;
  const { agent, agent_session } = conversation;
  const before = replaced ?? findSource(repository, agent, agent_session)?.chain.session ?? null;
  const source = before && ownSource(hook, before);
  const said = event.happened.what === 'prompt' ? event.happened.text : '';
  const model = modelOf(repository, conversation);
  return {
    ...(model !== '' && { model }),
    ...configurationOf(repository.project, agent, said),
    agent,
    sources: [
      source
        ? sourceForSuccessor(source, hasNoTranscript(hook))
        : redactionFor(repository).value(newSource(agent, agent_session, event.transcript)),
    ],
    ...(before ? continuationOf(before) : {}),
  };
}
