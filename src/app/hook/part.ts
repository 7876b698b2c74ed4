/** What hooks of prompts and all others have in common: the transcript that a session takes in, and what must be kept. */
import type { Counts } from '../../core/counts.ts';
import { CtxError } from '../../core/errors.ts';
import type { AnyBody } from '../../core/record.ts';
import { type Session, type Source, waitsForTurn } from '../../core/session.ts';
import { sessionsWithChoice } from '../../history/pending/choices.ts';
import { endedSessionOf, type Hook, openStateOf } from '../ingest/hook-session.ts';
import { type Increment, newSource, sizeOf, sourceOf, takeIncrement } from '../ingest/increment.ts';
import { keepNote } from '../message/missed.ts';
import { redactionFor } from '../redaction/redact.ts';
import { type LeftQuestion, leftIn } from '../session/left-question.ts';
import type { Beginning } from '../session/start.ts';
import { continuationOf, findSource } from '../transcript/source.ts';
import { sourceForSuccessor } from '../transcript/source-file.ts';

/**
 * Makes a change. Where the store is busy, notes of what happened are kept in the session that is open.
 * @param notesIn the notes, none where there is nothing to keep; of what was redacted already, `found` was taken out
 */
export function orKept<Made>(
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

/** Whether no transcript tells what is said: there is none, or nothing is in it yet. */
export const isUntold = ({ event: { transcript } }: Hook): boolean => transcript === null || sizeOf(transcript) === 0;

/** Whether others have to be asked first whether they have still to read what a session would. */
export const isBehind = (hook: Hook, { session }: Increment['chain']): boolean =>
  hook.agent !== null && hook.from === undefined && ownSource(hook, session)?.behind === true && !isUntold(hook);

const ownSource = ({ conversation: { agent, agent_session } }: Hook, session: Session): Source | undefined =>
  sourceOf(session, agent, agent_session);

/** The question that the last session of a conversation has left, which its next message answers; null where it has left none. */
export function leftOf({ repository, conversation }: Hook): LeftQuestion | null {
  // Nearly never is there one: whoever has none pays for no more than this look.
  if (sessionsWithChoice(repository).length === 0) return null;
  const last = endedSessionOf(repository, conversation);
  return last === null ? null : leftIn(repository, last);
}

/** Whether a session was ended by its user, so that not all that its transcript tells need be its own. */
export const isOver = (hook: Hook, { session }: Increment['chain']): boolean =>
  hook.agent !== null && waitsForTurn(session) && !isUntold(hook);

/** What the transcript of a session's conversation adds to it, and whether that ends where another task begins. */
export function incrementOf(hook: Hook, chain: Increment['chain']): Increment & { isCut?: boolean } {
  const { repository, event, agent, timeLeft } = hook;
  const { session } = chain;
  const own = ownSource(hook, session);
  const known = own?.behind ? hook.from : own;
  const file = event.transcript;
  const said = event.happened.what === 'prompt' ? event.happened.text : null;
  if (!agent || !known || !file) return { chain, session, records: [], interrupted: null };
  const { before, isPart, isTask } = (isOver(hook, chain) && hook.endOf?.(hook, chain, known)) || {};
  const increment = takeIncrement(repository, chain, { agent, known, file, said, timeLeft, before, isPart });
  return { ...increment, ...(isTask && { isCut: true }) };
}

/** What a session begins with: the transcript, from where an earlier session of the same conversation has left it. */
export function beginning(hook: Hook, replaced: Session | null): Beginning {
  const { repository, conversation, event } = hook;
  const { agent, agent_session } = conversation;
  const before = replaced ?? findSource(repository, agent, agent_session)?.chain.session ?? null;
  const source = before && ownSource(hook, before);
  return {
    agent,
    sources: [
      source
        ? sourceForSuccessor(source, isUntold(hook))
        : redactionFor(repository).value(newSource(agent, agent_session, event.transcript)),
    ],
    ...(before ? continuationOf(before) : {}),
  };
}
